import type { z } from "zod";
import type { Surface } from "../server/endpoint.ts";
import type { ServerSettings } from "../server/settings.ts";
import type { HttpClient } from "./client/http-client.ts";
import type { Gateway } from "./gateway.ts";
import type { ConnectionSettings } from "./upstream.ts";

/** What a caller speaks: a set of paths over the gateway's one way to call a tool. */
export interface Face<Settings extends object = object> {
  /** The key below `faces` in the configuration: `difyDaemon`. */
  readonly id: string;
  /** What the configuration may say about it; a strict object with a description for every key. */
  readonly settings: z.ZodType<Settings>;
  /** Whether it is there without being configured, with the settings of an empty object. */
  readonly always: boolean;
  open(settings: Settings, environment: FaceEnvironment): Surface;
}

export interface FaceEnvironment {
  readonly gateway: Gateway;
  readonly server: ServerSettings;
  /** Opens a way to a server that the face itself stands in front of; the gateway closes it. */
  readonly connect: (url: URL, settings: ConnectionSettings) => HttpClient;
}
