import { platform } from "./index.ts";

/**
 * Joins base64 texts to the base64 of all their bytes, piece by piece. A slice of 8,192 bytes does not end at a group
 * of three, so such texts cannot simply be put together; at most two bytes wait for the next piece.
 */
export class Base64Aligner {
  #rest: Uint8Array = new Uint8Array(0);

  /** Takes padded standard base64; returns the text that is complete now. */
  push(data: string): string {
    if (this.#rest.length === 0 && !data.endsWith("=")) return data;
    const bytes = platform.decodeBase64(data);
    const joined = new Uint8Array(this.#rest.length + bytes.length);
    joined.set(this.#rest);
    joined.set(bytes, this.#rest.length);
    const whole = joined.length - (joined.length % 3);
    this.#rest = joined.slice(whole);
    return platform.encodeBase64(joined.subarray(0, whole));
  }

  /** What is left, padded. */
  finish(): string {
    const rest = this.#rest;
    this.#rest = new Uint8Array(0);
    return platform.encodeBase64(rest);
  }
}
