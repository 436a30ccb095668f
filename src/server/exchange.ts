import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import { ConversionError, isConversionError } from "../errors.ts";
import { checkedBody, tooLarge } from "./body.ts";
import { BodyStream } from "./body-stream.ts";
import type { Drain } from "./drain.ts";
import type { Answer, Endpoint, Exchange } from "./endpoint.ts";
import { faultFacts } from "./fault.ts";
import type { HeldBytes } from "./held-bytes.ts";
import type { Log, LogFacts, LogLevel } from "./log.ts";
import { faultAnswer, problemAnswer } from "./problem.ts";
import type { ServerSettings } from "./settings.ts";

/** Node's own request and response stand beside each request of `listen`; without a socket they are not there. */
export interface NodeEnvironment {
  readonly Bindings: Partial<HttpBindings>;
}

/** What all exchanges of a server share. */
export interface ExchangeParts {
  readonly settings: ServerSettings;
  readonly log: Log;
  readonly drain: Drain;
  readonly held: HeldBytes;
  /** Milliseconds of a clock that only goes forward. */
  readonly now: () => number;
}

/** An answer with one of these statuses has no body (RFC 9110, 6.4.1). */
const bodyless: ReadonlySet<number> = new Set([204, 205, 304]);

/** One request from its head to the end of its answer, when it gives back what it holds and writes its one log line. */
export class OpenExchange implements Exchange {
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
  readonly requestId: string;
  readonly incoming: IncomingMessage | undefined;
  principal: string | undefined;
  readonly #outgoing: ServerResponse | undefined;
  readonly #endpoint: Endpoint;
  readonly #parts: ExchangeParts;
  readonly #begun: number;
  readonly #leaving = new AbortController();
  /** Resolves when the client has the whole answer, or has gone. */
  readonly #closed: Promise<void> | undefined;
  readonly #endings: (() => void)[] = [];
  #url: URL | undefined;
  #facts: LogFacts = {};
  #held = 0;
  #status = 0;
  #isGone = false;
  #isCut = false;
  #isFaulty = false;

  constructor(context: Context<NodeEnvironment>, endpoint: Endpoint, parts: ExchangeParts) {
    // Hono's own `app.request` has no environment, whatever the type says.
    const { incoming, outgoing } = context.env ?? {};
    this.request = context.req.raw;
    this.params = context.req.param();
    this.requestId = requestIdOf(this.request.headers);
    this.incoming = incoming;
    this.#outgoing = outgoing;
    this.#endpoint = endpoint;
    this.#parts = parts;
    this.#begun = parts.now();
    this.#closed = outgoing === undefined ? undefined : this.#closing(outgoing);
    this.atEnd(parts.drain.watch((reason) => this.#leaving.abort(reason)));
  }

  get url(): URL {
    this.#url ??= new URL(this.request.url);
    return this.#url;
  }

  get signal(): AbortSignal {
    return this.#leaving.signal;
  }

  note(facts: LogFacts): void {
    this.#facts = { ...this.#facts, ...facts };
  }

  async body(): Promise<Uint8Array> {
    const { maxBodyBytes } = this.#parts.settings;
    if (Number(this.request.headers.get("content-length") ?? 0) > maxBodyBytes) throw tooLarge(maxBodyBytes);
    const pieces: Uint8Array[] = [];
    let length = 0;
    try {
      for await (const chunk of this.chunks()) {
        if (length + chunk.length > maxBodyBytes) throw tooLarge(maxBodyBytes);
        this.hold(chunk.length);
        length += chunk.length;
        pieces.push(chunk);
      }
    } catch (error) {
      this.release(length);
      throw error;
    }
    return Buffer.concat(pieces, length);
  }

  chunks(): AsyncIterable<Uint8Array> {
    return checkedBody(this.request.headers, this.#source());
  }

  hold(bytes: number): void {
    this.#parts.held.take(bytes);
    this.#held += bytes;
  }

  release(bytes: number): void {
    this.#parts.held.give(bytes);
    this.#held -= bytes;
  }

  /** Runs `ending` when the exchange has ended, however it does. */
  atEnd(ending: () => void): void {
    this.#endings.push(ending);
  }

  /** The answer to what was thrown before there was one. */
  failure(error: unknown): Answer {
    const cause = this.#noteFailure(error);
    return isConversionError(cause) ? problemAnswer(cause, this.requestId) : faultAnswer(this.requestId);
  }

  /** An answer as the response of the server; the exchange ends with it. */
  send(answer: Answer): Response {
    const { status, body } = answer;
    const hasBody = this.request.method !== "HEAD" && !bodyless.has(status);
    const isWhole = typeof body === "string" || body instanceof Uint8Array;
    const headers = this.#headersOf(answer, hasBody && !isWhole);
    // What makes no response throws here, before anything of the exchange is on its way to its end.
    const responseWith = (content: ConstructorParameters<typeof Response>[0]) =>
      new Response(hasBody ? content : null, { status, headers });
    if (isWhole) {
      const response = responseWith(body);
      const bytes = hasBody ? Buffer.byteLength(body) : 0;
      this.#status = status;
      void this.#endAfter([this.#closed], () => bytes);
      return response;
    }
    const stream = this.#streamOf(body, headers.has("trailer") ? answer.trailers : undefined);
    const response = responseWith(stream.stream);
    this.#status = status;
    void this.#endAfter([this.#closed, stream.ended], () => stream.bytes);
    if (!hasBody) void stream.stop();
    return response;
  }

  #streamOf(body: Exclude<Answer["body"], string | Uint8Array>, trailers: Answer["trailers"]): BodyStream {
    const stream = new BodyStream(body, {
      complete: () => {
        if (trailers !== undefined) this.#outgoing?.addTrailers(trailers.read());
      },
      failed: (error) => void this.#noteFailure(error),
      cut: (controller) => this.#cut(controller),
    });
    // The client may have gone before anybody read the stream, and then nobody would cancel it.
    void this.#closed?.then(() => stream.stop());
    return stream;
  }

  /** Ends an answer that cannot be completed so that nobody takes it for whole. */
  #cut(controller: ReadableStreamDefaultController): void {
    this.#isCut = true;
    // An error in the stream would be printed, whole, by @hono/node-server 2.1.9 (`handleResponseError`).
    if (this.incoming === undefined) controller.error(new Error("the answer could not be completed"));
    // What was written before goes out; the last chunk of the answer never does.
    else if (this.incoming.httpVersion === "1.1") this.incoming.socket.destroySoon();
    // Without chunks only a reset tells a broken answer from a whole one.
    else this.incoming.socket.resetAndDestroy();
  }

  #headersOf({ headers: given, trailers }: Answer, isStream: boolean): Headers {
    const headers = new Headers(given);
    headers.set("X-Request-Id", this.requestId);
    headers.set("Cache-Control", "no-store");
    headers.set("X-Content-Type-Options", "nosniff");
    if (this.#parts.drain.isDraining) headers.set("Connection", "close");
    const isChunked = isStream && this.incoming?.httpVersion === "1.1" && !headers.has("content-length");
    if (isChunked) {
      // Said outright, it keeps @hono/node-server from waiting for a short body to set its length.
      headers.set("Transfer-Encoding", "chunked");
      if (trailers !== undefined) headers.set("Trailer", trailers.names.join(", "));
    }
    return headers;
  }

  #closing(outgoing: ServerResponse): Promise<void> {
    return new Promise((resolve) => {
      outgoing.once("close", () => {
        if (!outgoing.writableFinished && !this.#isCut) {
          this.#isGone = true;
          this.#leaving.abort(new ConversionError("cancelled", "the client has gone"));
        }
        resolve();
      });
    });
  }

  #source(): AsyncIterable<Uint8Array> {
    // Three times as fast as the stream of the request; destroying it would take the connection with it.
    if (this.incoming !== undefined) return this.incoming.iterator({ destroyOnReturn: false });
    // The type of `body` says nothing about its chunks; by the Fetch standard they are bytes.
    return (this.request.body ?? []) as AsyncIterable<Uint8Array>;
  }

  /** Notes a failure for the log, and says what it was. */
  #noteFailure(error: unknown): unknown {
    // What an abort makes other code throw is as good as the reason for the abort.
    const isAbort = this.signal.aborted && error instanceof Error && error.name === "AbortError";
    const cause: unknown = isAbort ? this.signal.reason : error;
    this.#isFaulty ||= !isConversionError(cause);
    this.note(isConversionError(cause) ? { code: cause.code } : faultFacts(cause));
    return cause;
  }

  async #endAfter(events: readonly (Promise<void> | undefined)[], bytes: () => number): Promise<void> {
    await Promise.all(events);
    for (const ending of this.#endings) ending();
    this.release(this.#held);
    // Of what clients break off the log keeps samples only; a fault of the program is never left out.
    const event = this.#isGone && !this.#isFaulty ? "request-aborted" : "request";
    this.#parts.log.write(this.#level(), event, {
      requestId: this.requestId,
      method: this.request.method,
      endpoint: this.#endpoint.path,
      status: this.#status,
      bytes: bytes(),
      ms: Math.round(this.#parts.now() - this.#begun),
      ...(this.#isCut && { cut: true }),
      ...(this.principal !== undefined && { principal: this.principal }),
      ...this.#facts,
    });
  }

  #level(): LogLevel {
    if (this.#isFaulty) return "error";
    // A result that tells a fault of the way to a tool is as much to look at as a problem that does.
    const isFault = this.#facts.code !== undefined && this.#status < 400 && !this.#isGone;
    if (this.#isCut || isFault || this.#status >= 500) return "warn";
    // What orchestrators ask every few seconds would hide the rest.
    return this.#endpoint.access === "open" && this.#status < 400 ? "debug" : "info";
  }
}

/** The caller's own id where it can stand in a log and a header as it is. */
function requestIdOf(headers: Headers): string {
  const given = headers.get("x-request-id") ?? "";
  return /^[A-Za-z0-9._-]{1,64}$/.test(given) ? given : randomUUID();
}
