/** Cuts text that comes in pieces into lines that end with LF, CR or CRLF; time linear in the text. */
export class LineSplitter {
  /** The unfinished line. */
  readonly #pieces: string[] = [];
  #length = 0;
  #afterCarriageReturn = false;

  /** UTF-16 units of the unfinished line. */
  get pending(): number {
    return this.#length;
  }

  /** The unfinished line, which costs its length to join. */
  get pendingText(): string {
    return this.#pieces.join("");
  }

  /** Calls `take` with each line that the chunk completes, without its end. */
  push(chunk: string, take: (line: string) => void): void {
    if (chunk === "") return;
    // The two halves of a CRLF may come in two chunks.
    let start = this.#afterCarriageReturn && chunk.startsWith("\n") ? 1 : 0;
    this.#afterCarriageReturn = false;
    let lineFeed = chunk.indexOf("\n", start);
    let carriageReturn = chunk.indexOf("\r", start);
    while (lineFeed >= 0 || carriageReturn >= 0) {
      const isReturn = carriageReturn >= 0 && (lineFeed < 0 || carriageReturn < lineFeed);
      const end = isReturn ? carriageReturn : lineFeed;
      this.#keep(chunk.slice(start, end));
      take(this.#release());
      start = end + 1;
      if (isReturn && start === chunk.length) this.#afterCarriageReturn = true;
      if (isReturn && lineFeed === start) start += 1;
      if (lineFeed >= 0 && lineFeed < start) lineFeed = chunk.indexOf("\n", start);
      if (carriageReturn >= 0 && carriageReturn < start) carriageReturn = chunk.indexOf("\r", start);
    }
    this.#keep(chunk.slice(start));
  }

  /** The last line, where the text does not end with the end of a line. */
  end(): string | undefined {
    return this.#length === 0 ? undefined : this.#release();
  }

  #keep(piece: string): void {
    if (piece === "") return;
    this.#pieces.push(piece);
    this.#length += piece.length;
  }

  #release(): string {
    const line = this.#pieces.join("");
    this.#pieces.length = 0;
    this.#length = 0;
    return line;
  }
}

/** Bytes of a text as UTF-8, a lone surrogate counted as three. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x80) continue;
    bytes += code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 1 : 2;
  }
  return bytes;
}
