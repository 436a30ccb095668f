import type { Dispatcher } from "undici";
import { ConversionError } from "../../errors.ts";
import type { ConnectionSettings } from "../upstream.ts";
import { ByteQueue, type QueueOwner } from "./byte-queue.ts";
import { answerFault, connectFault, notTaken, reasonOf, timedOut } from "./client-faults.ts";
import type { Connection, Connections, RequestHandler } from "./connections.ts";
import type { ClientAnswer, ClientRequest } from "./http-client.ts";
import { dispatchBody } from "./request-body.ts";

/** Answers of 1xx before the answer proper; more are a flood. */
const maxInterim = 8;

/**
 * One request from the wait for a connection to the last byte of its answer. It ends once, by whatever comes first: the
 * end of the answer, a fault, a time, the caller. It is sent at most once; where no connection could be made it is
 * tried again.
 */
export class Exchange implements RequestHandler, QueueOwner {
  readonly answer: Promise<ClientAnswer>;
  readonly #options: Dispatcher.DispatchOptions;
  readonly #connections: Connections;
  readonly #settings: ConnectionSettings;
  readonly #signal: AbortSignal;
  readonly #passThrough: boolean;
  readonly #body: ByteQueue;
  readonly #begun = performance.now();
  #resolve: (answer: ClientAnswer) => void = () => {};
  #reject: (fault: ConversionError) => void = () => {};
  #isOver = false;
  #retries: number;
  #interim = 0;
  #hasHead = false;
  #stopWaiting = (): void => {};
  #connection: Connection | undefined;
  /** Set when the first byte is about to be sent. */
  #controller: Dispatcher.DispatchController | undefined;
  #total: NodeJS.Timeout | undefined;
  #head: NodeJS.Timeout | undefined;

  /** The path of the request is whole. */
  constructor(
    { method, path, headers, body, signal, passThrough = false }: ClientRequest,
    connections: Connections,
    settings: ConnectionSettings,
  ) {
    this.#options = {
      path,
      method: method as Dispatcher.HttpMethod, // The type lists the usual ones; undici takes any token.
      headers: passThrough ? headers : { ...headers, "accept-encoding": "identity" },
      body: dispatchBody(body, (fault) => this.#fail(fault)),
    };
    this.#connections = connections;
    this.#settings = settings;
    this.#signal = signal;
    this.#passThrough = passThrough;
    this.#retries = settings.connectRetries;
    this.#body = new ByteQueue(this, settings.idleTimeout);
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#start();
  }

  #start(): void {
    if (this.#signal.aborted) {
      this.#onAbort();
      return;
    }
    this.#signal.addEventListener("abort", this.#onAbort);
    if (!this.#passThrough) this.#limitTotal(this.#settings.totalTimeout, "totalTimeout");
    this.#stopWaiting = this.#connections.take((connection) => this.#sendOn(connection));
  }

  #sendOn(connection: Connection): void {
    if (this.#isOver) {
      this.#connections.give(connection);
      return;
    }
    this.#connection = connection;
    connection.dispatch(this.#options, this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Thrown, it drops the request and keeps the connection. Undici says that it never sends a request twice; this
    // makes it certain.
    if (this.#isOver || this.#controller !== undefined) throw new Error("not to be sent");
    this.#controller = controller;
    const { headersTimeout } = this.#settings;
    this.#head = setTimeout(
      () => this.#fail(timedOut("no answer", headersTimeout, "headersTimeout")),
      headersTimeout,
    );
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    given: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (status < 200) {
      this.#interim += 1;
      if (this.#interim > maxInterim) this.#fail(notTaken("the answer begins with too many others (1xx)"));
      return;
    }
    clearTimeout(this.#head);
    this.#hasHead = true;
    const headers = flattened(given);
    const fault = headFault(status, headers, this.#passThrough);
    if (fault !== undefined) {
      this.#fail(fault);
      return;
    }
    if (!this.#passThrough && isStream(headers["content-type"])) {
      this.#limitTotal(this.#settings.streamTimeout, "streamTimeout");
    }
    this.#resolve({ status, headers, body: this.#body });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    // Where a body has no length, its end comes as an empty piece, and a pause then would never end.
    if (chunk.length > 0 && !this.#body.push(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    this.#finish();
    this.#body.end("complete");
    this.#giveBack();
  }

  onResponseError(_: unknown, error: Error): void {
    const connection = this.#connection;
    if (this.#controller !== undefined || this.#isOver || connection === undefined) {
      this.#giveBack();
      this.#fail(answerFault(error, this.#hasHead));
      return;
    }
    const fault = connectFault(error, this.#settings.connectTimeout);
    if (fault.code === "upstream-unreachable" && this.#retries > 0) {
      this.#retries -= 1;
      // Undici has not finished with the try that failed.
      queueMicrotask(() => this.#sendOn(connection));
      return;
    }
    this.#giveBack();
    this.#fail(fault);
  }

  resume(): void {
    this.#controller?.resume();
  }

  wanted(): void {
    this.resume();
  }

  waitedTooLong(): void {
    const { idleTimeout } = this.#settings;
    this.#fail(timedOut("nothing more of the answer", idleTimeout, "idleTimeout"));
  }

  left(): void {
    this.#fail(new ConversionError("cancelled", "the answer is not read any further"));
  }

  readonly #onAbort = (): void => this.#fail(reasonOf(this.#signal));

  #fail(fault: ConversionError): void {
    if (this.#isOver) return;
    this.#finish();
    this.#reject(fault);
    this.#body.end(fault);
    // More of the answer may come on the connection. One that is being made is kept.
    if (this.#controller !== undefined) this.#connection?.breakOff(fault);
  }

  #finish(): void {
    this.#isOver = true;
    this.#stopWaiting();
    clearTimeout(this.#total);
    clearTimeout(this.#head);
    this.#signal.removeEventListener("abort", this.#onAbort);
  }

  #giveBack(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection !== undefined) this.#connections.give(connection);
  }

  /** Sets the time for the whole call, counted from its beginning. */
  #limitTotal(milliseconds: number, setting: string): void {
    clearTimeout(this.#total);
    const left = Math.max(0, this.#begun + milliseconds - performance.now());
    this.#total = setTimeout(
      () => this.#fail(timedOut("the call was not over", milliseconds, setting)),
      left,
    );
  }
}

/** Why the head of an answer is not taken. What is passed on may be a redirect, or coded for its reader. */
function headFault(
  status: number,
  headers: Readonly<Record<string, string>>,
  passThrough: boolean,
): ConversionError | undefined {
  const framing = headers["transfer-encoding"]?.trim().toLowerCase() ?? "chunked";
  if (framing !== "chunked") return notTaken("the answer has a transfer coding, though none was asked for");
  if (passThrough) return undefined;
  const isFramed = "transfer-encoding" in headers || "content-length" in headers;
  if (!isFramed && isStream(headers["content-type"])) {
    // A document shows a cut by itself. A stream may end after any event, and a killed server closes as a proper one.
    return notTaken("the answer is a stream without chunks, whose cut could not be told; HTTP/1.1 has them");
  }
  const coding = headers["content-encoding"]?.trim().toLowerCase() ?? "";
  if (coding !== "" && coding !== "identity") {
    return notTaken("the answer has a content coding, though none was asked for");
  }
  if (status >= 300 && status < 400)
    return notTaken(`the answer is a redirect (${status}); none is followed`);
  return undefined;
}

function flattened(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );
}

function isStream(mediaType = ""): boolean {
  return /^(text\/event-stream|application\/x-ndjson)\b/i.test(mediaType.trim());
}
