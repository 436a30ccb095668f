import type { z } from "zod";
import type { ToolCall } from "../call.ts";
import type { Converter } from "../converter.ts";
import type { ConversionError } from "../errors.ts";
import type { Log } from "../server/log.ts";
import type { HttpClient } from "./client/http-client.ts";

/** A server that runs tools, as the gateway calls it. One for each upstream of the configuration. */
export interface Upstream {
  /**
   * Calls a tool once; never again once a byte was sent. Resolves when the answer has begun. Throws ConversionError
   * with an `upstream-...` code where there is none.
   */
  call(request: UpstreamRequest): Promise<UpstreamAnswer>;
  /** Whether the server answers at all, in words for the operator; calls no tool. Throws as `call`. */
  check(signal: AbortSignal): Promise<string>;
  close(): Promise<void>;
}

export interface UpstreamRequest {
  /** `name` is the upstream's own name for the tool. */
  readonly call: ToolCall;
  /** The format that the route says the answer has: `dify:sse`. */
  readonly from: string;
  /** The route's part of the address, from `/`; empty where it has none. */
  readonly path: string;
  readonly requestId: string;
  /** Aborts when nobody waits for the answer any more: the call then ends at once. */
  readonly signal: AbortSignal;
}

export interface UpstreamAnswer {
  /** The format of the body: the route's, unless the kind of the upstream knows better. */
  readonly from: string;
  /**
   * Set where the answer says by its HTTP status that the call failed and yet has a body to read: the result is then
   * an error whatever the body says.
   */
  readonly failure?: ConversionError;
  /**
   * The body as it comes. Throws ConversionError (`upstream-timeout`, `upstream-disconnected`); ending the iteration
   * early ends the call.
   */
  readonly body: AsyncIterable<Uint8Array>;
  /**
   * Bytes of it that the gateway may hold (`maxAnswerBytes`); it counts them itself, and no more once it passes the
   * answer on piece by piece (R72).
   */
  readonly maxHeldBytes: number;
}

/** A kind of upstream: `http`, `dify-daemon`, or one of a plugin. */
export interface UpstreamKind<Settings extends object = object> {
  /** The word in the configuration: `kind: http`. */
  readonly kind: string;
  /** What the configuration may say beside `kind`; a strict object with a description for every key. */
  readonly settings: z.ZodType<Settings>;
  open(settings: Settings, environment: UpstreamEnvironment): Upstream;
}

export interface UpstreamEnvironment {
  /** The upstream's name in the configuration. */
  readonly name: string;
  readonly converter: Converter;
  readonly log: Log;
  /** Opens the one way out: addresses, timeouts, sockets and codings are checked there and nowhere else. */
  readonly connect: (url: URL, settings: ConnectionSettings) => HttpClient;
}

/** How the gateway behaves towards one upstream. Times in milliseconds, sizes in bytes. */
export interface ConnectionSettings {
  readonly connectTimeout: number;
  readonly headersTimeout: number;
  readonly idleTimeout: number;
  readonly totalTimeout: number;
  /** The total time where the answer is a stream of events or lines. */
  readonly streamTimeout: number;
  readonly maxSockets: number;
  readonly keepAlive: number;
  readonly maxAnswerBytes: number;
  readonly connectRetries: number;
  readonly allowHttp: boolean;
  readonly allowPrivate: boolean;
}
