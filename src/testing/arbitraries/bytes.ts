import * as fc from "fast-check";
import { platform } from "../../platform/index.ts";

/** Leading bytes by which a file type is known, and types that are never recognised by them (R61). */
const heads: Readonly<Record<string, readonly number[]>> = {
  "image/png": [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
  "image/jpeg": [0xff, 0xd8, 0xff, 0xe0],
  "image/gif": [0x47, 0x49, 0x46, 0x38, 0x39, 0x61],
  "image/webp": [0x52, 0x49, 0x46, 0x46, 4, 0, 0, 0, 0x57, 0x45, 0x42, 0x50],
  "application/pdf": [0x25, 0x50, 0x44, 0x46, 0x2d, 0x31, 0x2e, 0x37],
  "application/zip": [0x50, 0x4b, 3, 4],
  "image/svg+xml": [...new TextEncoder().encode("<svg/>")],
  "text/csv": [...new TextEncoder().encode("a;é\n")],
};

export interface SampleFile {
  readonly bytes: Uint8Array;
  /** The type that the bytes have, where they show one. */
  readonly mimeType: string | undefined;
}

/** Small files with true, recognisable headers, and bytes of no kind, none included. */
export const files: fc.Arbitrary<SampleFile> = fc
  .tuple(fc.constantFrom(undefined, undefined, ...Object.keys(heads)), fc.uint8Array({ maxLength: 6 }))
  .map(([mimeType, tail]) => ({
    mimeType,
    bytes: mimeType === undefined ? tail : Uint8Array.from([...(heads[mimeType] ?? []), ...tail]),
  }));

/** Bytes of a file as padded standard base64. */
export function base64(bytes: Uint8Array): string {
  return platform.encodeBase64(bytes);
}

/** Padded standard base64 of small files. */
export const base64Texts: fc.Arbitrary<string> = files.map((file) => base64(file.bytes));

/** The other spellings of base64 that are read as the same bytes (R60), and the standard one. */
export function base64Spellings(bytes: Uint8Array): fc.Arbitrary<string> {
  const standard = base64(bytes);
  return fc.constantFrom(
    standard,
    standard.replaceAll("=", ""),
    standard.replaceAll("+", "-").replaceAll("/", "_"),
    standard.replace(/^(.{4})(?=.)/, "$1\r\n"),
  );
}

/** Declared types: true for some bytes, wrong for others, odd in spelling, with parameters, unknown. */
export const mimeTypes: fc.Arbitrary<string> = fc.constantFrom(
  ...Object.keys(heads),
  "image/jpg",
  "IMAGE/PNG",
  "image/bmp",
  "text/plain",
  "text/plain; charset=utf-8",
  "text/markdown",
  "text/html",
  "application/json",
  "application/octet-stream",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  "application/vnd.ms-excel",
  "audio/mpeg",
  "audio/wav",
  "video/mp4",
  "video/quicktime",
  "video/3gpp",
  "x-made/up+thing",
);

/** File names with what names should not have: directories, other alphabets, blanks, no extension, none at all. */
export const fileNames: fc.Arbitrary<string> = fc.constantFrom(
  "report.pdf",
  "Q1 report.v2.pdf",
  "分期.pdf",
  "../../etc/passwd",
  "C:\\Users\\me\\photo.PNG",
  "  two  blanks .txt",
  "archive.tar.gz",
  "noextension",
  ".hidden",
  "",
  "a%20b?c#d.csv",
  "naïve\u2028name.md",
  "x".repeat(230),
  "report.pdf",
);

/** Absolute URLs that need no signature, some with what Markdown or a URL parser could stumble over. */
export const urls: fc.Arbitrary<string> = fc.constantFrom(
  "https://example.com/",
  "https://example.com/a b/(c)<d>.png?x=1&y=[2]#z",
  "http://example.com/file.pdf",
  "https://example.com/東京.jpg",
  "HTTPS://EXAMPLE.COM/a\\b`c",
  "ftp://example.com/a",
  "mailto:a@example.com",
  "javascript:alert(1)",
  "file:///etc/passwd",
  "s3://bucket/key.pdf",
  "urn:isbn:1",
  "ui://widget/x",
);
