/** What the core needs of a runtime. Both implementations give the same answers; they differ in speed. */
export interface Platform {
  /** Throws a `TypeError` when the bytes are not UTF-8, instead of putting U+FFFD. A byte order mark is kept. */
  decodeUtf8(bytes: Uint8Array): string;
  /** Throws a `TypeError` at a lone surrogate, which UTF-8 cannot hold, instead of writing U+FFFD (R7). */
  encodeUtf8(text: string): Uint8Array;
  /** Throws a `TypeError` for any text that `isBase64` refuses. */
  decodeBase64(text: string): Uint8Array;
  /** Standard alphabet, padded, no line breaks. */
  encodeBase64(bytes: Uint8Array): string;
  /**
   * Whether a text is what `encodeBase64` writes for some bytes: standard alphabet, padded, nothing between, the
   * unused bits of the last character zero. The empty text is.
   */
  isBase64(text: string): boolean;
}

/** The errors of every implementation. Messages never quote the payload. */
export const platformMessages = {
  utf8: "The bytes are not UTF-8.",
  surrogate: "The text holds a lone surrogate, which UTF-8 cannot hold.",
  base64: "The text is not padded standard base64.",
} as const;
