import type { Part, ToolResult } from "./ir.ts";
import type { LossCode } from "./losses.ts";

/** One row of the matrix: a result that says one thing beyond its baseline, the same result without it. */
export interface Sample {
  readonly name: string;
  readonly result: ToolResult;
  readonly baseline: ToolResult;
  /** A loss that the baseline may have as well, and that this row is about all the same. */
  readonly about?: LossCode;
}

const toolCallId = "call-1";
const baseline: ToolResult = { toolCallId, content: [] };

const field = (name: string, said: Partial<ToolResult>): Sample => ({
  name,
  result: { ...baseline, ...said },
  baseline,
});
const part = (name: string, one: Part): Sample => field(name, { content: [one] });

// The first bytes of each file are true to its type, since a conversion looks at them (R61).
const png = "iVBORw0KGgo=";
const pdf = "JVBERi0xLjcK";
const zip = "UEsDBAoAAAA=";
const mp3 = "SUQzBAAAAAA=";
const mp4 = "AAAAGGZ0eXBtcDQy";

/** What a result can say, one thing at a time. */
export const samples: readonly Sample[] = [
  part("text", { type: "text", text: "sunny" }),
  part("text for the user only", { type: "text", text: "sunny", audience: ["user"] }),
  part("text for the model only", { type: "text", text: "sunny", audience: ["assistant"] }),
  part("text with priority", { type: "text", text: "sunny", priority: 0.5 }),
  part("text with metadata", { type: "text", text: "sunny", meta: { source: "station" } }),
  part("json object", { type: "json", value: { degrees: 21 } }),
  part("json array", { type: "json", value: [21, 22] }),
  part("json scalar", { type: "json", value: 21 }),
  part("image bytes", { type: "media", kind: "image", mimeType: "image/png", data: png }),
  part("audio bytes", { type: "media", kind: "audio", mimeType: "audio/mpeg", data: mp3 }),
  part("video bytes", { type: "media", kind: "video", mimeType: "video/mp4", data: mp4 }),
  part("pdf bytes", {
    type: "media",
    kind: "file",
    mimeType: "application/pdf",
    fileName: "report.pdf",
    data: pdf,
  }),
  part("zip bytes", {
    type: "media",
    kind: "file",
    mimeType: "application/zip",
    fileName: "all.zip",
    data: zip,
  }),
  part("document of text", {
    type: "media",
    kind: "file",
    mimeType: "text/plain",
    fileName: "note.txt",
    text: "sunny",
  }),
  part("stored file", {
    type: "media",
    kind: "image",
    mimeType: "image/png",
    stored: { uri: "s3://bucket/map.png" },
  }),
  part("hyperlink", { type: "link", kind: "hyperlink", url: "https://example.org/" }),
  part("link to an image", {
    type: "link",
    kind: "image",
    url: "https://example.org/map.png",
    mimeType: "image/png",
  }),
  part("resource link", {
    type: "link",
    kind: "resource",
    url: "https://example.org/map.svg",
    name: "map.svg",
  }),
  part("resource of text", {
    type: "resource",
    uri: "file:///note.txt",
    mimeType: "text/plain",
    text: "sunny",
  }),
  part("resource of bytes", {
    type: "resource",
    uri: "file:///report.pdf",
    mimeType: "application/pdf",
    data: pdf,
  }),
  part("citations", { type: "citations", sources: [{ document_name: "Almanac", content: "sunny" }] }),
  part("unknown block", { type: "opaque", adapter: "example", value: { hologram: 1 } }),
  field("structuredContent object", { structuredContent: { degrees: 21 } }),
  field("structuredContent array", { structuredContent: [21, 22] }),
  field("structuredContent scalar", { structuredContent: 21 }),
  field("status error", { status: "error" }),
  field("error", { status: "error", error: { message: "no such city", type: "ValueError", code: "E7" } }),
  field("widget", { widget: { type: "form", fields: [] } }),
  field("metadata", { meta: { source: "station" } }),
  field("logs", { logs: [{ id: "step-1", label: "ask the station", status: "success", data: {} }] }),
  // Without an id, a target that demands one derives it, and loses that one on the way on.
  { name: "call id", result: baseline, baseline: { content: [] }, about: "call-id-dropped" },
];
