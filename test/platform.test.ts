import * as buffer from "node:buffer";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { base64Length, leadingBytes, normaliseBase64, sniffMimeType } from "../src/platform/base64.ts";
import { platform } from "../src/platform/index.ts";
import { nodePlatform } from "../src/platform/node.ts";
import { plainPlatform } from "../src/platform/plain.ts";

const node = nodePlatform(buffer);
const both = [
  ["plain", plainPlatform],
  ["node", node],
] as const;

/** The answer or the kind of error, so that two implementations can be compared. */
function outcome(run: () => unknown): unknown {
  try {
    const result = run();
    return result instanceof Uint8Array ? [...result] : result;
  } catch (error) {
    return error instanceof TypeError ? error.message : error;
  }
}

const base64Like = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9+/]{0,12}={0,3}$/),
  fc.stringMatching(/^[A-Za-z0-9+/=_\- ]{0,12}$/),
  fc.base64String(),
  fc.string({ unit: "binary" }),
);

describe("platforms", () => {
  test("the plain and the node platform give the same answers", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 40 }),
        fc.string({ unit: "binary" }),
        base64Like,
        (bytes, text, base64) => {
          for (const [run, other] of [
            [() => plainPlatform.decodeUtf8(bytes), () => node.decodeUtf8(bytes)],
            [() => plainPlatform.encodeUtf8(text), () => node.encodeUtf8(text)],
            [() => plainPlatform.encodeBase64(bytes), () => node.encodeBase64(bytes)],
            [() => plainPlatform.decodeBase64(base64), () => node.decodeBase64(base64)],
            [() => plainPlatform.isBase64(base64), () => node.isBase64(base64)],
          ] as const) {
            expect(outcome(run)).toEqual(outcome(other));
          }
        },
      ),
      { numRuns: 3000 },
    );
  });

  test.each(both)("%s: bytes survive base64, text survives UTF-8", (_name, one) => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.string({ unit: "grapheme" }), (bytes, text) => {
        const data = one.encodeBase64(bytes);
        expect(one.isBase64(data)).toBe(true);
        expect([...one.decodeBase64(data)]).toEqual([...bytes]);
        expect(base64Length(data)).toBe(bytes.length);
        expect(one.decodeUtf8(one.encodeUtf8(text))).toBe(text);
      }),
    );
  });

  test.each(both)("%s: refuses what UTF-8 cannot say, and keeps a byte order mark", (_name, one) => {
    for (const bytes of [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xe2, 0x82], [0xf4, 0x90, 0x80, 0x80]]) {
      expect(() => one.decodeUtf8(new Uint8Array(bytes))).toThrow(TypeError);
    }
    expect(() => one.encodeUtf8("a\ud800")).toThrow(TypeError);
    expect(one.decodeUtf8(new Uint8Array([0xef, 0xbb, 0xbf, 0x7b]))).toBe("\ufeff{");
    expect(one.decodeUtf8(new Uint8Array([0x20, 0x61, 0x62]).subarray(1))).toBe("ab");
  });

  test.each(both)("%s: base64 is strict", (_name, one) => {
    for (const text of ["", "QQ==", "QUI=", "QUJD", "+/+/"]) expect(one.isBase64(text)).toBe(true);
    for (const text of [
      "Q",
      "QQ",
      "QQ=",
      "QR==",
      "QUJ=",
      "QUJD\n",
      "-_-_",
      "====",
      "=QQ=",
      "Q===",
      "QQ==QQ==",
      "QUJé",
    ]) {
      expect(one.isBase64(text)).toBe(false);
      expect(() => one.decodeBase64(text)).toThrow(TypeError);
    }
  });

  test.each(both)("%s: takes 20 MB without overflow", (_name, one) => {
    const bytes = new Uint8Array(20_000_000).map((_, index) => index * 31);
    const data = one.encodeBase64(bytes);
    expect(one.isBase64(data)).toBe(true);
    expect(Buffer.compare(one.decodeBase64(data), bytes)).toBe(0);
  });

  test("Node gets its native platform", () => {
    expect(platform.decodeUtf8.toString()).toBe(node.decodeUtf8.toString());
  });
});

describe("normaliseBase64", () => {
  test.each([
    ["standard text", "QUJDRA==", { data: "QUJDRA==", changed: false }],
    ["the empty text", "", { data: "", changed: false }],
    ["missing padding", "QUJDRA", { data: "QUJDRA==", changed: true }],
    ["half the padding", "QUJDRA=", { data: "QUJDRA==", changed: true }],
    ["base64url", "-_-_", { data: "+/+/", changed: true }],
    ["line breaks", "QUJD\r\nRA==\n", { data: "QUJDRA==", changed: true }],
    ["blanks", " QU JD ", { data: "QUJD", changed: true }],
    ["unused bits", "QR==", { data: "QQ==", changed: true }],
    ["a data URL", "data:image/png;base64,QUJD", { data: "QUJD", changed: true, mimeType: "image/png" }],
    [
      "parameters",
      "DATA:Text/Plain;charset=utf-8;BASE64,QUI",
      { data: "QUI=", changed: true, mimeType: "text/plain" },
    ],
    ["no MIME type", "data:;base64,QUI%3D", { data: "QUI=", changed: true }],
  ])("reads %s", (_name, text, expected) => {
    expect(normaliseBase64(text)).toEqual(expected);
  });

  test.each([
    "!",
    "Q",
    "QQ===",
    "QQ=Q",
    "+_+_",
    "QUJDR",
    "é",
    "data:image/png,QUJD",
    "data:image/png;base64",
    "data:;base64,%",
    "=",
    "QUJD=",
  ])("refuses %j", (text) => {
    expect(normaliseBase64(text)).toBeUndefined();
  });

  test("every spelling gives the same bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const data = platform.encodeBase64(bytes);
        const url = data.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
        for (const text of [
          data,
          url,
          data.replaceAll(/.{4}/g, "$&\n"),
          `data:;base64,${encodeURIComponent(data)}`,
        ]) {
          expect(normaliseBase64(text)?.data).toBe(data);
        }
      }),
    );
  });

  test("takes 40 MB of line breaks, blanks and garbage", () => {
    const line = `${"QUJD".repeat(19)}\r\n`;
    expect(normaliseBase64(line.repeat(500_000))?.data.length).toBe(38_000_000);
    expect(normaliseBase64(" ".repeat(40_000_000))?.data).toBe("");
    expect(normaliseBase64("%".repeat(40_000_000))).toBeUndefined();
    expect(normaliseBase64("=".repeat(40_000_000))).toBeUndefined();
  });
});

describe("leadingBytes and sniffMimeType", () => {
  test("decode only the head", () => {
    expect([...leadingBytes("QUJDRA==", 2)]).toEqual([0x41, 0x42]);
    expect([...leadingBytes("QUJDRA==", 9)]).toEqual([0x41, 0x42, 0x43, 0x44]);
    expect([...leadingBytes(`QUJD${"!".repeat(100)}`, 3)]).toEqual([0x41, 0x42, 0x43]);
  });

  test.each([
    ["image/png", "\x89PNG\r\n\x1a\n...."],
    ["image/jpeg", "\xff\xd8\xff\xe0"],
    ["image/gif", "GIF89a"],
    ["image/gif", "GIF87a"],
    ["image/webp", "RIFF\x00\x00\x00\x00WEBPVP8 "],
    ["application/pdf", "%PDF-1.7"],
    [undefined, "RIFF\x00\x00\x00\x00WAVE"],
    [undefined, "plain text"],
    [undefined, ""],
  ])("%s", (mimeType, head) => {
    expect(sniffMimeType(btoa(head))).toBe(mimeType);
  });
});
