import * as fc from "fast-check";
import type { Part, ToolResult } from "../../ir.ts";
import { platform } from "../../platform/index.ts";
import { modelAudiences, toolResults } from "./ir.ts";

/** A result whose parts the model may read, each of which holds a mark that stands nowhere else. */
export interface Marked {
  readonly result: ToolResult;
  readonly marks: readonly string[];
}

/** Base64 of a text. */
export const base64OfText = (text: string): string => platform.encodeBase64(platform.encodeUtf8(text));

/** A part of each kind that holds the mark, in the form that is looked for. Opaque parts may become placeholders. */
const makers: readonly ((mark: string) => Part)[] = [
  (mark) => ({ type: "text", text: mark }),
  (mark) => ({ type: "text", text: `{"looks": "like JSON", "mark": "${mark}"}` }),
  (mark) => ({ type: "json", value: { mark } }),
  (mark) => ({ type: "json", value: [mark] }),
  (mark) => ({ type: "json", value: mark }),
  (mark) => ({ type: "media", kind: "image", mimeType: "image/png", data: base64OfText(mark) }),
  (mark) => ({ type: "media", kind: "image", mimeType: "image/svg+xml", data: base64OfText(mark) }),
  (mark) => ({ type: "media", kind: "audio", mimeType: "audio/mpeg", data: base64OfText(mark) }),
  (mark) => ({ type: "media", kind: "video", mimeType: "video/mp4", data: base64OfText(mark) }),
  (mark) => ({
    type: "media",
    kind: "file",
    mimeType: "application/pdf",
    fileName: "a.pdf",
    data: base64OfText(mark),
  }),
  (mark) => ({ type: "media", kind: "file", mimeType: "application/zip", data: base64OfText(mark) }),
  (mark) => ({ type: "media", kind: "file", data: base64OfText(mark) }),
  (mark) => ({ type: "media", kind: "file", mimeType: "text/plain", text: mark }),
  (mark) => ({ type: "media", kind: "file", fileName: mark, stored: { uri: `s3://bucket/${mark}` } }),
  (mark) => ({ type: "media", kind: "image", fileName: mark, stored: { uri: `/files/tools/${mark}` } }),
  (mark) => ({ type: "link", kind: "hyperlink", url: `https://example.com/${mark}` }),
  (mark) => ({ type: "link", kind: "image", url: `https://example.com/${mark}`, mimeType: "image/png" }),
  (mark) => ({ type: "link", kind: "resource", url: `ftp://example.com/${mark}`, name: mark }),
  (mark) => ({ type: "resource", uri: "file:///a.txt", text: mark }),
  (mark) => ({ type: "resource", uri: "file:///a.bin", data: base64OfText(mark) }),
  (mark) => ({ type: "citations", sources: [{ content: mark, document_name: mark }] }),
];

const markedParts = fc.tuple(
  fc.constantFrom(...makers),
  fc.option(modelAudiences, { nil: undefined }),
  fc.integer({ min: 0, max: 5 }),
);

export const markedResults: fc.Arbitrary<Marked> = fc
  .tuple(fc.array(markedParts, { minLength: 1, maxLength: 5 }), toolResults)
  .map(([chosen, { content: _, structuredContent: __, error: ___, widget: ____, ...rest }]) => {
    const marks = chosen.map((_, index) => `mark-${index}-end`);
    const content = chosen.map(([make, audience], index): Part => {
      const part = make(marks[index] ?? "");
      return audience === undefined ? part : { ...part, audience };
    });
    return { result: { ...rest, content }, marks };
  });
