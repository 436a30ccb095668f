import { platform } from "./index.ts";

/** Base64 in one spelling (R60). */
export interface NormalisedBase64 {
  /** Padded standard base64; the very text that was given where that was it already. */
  readonly data: string;
  /** Whether the spelling was another one. */
  readonly changed: boolean;
  /** The MIME type that a `data:` URL named, without its parameters. */
  readonly mimeType?: string;
}

/**
 * Reads base64 in every spelling that stands for certain bytes: standard or URL alphabet, with or without padding,
 * line breaks and blanks anywhere, non-zero unused bits in the last character, or a `data:` URL with `;base64`.
 * `undefined` for anything else, a mix of both alphabets included: garbage is never taken for empty bytes (R60).
 */
export function normaliseBase64(text: string): NormalisedBase64 | undefined {
  if (platform.isBase64(text)) return { data: text, changed: false };
  const url = /^\s*data:/i.test(text.slice(0, 64)) ? readDataUrl(text) : { body: text };
  if (url === undefined) return undefined;
  const data = standardSpelling(url.body);
  if (data === undefined) return undefined;
  return url.mimeType === undefined
    ? { data, changed: true }
    : { data, changed: true, mimeType: url.mimeType };
}

/** The bytes that padded standard base64 stands for, counted without decoding. */
export function base64Length(data: string): number {
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  return Math.floor(data.length / 4) * 3 - padding;
}

/** The first `count` bytes of padded standard base64, fewer where it has fewer; the rest is not looked at. */
export function leadingBytes(data: string, count: number): Uint8Array {
  return platform.decodeBase64(data.slice(0, Math.ceil(count / 3) * 4)).subarray(0, count);
}

/** Beginnings of files that name their type; `undefined` stands for any byte. */
const signatures: readonly (readonly [mimeType: string, bytes: readonly (number | undefined)[]])[] = [
  ["image/png", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ["image/jpeg", [0xff, 0xd8, 0xff]],
  ["image/gif", [0x47, 0x49, 0x46, 0x38, 0x37, 0x61]],
  ["image/gif", [0x47, 0x49, 0x46, 0x38, 0x39, 0x61]],
  [
    "image/webp",
    [0x52, 0x49, 0x46, 0x46, undefined, undefined, undefined, undefined, 0x57, 0x45, 0x42, 0x50],
  ],
  ["application/pdf", [0x25, 0x50, 0x44, 0x46, 0x2d]],
];

/** The MIME type that the first bytes of padded standard base64 tell: PNG, JPEG, GIF, WebP or PDF. */
export function sniffMimeType(data: string): string | undefined {
  const head = leadingBytes(data, 12);
  return signatures.find(([, bytes]) =>
    bytes.every((byte, index) => byte === undefined || byte === head[index]),
  )?.[0];
}

function readDataUrl(text: string): { readonly body: string; readonly mimeType?: string } | undefined {
  const comma = text.indexOf(",");
  if (comma < 0) return undefined;
  const header = text.slice(text.indexOf(":") + 1, comma);
  const [mimeType = "", ...parameters] = header.split(";").map((part) => part.trim());
  if (parameters.at(-1)?.toLowerCase() !== "base64") return undefined;
  const body = decodePercents(text.slice(comma + 1));
  if (body === undefined) return undefined;
  return mimeType === "" ? { body } : { body, mimeType: mimeType.toLowerCase() };
}

/** `undefined` where a percent sign stands before no byte. */
function decodePercents(text: string): string | undefined {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function standardSpelling(text: string): string | undefined {
  const joined = text.replaceAll(/[ \t\n\f\r]+/g, "");
  const isUrlAlphabet = joined.includes("-") || joined.includes("_");
  if (isUrlAlphabet && (joined.includes("+") || joined.includes("/"))) return undefined;
  const standard = isUrlAlphabet ? joined.replaceAll("-", "+").replaceAll("_", "/") : joined;
  const padding = standard.endsWith("==") ? 2 : standard.endsWith("=") ? 1 : 0;
  const body = standard.slice(0, standard.length - padding);
  const missing = (4 - (body.length % 4)) % 4;
  if (missing === 3 || padding > missing) return undefined;
  const data = clearUnusedBits(body, missing) + "=".repeat(missing);
  return platform.isBase64(data) ? data : undefined;
}

/** Lenient writers leave rubbish in the bits of the last character that belong to no byte; readers ignore them. */
function clearUnusedBits(body: string, missing: number): string {
  if (missing === 0) return body;
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const value = alphabet.indexOf(body.charAt(body.length - 1));
  const unused = missing === 1 ? 0b11 : 0b1111;
  return (value & unused) === 0 || value < 0 ? body : body.slice(0, -1) + alphabet.charAt(value & ~unused);
}
