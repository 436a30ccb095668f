import { type Platform, platformMessages } from "./platform.ts";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const padding = 0x3d;
const invalid = 0xff;

/** Character code to six bits; only codes below 128 have any. */
const sixBits = makeTable();

/** Six bits to character code. */
const alphabetCodes = Uint8Array.from(alphabet, (character) => character.charCodeAt(0));

/** A platform of the language alone, with `TextDecoder` and `TextEncoder`: browsers, workers, any runtime. */
export const plainPlatform: Platform = { decodeUtf8, encodeUtf8, decodeBase64, encodeBase64, isBase64 };

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new TypeError(platformMessages.utf8, { cause });
  }
}

function encodeUtf8(text: string): Uint8Array {
  if (!isWellFormed(text)) throw new TypeError(platformMessages.surrogate);
  return new TextEncoder().encode(text);
}

/** Whether every surrogate of a text has its partner. */
export function isWellFormed(text: string): boolean {
  const native = (text as { readonly isWellFormed?: () => boolean }).isWellFormed;
  return native === undefined ? !/\p{Surrogate}/u.test(text) : native.call(text);
}

function decodeBase64(text: string): Uint8Array {
  if (!isBase64(text)) throw new TypeError(platformMessages.base64);
  const characters = text.length - paddingLength(text);
  const bytes = new Uint8Array((characters * 3) >> 2);
  const whole = characters & ~3;
  let to = 0;
  for (let from = 0; from < whole; from += 4) {
    const high = (bits(text, from) << 6) | bits(text, from + 1);
    const group = (high << 12) | (bits(text, from + 2) << 6) | bits(text, from + 3);
    bytes[to] = group >> 16;
    bytes[to + 1] = group >> 8;
    bytes[to + 2] = group;
    to += 3;
  }
  const left = characters - whole;
  if (left >= 2) bytes[to] = (bits(text, whole) << 2) | (bits(text, whole + 1) >> 4);
  if (left === 3) bytes[to + 1] = (bits(text, whole + 1) << 4) | (bits(text, whole + 2) >> 2);
  return bytes;
}

/** Writes character codes and makes the text at once: a text grown piece by piece takes many times as long. */
function encodeBase64(bytes: Uint8Array): string {
  const codes = new Uint8Array(4 * Math.ceil(bytes.length / 3));
  let to = 0;
  for (let at = 0; at < bytes.length; at += 3) {
    const group = (byte(bytes, at) << 16) | (byte(bytes, at + 1) << 8) | byte(bytes, at + 2);
    codes[to] = code(group >> 18);
    codes[to + 1] = code((group >> 12) & 63);
    codes[to + 2] = code((group >> 6) & 63);
    codes[to + 3] = code(group & 63);
    to += 4;
  }
  const missing = (3 - (bytes.length % 3)) % 3;
  codes.fill(padding, codes.length - missing);
  return new TextDecoder().decode(codes);
}

function isBase64(text: string): boolean {
  if (text.length % 4 !== 0) return false;
  const left = paddingLength(text);
  const characters = text.length - left;
  for (let at = 0; at < characters; at += 1) {
    if (bits(text, at) === invalid) return false;
  }
  if (left === 0) return true;
  return (bits(text, characters - 1) & (left === 1 ? 0b11 : 0b1111)) === 0;
}

function paddingLength(text: string): number {
  if (text.length < 4 || text.charCodeAt(text.length - 1) !== padding) return 0;
  return text.charCodeAt(text.length - 2) === padding ? 2 : 1;
}

function bits(text: string, at: number): number {
  return sixBits[text.charCodeAt(at)] ?? invalid;
}

function code(sixBitValue: number): number {
  return alphabetCodes[sixBitValue] ?? invalid;
}

function byte(bytes: Uint8Array, at: number): number {
  return bytes[at] ?? 0;
}

function makeTable(): Uint8Array {
  const table = new Uint8Array(128).fill(invalid);
  for (let value = 0; value < alphabet.length; value += 1) table[alphabet.charCodeAt(value)] = value;
  return table;
}
