import type { Dispatcher } from "undici";
import { ConversionError } from "../../errors.ts";
import type { ConnectionSettings } from "../upstream.ts";
import { ByteQueue, type QueueOwner } from "./byte-queue.ts";
import { answerFault, connectFault, notTaken, reasonOf, timedOut } from "./client-faults.ts";
import type { Connection, Connections, RequestHandler } from "./connections.ts";
import type { ClientAnswer } from "./http-client.ts";

/** Answers of 1xx before the answer proper; more are a flood. */
const maxInterim = 8;

export interface ExchangeParts {
  readonly connections: Connections;
  readonly settings: ConnectionSettings;
  readonly signal: AbortSignal;
  readonly passThrough: boolean;
}

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
  #stopWaiting = (): void => {};
  #connection: Connection | undefined;
  /** Set when the first byte is about to be sent. */
  #controller: Dispatcher.DispatchController | undefined;
  #total: NodeJS.Timeout | undefined;
  #head: NodeJS.Timeout | undefined;

  constructor(
    options: Dispatcher.DispatchOptions,
    { connections, settings, signal, passThrough }: ExchangeParts,
  ) {
    this.#options = options;
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
    const headers = flattened(given);
    if (!this.#passThrough) {
      const fault = headFault(status, headers);
      if (fault !== undefined) {
        this.#fail(fault);
        return;
      }
      if (isStream(headers["content-type"])) this.#limitTotal(this.#settings.streamTimeout, "streamTimeout");
    }
    this.#resolve({ status, headers, body: this.#body });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (!this.#body.push(chunk)) controller.pause();
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
      this.#fail(answerFault(error));
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
    // Closes the connection, on which more of the answer may come. One that is being made is kept.
    this.#controller?.abort(fault);
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

/** Why the head of an answer is not taken. */
function headFault(status: number, headers: Readonly<Record<string, string>>): ConversionError | undefined {
  const coding = headers["content-encoding"]?.trim().toLowerCase() ?? "";
  if (coding !== "" && coding !== "identity") {
    return notTaken("the answer has a content coding, though none was asked for");
  }
  if (status < 400 && status >= 300)
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
