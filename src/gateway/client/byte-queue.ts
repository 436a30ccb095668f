import type { ConversionError } from "../../errors.ts";

/** Bytes held for a reader before the sender is told to wait; one read of a socket brings as many at most. */
const room = 64 * 1024;

export interface QueueOwner {
  /** The reader waits for more. */
  wanted(): void;
  /** The reader has waited for as long as it may. */
  waitedTooLong(): void;
  /** The reader has left before the end. */
  left(): void;
}

/**
 * The bytes of one answer between the connection that brings them and the one reader that takes them. Unlike a
 * generator it can be left while a piece is awaited, and before the first was asked for.
 */
export class ByteQueue implements AsyncIterableIterator<Uint8Array, void> {
  readonly #owner: QueueOwner;
  readonly #idleTimeout: number;
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #ending: "open" | "complete" | ConversionError = "open";
  #wake = (): void => {};

  constructor(owner: QueueOwner, idleTimeout: number) {
    this.#owner = owner;
    this.#idleTimeout = idleTimeout;
  }

  /** Whether there is room for more. */
  push(chunk: Uint8Array): boolean {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    this.#wake();
    return this.#bytes < room;
  }

  /** Ends the bytes; a fault is thrown after the last of them. */
  end(ending: "complete" | ConversionError): void {
    if (this.#ending === "open") this.#ending = ending;
    this.#wake();
  }

  async next(): Promise<IteratorResult<Uint8Array, void>> {
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk !== undefined) {
        this.#bytes -= chunk.length;
        return { done: false, value: chunk };
      }
      if (this.#ending === "complete") return { done: true, value: undefined };
      if (this.#ending !== "open") throw this.#ending;
      await this.#more();
    }
  }

  async return(): Promise<IteratorResult<Uint8Array, void>> {
    this.#chunks = [];
    const isEarly = this.#ending === "open";
    this.end("complete");
    if (isEarly) this.#owner.left();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#owner.waitedTooLong(), this.#idleTimeout);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
      this.#owner.wanted();
    });
  }
}
