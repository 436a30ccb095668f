/** One line of a batch, without its line break. */
export interface Line {
  /** From 1. */
  readonly number: number;
  /** `undefined` where the line is longer than the limit; such a line is skipped over, never held. */
  readonly bytes: Uint8Array | undefined;
}

/** The lines that end in one chunk of the input. */
export interface LineGroup {
  readonly lines: readonly Line[];
  /** Size of the chunk. */
  readonly bytes: number;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * The lines of a stream of bytes, grouped by the chunk that ends them. Lines end with LF or CRLF, the last one
 * also with the input. Holds no more than one line of `maxBytes`.
 */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<LineGroup> {
  const open = new OpenLine(maxBytes);
  let number = 0;
  for await (const chunk of chunks) {
    const lines: Line[] = [];
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      open.add(chunk.subarray(start, end));
      number += 1;
      lines.push({ number, bytes: open.close() });
      start = end + 1;
    }
    open.add(chunk.subarray(start));
    yield { lines, bytes: chunk.length };
  }
  if (!open.isEmpty) yield { lines: [{ number: number + 1, bytes: open.close() }], bytes: 0 };
}

/** Whether there is nothing but what JSON allows around a value: blanks, tabs, line feeds, carriage returns. */
export function isBlank(bytes: Uint8Array): boolean {
  return bytes.every(
    (byte) => byte === 0x20 || byte === 0x09 || byte === lineFeed || byte === carriageReturn,
  );
}

/** The line whose end has not come yet. */
class OpenLine {
  readonly #maxBytes: number;
  #pieces: Uint8Array[] = [];
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  add(piece: Uint8Array): void {
    this.#length += piece.length;
    if (this.#length <= this.#maxBytes) this.#pieces.push(piece);
    else this.#pieces = [];
  }

  close(): Uint8Array | undefined {
    const isHeld = this.#length <= this.#maxBytes;
    const [only] = this.#pieces;
    const bytes = this.#pieces.length === 1 && only !== undefined ? only : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#length = 0;
    if (!isHeld) return undefined;
    return bytes.at(-1) === carriageReturn ? bytes.subarray(0, -1) : bytes;
  }
}
