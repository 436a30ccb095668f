import type { LogFacts } from "./log.ts";

/** A set of paths that belong together: the conversion API, the health checks, a face of the gateway. */
export interface Surface {
  readonly endpoints: readonly Endpoint[];
  /** What answers every path that no row of the table has; at most one surface has it. */
  readonly fallback?: Endpoint;
}

/** One row of the server's one route table; every request is guarded by what its row says. */
export interface Endpoint {
  readonly method: "GET" | "POST" | "ALL";
  /** A path as Hono writes it: `/tools/:name`. */
  readonly path: string;
  /** One sentence for `GET /`. */
  readonly what: string;
  /**
   * Who is let in: `open` everyone, `key` the holders of a key where keys are configured, `own` whomever the handler
   * lets in, which must check before it does anything else.
   */
  readonly access: "open" | "key" | "own";
  /** Whether the request counts as a call in flight (limits, queue, rate). */
  readonly admitted: boolean;
  /** Answers a request. A ConversionError becomes a problem document. */
  handle(exchange: Exchange): Answer | Promise<Answer>;
}

/** One request, as a handler sees it. */
export interface Exchange {
  /** The request as it came; its body is best read by `body` or `chunks`. */
  readonly request: Request;
  readonly url: URL;
  /** The parameters of the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** In the answer's `X-Request-Id`, in problem documents and in the log. */
  readonly requestId: string;
  /** Aborts when the client has gone before the end of the answer, or a drain has run out of time. */
  readonly signal: AbortSignal;
  /** Name of the key that was shown; undefined where none was asked for. */
  readonly principal: string | undefined;
  /** Adds facts to the log line of this request: names, codes and counts, never a payload. */
  note(facts: LogFacts): void;
  /**
   * The whole body: media type, coding, size and budget checked, never decoded. Throws `unsupported-media-type`,
   * `body-too-large`, `overloaded`, and `invalid-json` for no body.
   */
  body(): Promise<Uint8Array>;
  /** The body as it comes, with the same checks but for size and budget. */
  chunks(): AsyncIterable<Uint8Array>;
  /** Counts bytes that this exchange holds against the budget of the process; throws `overloaded` beyond it. */
  hold(bytes: number): void;
  /** Gives back bytes that are no longer held; what is left is given back when the exchange ends. */
  release(bytes: number): void;
}

export interface Answer {
  readonly status: number;
  /** `X-Request-Id`, `Cache-Control: no-store` and `X-Content-Type-Options` are added to them. */
  readonly headers: Readonly<Record<string, string>>;
  /** Pieces are pulled as the client takes them; an iteration that the client ends early is returned. */
  readonly body: string | Uint8Array | AsyncIterable<string | Uint8Array>;
  /** Fields after the body, read when its last piece is sent; sent where the transport can (HTTP/1.1, chunked). */
  readonly trailers?: { readonly names: readonly string[]; read(): Readonly<Record<string, string>> };
}
