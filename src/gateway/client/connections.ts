import type { LookupFunction, Socket } from "node:net";
import { buildConnector, Client, type Dispatcher } from "undici";
import type { ConversionError } from "../../errors.ts";
import type { ConnectionSettings } from "../upstream.ts";

/** Announced idle times of servers are cut short by so much, so that no request meets a closing socket. */
const keepAliveMargin = 1000;

/** Told what becomes of a request; `resume` takes back every pause. */
export interface RequestHandler extends Dispatcher.DispatchHandler {
  resume(): void;
}

/** One connection at a time, made when it is needed and again after it has ended; one request at a time on it. */
export class Connection {
  readonly #openClient: () => Client;
  #client: Client;
  #hasFailed = false;
  #handler: RequestHandler | undefined;
  #socket: Socket | undefined;

  constructor(origin: string, settings: ConnectionSettings, lookup: LookupFunction) {
    const connect = buildConnector({ timeout: settings.connectTimeout, lookup, allowH2: false });
    const options: Client.Options = {
      // A second request on a socket would share the fate of the first.
      pipelining: 1,
      keepAliveTimeout: settings.keepAlive,
      keepAliveMaxTimeout: settings.keepAlive,
      keepAliveTimeoutThreshold: keepAliveMargin,
      // The phases of a call are timed by the call, which also knows when nobody reads.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (target, done) =>
        connect(target, (...result) => {
          if (result[0] === null) this.#guard(result[1]);
          else this.#hasFailed = true;
          done(...result);
        }),
    };
    this.#openClient = () => new Client(origin, options);
    this.#client = this.#openClient();
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: RequestHandler): void {
    if (this.#hasFailed && !this.#client.destroyed) this.#renew();
    this.#handler = handler;
    this.#client.dispatch(options, handler);
  }

  /**
   * Breaks off the request that is under way, with its socket. To abort it, as undici offers, would connect again at
   * once for a request that is no more.
   */
  breakOff(fault: ConversionError): void {
    this.#socket?.destroy(fault);
  }

  /** Ends the connection; a request that is under way or comes later fails. */
  destroy(fault: ConversionError): Promise<void> {
    return this.#client.destroy(fault);
  }

  /** After a certificate for another name undici counts the request as running for ever. Its own pool does the same. */
  #renew(): void {
    void this.#client.destroy();
    this.#client = this.#openClient();
    this.#hasFailed = false;
  }

  /**
   * Undici 7 asserts, where nothing can catch it, that a body is not paused when its connection ends
   * (nodejs/undici#5360, mended in 8, which Node 20 does not run). These listeners come before its own.
   */
  #guard(socket: Socket): void {
    this.#socket = socket;
    // Nothing more can come, so what was paused may go on.
    socket.on("end", () => this.#handler?.resume());
    // Undici reads on after a reset, which it knows by this code, and not after another error.
    socket.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNRESET") error.code = "CONNECTION_RESET";
    });
  }
}

/** The connections to one server, up to a number of them. Undici's own pool cannot let go of a call that waits. */
export class Connections {
  readonly #open: () => Connection;
  readonly #max: number;
  readonly #all: Connection[] = [];
  readonly #free: Connection[] = [];
  /** In order of arrival. */
  readonly #waiting = new Set<(connection: Connection) => void>();

  constructor(open: () => Connection, max: number) {
    this.#open = open;
    this.#max = max;
  }

  /** Hands out a connection, at once or when one is given back. The answer ends the waiting. */
  take(use: (connection: Connection) => void): () => void {
    // The one that was used last is the likeliest to be connected still.
    const connection = this.#free.pop() ?? this.#another();
    if (connection === undefined) this.#waiting.add(use);
    else use(connection);
    return () => this.#waiting.delete(use);
  }

  give(connection: Connection): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free.push(connection);
      return;
    }
    this.#waiting.delete(next);
    // Undici has not finished with the request before, and a server that closes after it must be heard first.
    setImmediate(() => next(connection));
  }

  async close(fault: ConversionError): Promise<void> {
    await Promise.all(this.#all.map((connection) => connection.destroy(fault)));
  }

  #another(): Connection | undefined {
    if (this.#all.length === this.#max) return undefined;
    const connection = this.#open();
    this.#all.push(connection);
    return connection;
  }
}
