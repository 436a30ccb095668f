import { connect } from "node:net";

/**
 * A client of HTTP/1.1 that knows of every byte whether it was sent and whether it came: what went lost, what came twice
 * and what was cut is what this suite is about, and an ordinary client hides it.
 */

const headEnd = "\r\n\r\n";
/** Milliseconds without a byte after which no answer is expected any more. */
const longestSilence = 30_000;

/** Reads one answer from the bytes of a connection, however they are split. */
export class AnswerReader {
  status = 0;
  headers = {};
  /** Fields after a chunked body. */
  trailers = {};
  /** The pieces of the body that have come. */
  pieces = [];
  isComplete = false;
  #held = Buffer.alloc(0);
  #steps = this.#read();

  /** Takes what has come; gives the bytes after the end of the answer, of which there should be none. */
  push(bytes) {
    this.#held = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    if (!this.isComplete) this.isComplete = this.#steps.next().done;
    return this.isComplete ? this.#held.length : 0;
  }

  get hasHead() {
    return this.status !== 0;
  }

  get body() {
    return Buffer.concat(this.pieces);
  }

  get closes() {
    return this.headers.connection === "close";
  }

  *#read() {
    const [start, ...fields] = (yield* this.#until(headEnd)).split("\r\n");
    this.headers = fieldsOf(fields);
    this.status = Number(/^HTTP\/1\.1 (\d{3})/.exec(start)?.[1]);
    if (!(this.status >= 200)) throw new Error(`no answer of HTTP/1.1 begins so: ${start.slice(0, 80)}`);
    if (this.headers["transfer-encoding"] === "chunked") yield* this.#chunks();
    else if (this.headers["content-length"] !== undefined) {
      yield* this.#piece(Number(this.headers["content-length"]));
    } else throw new Error("the answer has no length");
  }

  *#chunks() {
    for (;;) {
      const size = Number.parseInt(yield* this.#until("\r\n"), 16);
      if (size === 0) break;
      yield* this.#piece(size);
      if ((yield* this.#until("\r\n")) !== "") throw new Error("a chunk is longer than its size says");
    }
    const trailers = [];
    for (;;) {
      const line = yield* this.#until("\r\n");
      if (line === "") break;
      trailers.push(line);
    }
    this.trailers = fieldsOf(trailers);
  }

  *#until(mark) {
    let at = this.#held.indexOf(mark);
    while (at === -1) {
      yield;
      at = this.#held.indexOf(mark);
    }
    const text = this.#held.toString("latin1", 0, at);
    this.#held = this.#held.subarray(at + mark.length);
    return text;
  }

  *#piece(size) {
    let missing = size;
    while (missing > 0) {
      if (this.#held.length === 0) yield;
      const piece = this.#held.subarray(0, missing);
      if (piece.length > 0) this.pieces.push(piece);
      this.#held = this.#held.subarray(piece.length);
      missing -= piece.length;
    }
  }
}

function fieldsOf(lines) {
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(":");
      return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
    }),
  );
}

/** One connection, and at most one request on it at a time. */
export class Connection {
  isOpen = true;
  /** Bytes that belong to no answer. */
  stray = 0;
  #answers = 0;
  #socket;
  #pending;

  constructor(socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on("data", (bytes) => this.#take(bytes));
    socket.setTimeout(longestSilence, () => this.leave({ why: "silence" }));
    socket.on("error", (error) => this.#lose(error.code ?? error.message));
    socket.on("end", () => this.#lose("closed by the server"));
    socket.on("close", () => this.#lose("closed"));
  }

  /** Resolves with a connection, or with the code of why there is none: nothing was sent then. */
  static open(port) {
    return new Promise((resolve) => {
      const socket = connect({ port, host: "127.0.0.1" });
      const refused = (error) => resolve(error.code ?? error.message);
      socket.once("error", refused);
      socket.once("connect", () => {
        socket.off("error", refused);
        resolve(new Connection(socket));
      });
    });
  }

  /**
   * Sends a request; resolves when its answer is complete, or with `lost` where there will be none. `onBytes` is told
   * of each piece of the answer, with its reader.
   */
  send(request, onBytes = () => {}) {
    const reader = new AnswerReader();
    this.#socket.write(request);
    return new Promise((resolve) => {
      this.#pending = { reader, resolve, onBytes };
    });
  }

  /** Sends bytes that are no whole request. */
  sendPart(bytes) {
    this.#socket.write(bytes);
  }

  /** Takes nothing more from the connection, so that the server has to wait. */
  pause() {
    this.#socket.pause();
  }

  /** Leaves at once: as a client that closes, or as one whose machine has gone, which resets. */
  leave({ reset = false, why = "left" } = {}) {
    this.#lose(why);
    if (reset) this.#socket.resetAndDestroy();
    else this.#socket.destroy();
  }

  #take(bytes) {
    const pending = this.#pending;
    if (pending === undefined) {
      this.stray += bytes.length;
      return;
    }
    const { reader, resolve, onBytes } = pending;
    try {
      this.stray += reader.push(bytes);
    } catch (error) {
      this.#lose(error.message);
      this.#socket.destroy();
      return;
    }
    onBytes(reader);
    if (!reader.isComplete || this.#pending !== pending) return;
    this.#pending = undefined;
    this.#answers += 1;
    if (reader.closes) this.leave();
    resolve({ reader });
  }

  #lose(reason) {
    this.isOpen = false;
    const pending = this.#pending;
    this.#pending = undefined;
    pending?.resolve({ reader: pending.reader, lost: `${reason} after ${this.#answers} answers` });
  }
}

/** A client that keeps its connection while the server lets it. */
export class Client {
  /** Bytes on its connections that belonged to no answer. */
  stray = 0;
  #port;
  #connection;

  constructor(port) {
    this.#port = port;
  }

  /** As `Connection.send`; resolves with `refused` where no connection could be made. */
  async send(request, onBytes) {
    if (this.#connection?.isOpen !== true) {
      this.stray += this.#connection?.stray ?? 0;
      const opened = await Connection.open(this.#port);
      if (typeof opened === "string") return { refused: opened };
      this.#connection = opened;
    }
    return this.#connection.send(request, onBytes);
  }

  leave() {
    this.stray += this.#connection?.stray ?? 0;
    this.#connection?.leave();
    this.#connection = undefined;
  }
}
