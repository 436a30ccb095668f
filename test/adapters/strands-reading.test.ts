import { describe, expect, test } from "vitest";
import { strandsAdapter } from "../../adapters/strands/index.ts";
import type { Input } from "../../src/converter.ts";
import type { ErrorCode } from "../../src/errors.ts";
import type { Part } from "../../src/ir.ts";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import { stringify } from "../../src/json/stringify.ts";
import {
  bare,
  between,
  canonical,
  converter,
  failure,
  partOf,
  pdf,
  png,
  read,
  written,
} from "./strands-helpers.ts";

describe("accepted envelopes", () => {
  const result = bare({ text: "a" });
  const wrapped = { toolResult: result };
  const message = { role: "user", content: [{ text: "beside" }, wrapped], tracking_id: "u" };
  const typed = {
    type: "toolResultBlock",
    ...result,
    content: [{ type: "textBlock", text: "a" }],
    error: {},
  };

  test.each<[string, JsonValue]>([
    ["a bare result", result],
    ["a wrapped one", wrapped],
    ["the class form", typed],
    ["a class with data blocks", { type: "toolResultBlock", ...result }],
    ["a message", message],
    ["a message of the class form", { role: "user", content: [typed] }],
    ["a list of messages", [{ role: "assistant", content: [{ text: "b" }] }, message]],
    [
      "afterToolCallEvent",
      { type: "afterToolCallEvent", toolUse: {}, result: wrapped, error: { message: "x" } },
    ],
    ["toolResultEvent", { type: "toolResultEvent", result: typed }],
    ["afterToolsEvent", { type: "afterToolsEvent", message }],
    ["messageAddedEvent", { type: "messageAddedEvent", message }],
    ["Python's message event", { message }],
    ["a session message", { message, message_id: 0, redact_message: null, created_at: "T", updated_at: "T" }],
    ["a Converse request", { modelId: "m", messages: [message] }],
    [
      "Python's snapshot",
      { scope: "agent", schema_version: "1.0", data: { messages: [message] }, app_data: {} },
    ],
    ["TypeScript's snapshot", { scope: "agent", schemaVersion: "1.0", data: { messages: [message] } }],
    ["lines of JSON", `{"init_event_loop":true}\n${JSON.stringify({ message })}\n`],
    [
      "server-sent events",
      `: hi\r\nevent: x\r\ndata: {"start":true}\r\n\r\ndata:${JSON.stringify({ message })}\r\n\r\n`,
    ],
    ["a last event without its blank line", `data: ${JSON.stringify(wrapped)}`],
    ["a document laid out over lines", JSON.stringify([wrapped], null, 2)],
  ])("%s", (_, input) => {
    expect(read(input)).toEqual({
      toolCallId: "call-1",
      status: "success",
      content: [{ type: "text", text: "a" }],
    });
    expect(canonical(input)).toEqual(result);
    expect(canonical(input, "bedrock")).toEqual(wrapped);
  });

  test("a message holds several results, of which the caller names one", () => {
    const other = { toolResult: { ...result, toolUseId: "call-2" } };
    const several = { role: "user", content: [wrapped, other] };
    expect(converter.convertAll(several, { from: "strands", to: "ir" })).toHaveLength(2);
    const { output } = converter.convert(several, { from: "strands", to: "strands", toolCallId: "call-2" });
    expect(output).toHaveProperty("toolUseId", "call-2");
    expect(failure(() => canonical(several)).code).toBe("many-results");
  });

  test.each<[string, Input, ErrorCode, string]>([
    ["an object of another kind", { a: 1 }, "invalid-payload", ""],
    ["no content", { toolUseId: "t", status: "success" }, "invalid-payload", ""],
    [
      "content that is a text",
      { toolUseId: "t", status: "success", content: "<html>" },
      "invalid-payload",
      "/content",
    ],
    [
      "content null inside a wrapper",
      { toolResult: { content: null } },
      "invalid-payload",
      "/toolResult/content",
    ],
    ["an id that is a number", { ...result, toolUseId: 5 }, "invalid-payload", "/toolUseId"],
    ["metadata that is a text", { ...result, metadata: "x" }, "invalid-payload", "/metadata"],
    ["an event that is Python's spelling", `data: "{'message': ...b'..'}"\n\n`, "invalid-payload", "/0"],
    ["a line that is Python's spelling", `{"a":1}\n"{'message': 1}"\n`, "invalid-payload", "/1"],
    ["a broken line", `{"a":1}\n{"a":\n`, "invalid-json", "/1/a"],
    [
      "a doubled key of the envelope",
      `{"status":"success","status":"error","content":[]}`,
      "duplicate-key",
      "/status",
    ],
  ])("%s is refused", (_, input, code, pointer) => {
    expect(failure(() => read(input))).toEqual({ code, pointer });
  });

  test("an envelope without a result says so", () => {
    const { code } = failure(() =>
      converter.convert({ role: "user", content: [] }, { from: "strands", to: "ir" }),
    );
    expect(code).toBe("result-not-found");
  });

  test("one event over the limit is refused", () => {
    const text = `{"a":1}\n${JSON.stringify(wrapped)}\n`;
    const options = { from: "strands", to: "ir", limits: { maxLineBytes: 20 } } as const;
    expect(failure(() => converter.convert(text, options))).toEqual({ code: "line-too-long", pointer: "/1" });
  });

  test("a doubled key of a payload is a loss", () => {
    const text = `{"toolUseId":"t","status":"success","content":[{"json":{"a":1,"a":2}}]}`;
    const { output, losses } = converter.convert(text, { from: "strands", to: "strands" });
    expect(stringify(output)).toContain('{"json":{"a":2}}');
    expect(losses.map(({ code }) => code)).toEqual(["duplicate-key"]);
  });
});

describe("accepted blocks", () => {
  const location = { type: "s3", uri: "s3://b/k.pdf", bucketOwner: "123456789012" };
  const document = (fields: JsonObject) => ({ document: { format: "pdf", name: "n", ...fields } });
  const media = { type: "media", kind: "file", mimeType: "application/pdf", fileName: "n" } as const;
  const stored = { uri: "s3://b/k.pdf", owner: "123456789012" };

  test.each<[string, JsonValue, Part]>([
    ["a document of bytes", document({ source: { bytes: pdf } }), { ...media, data: pdf }],
    ["a document of text", document({ source: { text: "t" } }), { ...media, text: "t" }],
    [
      "a document of texts",
      document({ source: { content: [{ text: "a" }, { type: "textBlock", text: "b" }] } }),
      { ...media, texts: ["a", "b"] },
    ],
    ["a document in S3", document({ source: { location } }), { ...media, stored }],
    [
      "Bedrock's spelling of S3",
      document({ source: { s3Location: { uri: "s3://b/k.pdf", bucketOwner: "123456789012" } } }),
      { ...media, stored },
    ],
    [
      "the class form of a document",
      {
        type: "documentBlock",
        name: "n",
        format: "pdf",
        source: { type: "documentSourceS3Location", location },
      },
      { ...media, stored },
    ],
    [
      "null optionals",
      document({ source: { bytes: pdf, location: null }, citations: null, context: null }),
      { ...media, data: pdf },
    ],
    [
      "citations and context",
      document({ source: { bytes: pdf }, citations: { enabled: true }, context: "c" }),
      { ...media, data: pdf, extensions: { strands: { citations: { enabled: true }, context: "c" } } },
    ],
    [
      "an image by URL",
      { image: { format: "png", source: { url: "https://e.x/a" } } },
      { type: "link", kind: "image", url: "https://e.x/a", mimeType: "image/png" },
    ],
    [
      "a class image with stringified bytes",
      { type: "imageBlock", format: "png", source: { type: "imageSourceBytes", bytes: { "0": 1 } } },
      { type: "media", kind: "image", mimeType: "image/png", data: "AQ==" },
    ],
    [
      "an audio",
      { audio: { format: "mp3", source: { bytes: "AQ==" } } },
      {
        type: "media",
        kind: "audio",
        mimeType: "audio/mpeg",
        data: "AQ==",
        extensions: { strands: { block: "audio", format: "mp3" } },
      },
    ],
    [
      "an unknown format",
      { image: { format: "tiff", source: { bytes: "AQ==" } } },
      {
        type: "media",
        kind: "image",
        data: "AQ==",
        extensions: { strands: { block: "image", format: "tiff" } },
      },
    ],
    [
      "unknown keys at each level",
      { image: { format: "png", filename: "f", source: { bytes: png, a: 1 } }, b: 2 },
      {
        type: "media",
        kind: "image",
        mimeType: "image/png",
        data: png,
        extensions: { strands: { extra: { b: 2 }, mediaExtra: { filename: "f" }, sourceExtra: { a: 1 } } },
      },
    ],
    ["a raw array", { json: [1] }, { type: "json", value: [1], extensions: { strands: { raw: true } } }],
    [
      "a class json block",
      { type: "jsonBlock", json: null },
      { type: "json", value: null, extensions: { strands: { raw: true } } },
    ],
  ])("%s", (_, block, part) => {
    const result = bare(block);
    expect(read(result).content).toEqual([part]);
    const { output, losses } = converter.convert(result, { from: "strands:python", to: "strands:python" });
    expect(JSON.parse(stringify(output))).toEqual(canonical(result));
    expect(losses).toEqual([]);
  });

  test.each<[string, JsonValue]>([
    ["an empty block", {}],
    ["null", null],
    ["a text that is a number", { text: 5 }],
    ["a text that is null", { text: null }],
    ["a search result", { searchResult: { source: "s", title: "t", content: [{ text: "c" }] } }],
    ["an unknown block", { hologram: { depth: 3 } }],
    ["an image without a source", { image: { format: "png" } }],
    ["an image with two sources", { image: { format: "png", source: { bytes: png, url: "u" } } }],
    [
      "a location of another type",
      { image: { format: "png", source: { location: { type: "url", uri: "https://e.x/a" } } } },
    ],
    [
      "bytes that only look encoded",
      { image: { format: "png", source: { bytes: { __bytes_encoded__: 1, data: png } } } },
    ],
  ])("%s is opaque and does not fail the result", (_, block) => {
    const result = bare({ text: "before" }, block);
    expect(read(result).content).toEqual([
      { type: "text", text: "before" },
      { type: "opaque", adapter: "strands", value: block },
    ]);
    expect(canonical(result)).toEqual(result);
  });

  test("a block of an unknown type that is for the user only is withheld from others", () => {
    const block = { hologram: "secret", annotations: { audience: ["user"] } };
    const { output } = converter.convert(bare(block), {
      from: "strands",
      to: "watsonx:openapi",
      carry: "off",
    });
    expect(stringify(output)).not.toContain("secret");
  });

  test.each<[string, JsonObject]>([
    ["of another type", { hologram: "secret" }],
    ["of another shape", { text: 1 }],
    ["of the class form", { type: "hologramBlock", secret: 1 }],
    ["that Strands knows and does not read", { searchResult: {} }],
  ])("a block %s with an audience that is no list of roles is refused", (_name, block) => {
    for (const audience of ["user", ["user", 1], {}, 0]) {
      const document = bare({ ...block, annotations: { audience } });
      const place = { code: "invalid-payload", pointer: "/content/0/annotations/audience" };
      expect(failure(() => read(document))).toEqual(place);
      expect(failure(() => canonical(document))).toEqual(place);
    }
    const value = { ...block, annotations: { audience: null } };
    expect(partOf(value)).toEqual({ type: "opaque", adapter: "strands", value });
  });
});

describe("MCP blocks in json (R56)", () => {
  test.each<[string, JsonObject, Part]>([
    [
      "an audio",
      { type: "audio", data: "AQ==", mimeType: "audio/wav" },
      { type: "media", kind: "audio", mimeType: "audio/wav", data: "AQ==" },
    ],
    [
      "an SVG image",
      { type: "image", data: "AQ==", mimeType: "image/svg+xml" },
      { type: "media", kind: "image", mimeType: "image/svg+xml", data: "AQ==" },
    ],
    [
      "an image that Strands has a block for",
      { type: "image", data: png, mimeType: "image/png", annotations: { audience: ["user"] } },
      {
        type: "media",
        kind: "image",
        mimeType: "image/png",
        data: png,
        audience: ["user"],
        extensions: { strands: { json: true } },
      },
    ],
    [
      "a resource",
      { type: "resource", resource: { uri: "file:///a", text: "t" }, _meta: { k: 1 } },
      { type: "resource", uri: "file:///a", text: "t", meta: { k: 1 } },
    ],
    [
      "a resource link",
      { type: "resource_link", uri: "s3://b/k", name: "n" },
      { type: "link", kind: "resource", url: "s3://b/k", name: "n" },
    ],
  ])("%s is the file it says, and is written back verbatim", (_, json, part) => {
    const result = bare({ json });
    expect(read(result).content).toEqual([part]);
    for (const dialect of ["python", "typescript", "bedrock"] as const) {
      const { output } = between(result, "python", dialect);
      expect(JSON.parse(stringify(output))).toEqual(canonical(result, dialect));
    }
  });

  test.each<[string, JsonObject]>([
    ["a text", { type: "text", text: "a" }],
    ["an unknown key", { type: "resource_link", uri: "u", name: "n", more: 1 }],
    ["invalid base64", { type: "image", data: "not base64!", mimeType: "image/png" }],
    [
      "an unknown role",
      { type: "image", data: "AQ==", mimeType: "image/png", annotations: { audience: ["system"] } },
    ],
  ])("%s is JSON", (_, json) => {
    expect(partOf({ json })).toEqual({ type: "json", value: json });
  });

  test("a value of another format that would be read as a file is written as text", () => {
    for (const value of [{ type: "image", data: "AQ==", mimeType: "image/png" }, { $value: [1] }]) {
      const { block, codes } = written({ type: "json", value }, "python");
      expect(block).toEqual({ text: stringify(value) });
      expect(codes).toEqual(["json-as-text"]);
    }
  });
});

describe("detect", () => {
  test.each<[string, Input, string | undefined]>([
    ["a bare result", bare({ text: "a" }), "python"],
    ["a result without an id", { status: "error", content: [{ text: "a" }] }, "python"],
    ["a class", { type: "toolResultBlock", ...bare() }, "typescript"],
    [
      "Bedrock's location",
      { toolResult: bare({ image: { format: "png", source: { s3Location: { uri: "s3://b/k" } } } }) },
      "bedrock",
    ],
    [
      "Python's bytes",
      {
        toolResult: bare({
          image: { format: "png", source: { bytes: { __bytes_encoded__: true, data: png } } },
        }),
      },
      "python",
    ],
    ["a wrapped result", { toolResult: bare({ text: "a" }) }, undefined],
    ["lines", `{"start":true}\n${JSON.stringify({ toolResult: bare() })}`, undefined],
  ])("recognises %s", (_, input, dialect) => {
    const detection = converter.detect(input);
    expect(detection).toMatchObject({ outcome: "recognised", format: "strands" });
    expect(detection).toHaveProperty("evidence");
    expect("dialect" in detection ? detection.dialect : undefined).toBe(dialect);
  });

  test.each<[string, JsonValue]>([
    ["a message of texts", { role: "user", content: [{ text: "a" }] }],
    ["an MCP result", { content: [{ type: "text", text: "a" }] }],
    ["a list of numbers", [1, 2]],
  ])("does not claim %s", (_, document) => {
    expect(strandsAdapter.detect(document)).toEqual([]);
  });

  test("a bare list of content is only possible", () => {
    expect(strandsAdapter.detect({ content: [{ text: "a" }] })).toMatchObject([{ confidence: "possible" }]);
  });
});
