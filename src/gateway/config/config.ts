import type { ConversionOptions, Limits } from "../../options.ts";
import type { AuthSettings, ServerSettings } from "../../server/settings.ts";

/** A whole configuration, read, checked and with every default filled in. */
export interface GatewayConfig {
  /** Modules with adapters of formats. */
  readonly adapters: readonly string[];
  /** Modules with faces and kinds of upstreams. */
  readonly plugins: readonly string[];
  readonly server: ServerSettings;
  readonly auth: AuthSettings;
  readonly limits: Partial<Limits>;
  /** Signs carries (R33), so that stored files and user-only content come back through a foreign platform. */
  readonly carryKey?: string;
  /** By id of the face; those that are not named have the settings of an empty object, where they are always there. */
  readonly faces: Readonly<Record<string, object>>;
  readonly upstreams: Readonly<Record<string, UpstreamConfig>>;
  readonly routes: readonly RouteConfig[];
}

export interface UpstreamConfig {
  readonly kind: string;
  /** Checked by the kind. */
  readonly settings: object;
}

/** One tool: who calls it how, and where it runs. */
export interface RouteConfig {
  /** The tool's name for callers. */
  readonly name: string;
  /** Name of the upstream. */
  readonly upstream: string;
  /** Format of the upstream's answer. */
  readonly from: string;
  /** Format of the caller's answer, where a request does not name one. */
  readonly to: string;
  /** Format of the caller's request: that of `to`, or `arguments` for a bare object of arguments. */
  readonly call?: string;
  /** Below the upstream's address. */
  readonly path: string;
  readonly tool: ToolConfig;
  readonly policy: RoutePolicy;
  /** How a failure of the tool's server is told: as a result of status `error`, or as a problem with 502 or 504. */
  readonly upstreamErrors: "result" | "problem";
}

export interface ToolConfig {
  /** The upstream's own name for the tool; by default the route's. */
  readonly name?: string;
  readonly description?: string;
  readonly inputSchema?: object;
  readonly outputSchema?: object;
}

/** The options of the route's conversions, by the names of the library. */
export type RoutePolicy = Omit<
  ConversionOptions,
  "carried" | "carryKey" | "batchPosition" | "limits" | "toolCallId"
>;
