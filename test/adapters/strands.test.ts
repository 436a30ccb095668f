import { describe, expect, test } from "vitest";
import type { Part } from "../../src/ir.ts";
import type { JsonValue } from "../../src/json/json-value.ts";
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
  write,
  written,
} from "./strands-helpers.ts";

describe("rows of the format page", () => {
  test("strands 7.1 keeps the keys of an MCP result, and Bedrock gets its three fields", () => {
    const document = {
      ...bare({ text: "a" }),
      structuredContent: { a: 1 },
      metadata: { k: 1 },
      isError: false,
    };
    const result = read(document);
    expect(result.structuredContent).toEqual({ a: 1 });
    expect(result.meta).toEqual({ k: 1 });
    expect(result.extensions).toEqual({ strands: { extra: { isError: false } } });
    expect(canonical(document)).toEqual(document);
    const { output } = between(document, "python", "bedrock");
    expect(Object.keys((output as { readonly toolResult: object }).toolResult).sort()).toEqual([
      "content",
      "status",
      "toolUseId",
    ]);
  });

  test.each([0, false, "", [], {}, null])("strands 7.2 structured content %j is present", (value) => {
    const document = { ...bare(), structuredContent: value };
    expect(read(document)).toHaveProperty("structuredContent", value);
    expect(canonical(document)).toHaveProperty("structuredContent", value);
    expect(read(bare())).not.toHaveProperty("structuredContent");
  });

  test("strands 7.3 wraps an array, writes a scalar as its text, and reads the wrapper back", () => {
    for (const dialect of ["python", "typescript", "bedrock"] as const) {
      expect(written({ type: "json", value: [1, "a"] }, dialect)).toEqual({
        block: { json: { $value: [1, "a"] } },
        codes: [],
      });
      for (const [value, text] of [
        [null, "null"],
        ["a", '"a"'],
        [1.5, "1.5"],
      ] as const) {
        expect(written({ type: "json", value }, dialect)).toEqual({
          block: { text },
          codes: ["json-as-text"],
        });
      }
    }
    expect(partOf({ json: { $value: [1, "a"] } })).toEqual({ type: "json", value: [1, "a"] });
    expect(partOf({ json: { $value: [1], more: 1 } })).toEqual({
      type: "json",
      value: { $value: [1], more: 1 },
    });
    expect(partOf({ json: { $value: 1 } })).toEqual({ type: "json", value: { $value: 1 } });
  });

  test("strands 7.4 a missing status is written as success, another one is refused", () => {
    const { status: _, ...document } = bare();
    expect(read(document)).not.toHaveProperty("status");
    expect(canonical(document)).toHaveProperty("status", "success");
    for (const status of ["ok", 200, true, "", {}]) {
      expect(failure(() => read({ ...bare(), status }))).toEqual({
        code: "invalid-status",
        pointer: "/status",
      });
    }
  });

  test("strands 7.5 an error without content stays one, and nothing is put in", () => {
    const document = { toolUseId: "call-1", status: "error", content: [] };
    expect(read(document)).toEqual({ toolCallId: "call-1", status: "error", content: [] });
    for (const dialect of ["python", "typescript", "bedrock"] as const) {
      const { output } = write({ toolCallId: "call-1", status: "error", content: [] }, dialect);
      expect(stringify(output)).toContain('"status":"error","content":[]');
    }
    const filled = write({ toolCallId: "c", content: [] }, "python", { nonEmpty: true });
    expect(filled).toEqual({
      output: { toolUseId: "c", status: "success", content: [{ text: "" }] },
      codes: ["content-filled"],
    });
  });

  test("strands 7.6 the caller's id comes first, a missing one is derived, a foreign one gets an alias for Bedrock", () => {
    const named = write({ toolCallId: "source", content: [] }, "python", { toolCallId: "caller" });
    expect(named.output).toHaveProperty("toolUseId", "caller");
    const derived = write({ content: [] }, "python");
    expect(derived.output).toHaveProperty("toolUseId", expect.stringMatching(/^tooluse_[0-9a-f]{22}$/));
    expect(derived.codes).toEqual(["call-id-generated"]);
    const aliases = ["call|fc_1", `${"x".repeat(70)}1`, `${"x".repeat(70)}2`].map((toolCallId) => {
      const { output, codes } = write({ toolCallId, content: [] }, "bedrock");
      expect(codes).toEqual(["call-id-aliased"]);
      return (output as { readonly toolResult: { readonly toolUseId: string } }).toolResult.toolUseId;
    });
    for (const alias of aliases) expect(alias).toMatch(/^[a-zA-Z0-9_.:-]{1,64}$/);
    expect(new Set(aliases).size).toBe(3);
    expect(between({ ...bare(), toolUseId: "call|fc_1" }, "bedrock", "bedrock").codes).toEqual([]);
  });

  test.each<[string, JsonValue]>([
    ["base64", "AQL/"],
    ["Python's session form", { __bytes_encoded__: true, data: "AQL/" }],
    ["a Uint8Array as JSON", { "0": 1, "1": 2, "2": 255 }],
    ["a Buffer as JSON", { type: "Buffer", data: [1, 2, 255] }],
    ["numbers", [1, 2, 255]],
    ["base64url", "AQL_"],
    ["a data: URL", "data:image/png;base64,AQL/"],
  ])("strands 7.7 reads bytes as %s", (_, bytes) => {
    const document = bare({ image: { format: "png", source: { bytes } } });
    expect(read(document).content).toEqual([
      { type: "media", kind: "image", mimeType: "image/png", data: "AQL/" },
    ]);
    const image = (data: JsonValue) => ({ image: { format: "png", source: { bytes: data } } });
    expect(canonical(document)).toEqual(bare(image({ __bytes_encoded__: true, data: "AQL/" })));
    expect(canonical(document, "typescript")).toEqual({ toolResult: bare(image("AQL/")) });
  });

  test("strands 7.7 unpadded base64 is read, and garbage is never empty bytes", () => {
    expect(partOf({ image: { format: "png", source: { bytes: "AQ" } } })).toHaveProperty("data", "AQ==");
    for (const bytes of ["@@@", "A", "data:image/png,AQ"]) {
      const place = { code: "invalid-base64", pointer: "/content/0/image/source/bytes" };
      expect(failure(() => partOf({ image: { format: "png", source: { bytes } } }))).toEqual(place);
    }
    for (const bytes of [[256], [1.5], ["a"], { type: "Buffer", data: [-1] }]) {
      const { code } = failure(() => partOf({ image: { format: "png", source: { bytes } } }));
      expect(code).toBe("invalid-payload");
    }
  });

  test("strands 7.8 a user's payload in the spelling of bytes stays JSON", () => {
    const value = { __bytes_encoded__: true, data: "AQI=" };
    expect(partOf({ json: value })).toEqual({ type: "json", value });
    for (const dialect of ["python", "typescript", "bedrock"] as const) {
      expect(stringify(canonical(bare({ json: value }), dialect) as JsonValue)).toContain(
        stringify({ json: value }),
      );
    }
  });

  test("strands 7.9 a block with two content keys is refused under strict, else split in their order", () => {
    const document = bare({ text: "a", json: { b: 1 } });
    expect(failure(() => read(document, { mode: "strict" }))).toEqual({
      code: "contradictory-payload",
      pointer: "/content/0",
    });
    expect(read(document).content).toEqual([
      { type: "text", text: "a" },
      { type: "json", value: { b: 1 } },
    ]);
    expect(read(bare({ json: {}, text: "a" })).content.map(({ type }) => type)).toEqual(["json", "text"]);
    const [reading] = converter.parse(document, { from: "strands" });
    expect(reading?.losses.map(({ code, pointer }) => [code, pointer])).toEqual([
      ["block-split", "/content/0"],
    ]);
    expect(read(bare({ text: "a", image: null, document: null })).content).toEqual([
      { type: "text", text: "a" },
    ]);
  });

  test("strands 7.10 spellings of formats are one, and each dialect writes its own", () => {
    const image = (format: string) => bare({ image: { format, source: { bytes: png } } });
    for (const format of ["jpg", "jpeg", "JPG"]) {
      expect(read(image(format)).content[0]).toEqual({
        type: "media",
        kind: "image",
        mimeType: "image/jpeg",
        data: png,
      });
      expect(stringify(canonical(image(format), "typescript") as JsonValue)).toContain('"format":"jpeg"');
    }
    const video = (format: string) => bare({ video: { format, source: { bytes: "AQ==" } } });
    for (const format of ["3gp", "three_gp"]) {
      expect(read(video(format)).content[0]).toHaveProperty("mimeType", "video/3gpp");
      expect(stringify(canonical(video(format), "python") as JsonValue)).toContain('"format":"three_gp"');
      expect(stringify(canonical(video(format), "bedrock") as JsonValue)).toContain('"format":"three_gp"');
      expect(stringify(canonical(video(format), "typescript") as JsonValue)).toContain('"format":"3gp"');
    }
    for (const mimeType of ["image/jpg", "IMAGE/JPEG", "image/jpeg; q=1"]) {
      const { block } = written({ type: "media", kind: "image", mimeType, data: "/9j/" }, "bedrock");
      expect(block).toEqual({ image: { format: "jpeg", source: { bytes: "/9j/" } } });
    }
  });

  test("strands 7.11 media without a block is kept as MCP's block in json, beside its siblings", () => {
    const content: readonly Part[] = [
      { type: "text", text: "before" },
      { type: "media", kind: "audio", mimeType: "audio/wav", data: "AQ==" },
      { type: "media", kind: "file", mimeType: "application/zip", fileName: "a b.zip", data: "AQ==" },
      { type: "link", kind: "resource", url: "https://example.com/a.pdf", name: "a.pdf" },
      { type: "media", kind: "file", mimeType: "application/pdf", fileName: "r.pdf", data: pdf },
    ];
    const { output } = write({ toolCallId: "c", content }, "typescript", { documentSuffix: false });
    expect(output).toEqual({
      toolResult: {
        toolUseId: "c",
        status: "success",
        content: [
          { text: "before" },
          { json: { type: "audio", data: "AQ==", mimeType: "audio/wav" } },
          {
            json: {
              type: "resource",
              resource: { uri: "attachment:///2/a%20b.zip", mimeType: "application/zip", blob: "AQ==" },
            },
          },
          { json: { type: "resource_link", uri: "https://example.com/a.pdf", name: "a.pdf" } },
          { document: { format: "pdf", name: "r", source: { bytes: pdf } } },
        ],
      },
    });
  });

  test("strands 7.12 document names are fit for Bedrock and unique, and the original comes back", () => {
    const names = ["Q1 report.v2.pdf", "分期.pdf", "分期.pdf", "../x/Q1_report.v2.pdf"];
    const content = names.map((fileName): Part => {
      return { type: "media", kind: "file", mimeType: "application/pdf", fileName, data: pdf };
    });
    const namesIn = (document: unknown) =>
      [...stringify(document as JsonValue).matchAll(/"name":"([^"]*)"/g)].map((match) => match[1]);
    const plain = write({ content }, "bedrock", { documentSuffix: false });
    expect(namesIn(plain.output)).toEqual(["Q1 report v2", "document", "document 2", "Q1 report v2 2"]);
    const suffixed = namesIn(write({ toolCallId: "c", content }, "bedrock").output);
    for (const name of suffixed)
      expect(name).toMatch(/^[a-zA-Z0-9()[\]-]+( [a-zA-Z0-9()[\]-]+)* [0-9a-f]{6}$/);
    const { output, carry } = converter.render(
      { toolCallId: "c", content },
      { to: "strands:bedrock", carry: "detached" },
    );
    const [back] = converter.parse(output, { from: "strands:bedrock", carried: carry });
    expect(back?.result.content).toEqual(content);
  });

  test("strands 7.13 an empty text and no content are two things", () => {
    expect(read(bare({ text: "" })).content).toEqual([{ type: "text", text: "" }]);
    expect(read(bare()).content).toEqual([]);
    expect(canonical(bare({ text: "" }))).toEqual(bare({ text: "" }));
    expect(canonical(bare())).toEqual(bare());
  });

  test.each(['{"a":1}', "{'k': None}", "null", "<null>", "None"])(
    "strands 7.14 the text %j is text",
    (text) => {
      expect(partOf({ text })).toEqual({ type: "text", text });
    },
  );

  test("strands 7.15 a stream's copies of one result are one, and its progress is no result", () => {
    const result = { toolResult: bare({ text: "done" }) };
    const events = [
      { type: "toolStreamUpdateEvent", event: { type: "toolStreamEvent", data: "p1" } },
      { type: "afterToolCallEvent", toolUse: { name: "n", toolUseId: "call-1", input: {} }, result },
      { type: "toolResultEvent", result },
      { type: "afterToolsEvent", message: { role: "user", content: [result], trackingId: "u" } },
      { type: "messageAddedEvent", message: { role: "user", content: [result], trackingId: "u" } },
    ];
    expect(read(events)).toEqual({
      toolCallId: "call-1",
      status: "success",
      content: [{ type: "text", text: "done" }],
    });
    const edited = { type: "toolResultEvent", result: { toolResult: bare({ text: "cut" }) } };
    expect(read([...events, edited]).content).toEqual([{ type: "text", text: "cut" }]);
    const other = { type: "toolResultEvent", result: { toolResult: { ...bare(), toolUseId: "call-2" } } };
    const several = failure(() => converter.convert([...events, other], { from: "strands", to: "ir" }));
    expect(several.code).toBe("many-results");
  });

  test("strands 7.also-1 numbers keep every digit", () => {
    const text = `{"toolUseId":"t","status":"success","content":[{"json":{"id":12345678901234567890,"e":1e400,"z":-0}}]}`;
    const { output } = converter.convert(text, { from: "strands", to: "strands:typescript" });
    expect(stringify(output)).toContain('{"json":{"id":12345678901234567890,"e":1e400,"z":-0}}');
  });

  test.each(["NaN", "Infinity", "-Infinity"])("strands 7.also-2 %s is an error with its place", (word) => {
    const text = `{"toolUseId":"t","status":"success","content":[{"json":{"a":${word}}}]}`;
    expect(failure(() => read(text))).toEqual({ code: "invalid-json", pointer: "/content/0/json/a" });
  });

  test("strands 7.also-3 a key named __proto__ is data", () => {
    const text = `{"content":[{"json":{"__proto__":{"a":1}}}],"metadata":{"__proto__":1},"status":"success","toolUseId":"t","__proto__":{"x":1}}`;
    const form = converter.canonical(text, { from: "strands" });
    expect(form).toBe(
      `{"__proto__":{"x":1},"content":[{"json":{"__proto__":{"a":1}}}],"metadata":{"__proto__":1},"status":"success","toolUseId":"t"}`,
    );
    const { output } = converter.convert(text, { from: "strands", to: "strands" });
    expect(converter.canonical(stringify(output), { from: "strands" })).toBe(form);
  });

  test("strands 7.also-4 a lone surrogate stays its escape", () => {
    const text = String.raw`{"toolUseId":"t","status":"success","content":[{"text":"a\ud800"}]}`;
    expect(stringify(converter.convert(text, { from: "strands", to: "strands" }).output)).toBe(text);
  });

  test("strands 7.also-5 an Error that a TypeScript tool returned is an empty object and a success", () => {
    const document = { toolResult: bare({ json: {} }) };
    expect(read(document)).toEqual({
      toolCallId: "call-1",
      status: "success",
      content: [{ type: "json", value: {} }],
    });
  });
});
