const encoder = new TextEncoder();

type Controller = ReadableStreamDefaultController<Uint8Array>;

/** What the owner of a body does at its ends. */
export interface BodyHooks {
  /** The last piece has been handed over; called before the stream is closed. */
  complete(): void;
  /** Told what a piece, or the end of the iteration, failed with. */
  failed(error: unknown): void;
  /** A piece failed, so the reader must not take what it has for the whole. */
  cut(controller: Controller): void;
}

/**
 * Pieces of text or bytes as a stream that makes each of them when its reader asks for it. However it ends, the
 * iteration is ended, too, nothing is written after that, and no rejection is left over.
 */
export class BodyStream {
  readonly stream: ReadableStream<Uint8Array>;
  /** Resolves when nothing of the iteration runs any more. */
  readonly ended: Promise<void>;
  readonly #pieces: AsyncIterator<string | Uint8Array>;
  readonly #hooks: BodyHooks;
  #bytes = 0;
  #isOver = false;
  #end = () => {};

  constructor(body: AsyncIterable<string | Uint8Array>, hooks: BodyHooks) {
    this.#pieces = body[Symbol.asyncIterator]();
    this.#hooks = hooks;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.stream = new ReadableStream(
      { pull: (controller) => this.#pull(controller), cancel: () => this.stop() },
      { highWaterMark: 0 },
    );
  }

  /** Bytes handed over so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Ends the iteration early; does nothing where it has ended. */
  async stop(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    try {
      await this.#pieces.return?.();
    } catch (error) {
      this.#hooks.failed(error);
    }
    this.#end();
  }

  async #pull(controller: Controller): Promise<void> {
    try {
      const step = await this.#pieces.next();
      if (this.#isOver) return;
      if (step.done !== true) {
        const bytes = typeof step.value === "string" ? encoder.encode(step.value) : step.value;
        this.#bytes += bytes.length;
        controller.enqueue(bytes);
        return;
      }
      this.#hooks.complete();
      controller.close();
    } catch (error) {
      // After an early end nobody waits for the piece that was under way.
      if (this.#isOver) return;
      this.#hooks.failed(error);
      this.#hooks.cut(controller);
    }
    this.#isOver = true;
    this.#end();
  }
}
