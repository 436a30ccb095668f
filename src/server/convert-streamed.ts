import type { ConversionStream, Converter, ConvertOptions } from "../converter.ts";
import { begun, streamAnswer, textAnswer } from "./answers.ts";
import { tooLarge } from "./body.ts";
import type { Answer, Exchange } from "./endpoint.ts";
import { LossTally, lossesHeader } from "./losses-header.ts";

/**
 * Converts a body of lines or events while it comes (R70 to R72). What fails before the first piece of the output is
 * thrown; what fails later ends the output as an error, or cuts it off.
 */
export async function convertStreamed(
  converter: Converter,
  exchange: Exchange,
  options: ConvertOptions,
  maxBodyBytes: number,
): Promise<Answer> {
  const source = new HeldBody(exchange, maxBodyBytes);
  const stream = converter.convertStream(source, options);
  const tally = new LossTally();
  const body = await begun(counted(stream, tally, exchange));
  if (!source.isAtEnd) {
    source.passOn();
    return streamAnswer(body, stream.mediaType, tally);
  }
  // Nothing was written before the end, so the whole result is there already.
  let text = "";
  for await (const piece of body) text += piece;
  const { fault } = await stream.summary;
  if (fault !== undefined) throw fault;
  return textAnswer(text, stream.mediaType, { [lossesHeader]: tally.header });
}

async function* counted(
  stream: ConversionStream,
  tally: LossTally,
  exchange: Exchange,
): AsyncGenerator<string, void> {
  yield* stream;
  const { losses, fault } = await stream.summary;
  tally.add(losses);
  if (fault !== undefined) exchange.note({ code: fault.code });
}

/**
 * The body of an exchange, counted for as long as all of it is held: until the first piece of the output, which is
 * written when the source can be passed on, or at its end.
 */
class HeldBody implements AsyncIterable<Uint8Array> {
  readonly #exchange: Exchange;
  readonly #maxBytes: number;
  #held = 0;
  #isHeld = true;
  #isAtEnd = false;

  constructor(exchange: Exchange, maxBytes: number) {
    this.#exchange = exchange;
    this.#maxBytes = maxBytes;
  }

  get isAtEnd(): boolean {
    return this.#isAtEnd;
  }

  /** From now on what comes is passed on. */
  passOn(): void {
    this.#isHeld = false;
    this.#exchange.release(this.#held);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    try {
      for await (const chunk of this.#exchange.chunks()) {
        if (this.#isHeld) this.#hold(chunk.length);
        yield chunk;
      }
    } finally {
      this.#isAtEnd = true;
    }
  }

  #hold(bytes: number): void {
    if (this.#held + bytes > this.#maxBytes) throw tooLarge(this.#maxBytes);
    this.#exchange.hold(bytes);
    this.#held += bytes;
  }
}
