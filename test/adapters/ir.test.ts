import { describe, expect, test } from "vitest";
import { irAdapter } from "../../adapters/ir/index.ts";
import { watsonxAdapter } from "../../adapters/watsonx/index.ts";
import { createConverter } from "../../src/converter.ts";
import { isConversionError } from "../../src/errors.ts";
import { irJsonSchema } from "../../src/ir-json-schema.ts";
import type { JsonValue } from "../../src/json/json-value.ts";
import { stableStringify, stringify } from "../../src/json/stringify.ts";

const { convert, parse, render, canonical, detect } = createConverter([irAdapter, watsonxAdapter]);

/** Every part type and every field of a result. */
const full = {
  toolResultIr: 1,
  toolCallId: "call-1",
  status: "error",
  error: { message: "no", type: "ValueError", code: 7 },
  content: [
    {
      type: "text",
      text: "",
      audience: ["user", "system"],
      priority: 2,
      lastModified: "yesterday",
      meta: { a: null },
    },
    { type: "json", value: null, extensions: { other: { a: 1 } } },
    { type: "media", kind: "image", mimeType: "IMAGE/PNG", fileName: "a.png", data: "aGk=" },
    { type: "media", kind: "file", texts: [] },
    { type: "media", kind: "file", stored: { uri: "s3://a/b", owner: "1" } },
    { type: "link", kind: "hyperlink", url: "https://example.com", size: 5 },
    { type: "resource", uri: "x:y", text: "" },
    { type: "citations", sources: [{ title: "T" }, 1], context: "c" },
    { type: "opaque", adapter: "other", value: { type: "x" } },
  ],
  structuredContent: null,
  widget: { type: "number" },
  meta: {},
  logs: [{ id: "1", status: "start", data: [] }],
  extensions: { other: {} },
} as const satisfies JsonValue;

function refusal(document: JsonValue): string {
  try {
    parse(document, { from: "ir" });
  } catch (error) {
    if (isConversionError(error)) return `${error.code} ${error.pointer}`;
    throw error;
  }
  return "accepted";
}

const withPart = (part: JsonValue): JsonValue => ({ toolResultIr: 1, content: [part] });

test("a document of every part and field is its own reading, writing and canonical form", () => {
  const { toolResultIr: _, ...result } = full;
  expect(parse(full, { from: "ir" })[0]?.result).toEqual(result);
  expect(convert(full, { from: "ir", to: "ir" })).toMatchObject({ output: full, losses: [] });
  expect(canonical(full, { from: "ir" })).toBe(stableStringify(full));
});

test("values keep their digits and their own keys", () => {
  const text =
    '{"toolResultIr":1,"content":[],"structuredContent":{"__proto__":{"constructor":1e400},"id":-0}}';
  expect(stringify(convert(text, { from: "ir", to: "ir" }).output)).toBe(text);
});

test("the format that a result came from is told and decides how it is written there", () => {
  const link = { type: "resource_link", resource: { uri: "https://example.com/a" } };
  const document = { content: [link], structuredContent: [1] };
  const { output } = convert(document, { from: "watsonx", to: "ir" });
  expect(output).toMatchObject({ toolResultIr: 1, origin: { format: "watsonx" } });
  const back = convert(output, { from: "ir", to: "watsonx" });
  expect(back.output).toEqual({
    content: [{ type: "resource_link", uri: "https://example.com/a" }],
    structuredContent: [1],
  });
  expect(back.losses).toEqual([]);
});

test("origin and an unsaid success are in no canonical form", () => {
  const document = {
    toolResultIr: 1,
    origin: { format: "dify", dialect: "sse" },
    status: "success",
    content: [],
  };
  expect(canonical(document, { from: "ir" })).toBe('{"content":[],"toolResultIr":1}');
});

test("a result made in a program is written without origin", () => {
  expect(render({ content: [] }, { to: "ir" }).output).toEqual({ toolResultIr: 1, content: [] });
});

test("a duplicate key is refused, but in a payload told", () => {
  expect(() =>
    parse('{"toolResultIr":1,"content":[],"status":"error","status":"success"}', { from: "ir" }),
  ).toThrow(/stands twice/);
  const [reading] = parse('{"toolResultIr":1,"content":[{"type":"json","value":{"a":1,"a":2}}]}', {
    from: "ir",
  });
  expect(reading?.losses).toMatchObject([{ code: "duplicate-key", pointer: "/content/0/value/a" }]);
});

test("the key toolResultIr tells the format", () => {
  expect(detect(full)).toMatchObject({ outcome: "recognised", format: "ir" });
  expect(detect({ content: 1 })).toMatchObject({ outcome: "recognised", format: "watsonx" });
});

describe("documents that are refused", () => {
  test.each<[string, JsonValue, string]>([
    ["no object", [], "invalid-payload "],
    ["no version", { content: [] }, "invalid-payload /toolResultIr"],
    ["a later version", { toolResultIr: 2, content: [] }, "invalid-payload /toolResultIr"],
    ["no content", { toolResultIr: 1 }, "invalid-payload /content"],
    ["an unknown key", { toolResultIr: 1, content: [], "a/b": 1 }, "invalid-payload /a~1b"],
    ["an unknown status", { toolResultIr: 1, content: [], status: "ok" }, "invalid-status /status"],
    ["null for none", { toolResultIr: 1, content: [], toolCallId: null }, "invalid-payload /toolCallId"],
    ["an unknown part type", withPart({ type: "video" }), "invalid-payload /content/0/type"],
    ["an unknown key of a part", withPart({ type: "text", text: "", x: 1 }), "invalid-payload /content/0/x"],
    ["a file without source", withPart({ type: "media", kind: "file" }), "invalid-payload /content/0"],
    [
      "two sources",
      withPart({ type: "media", kind: "file", data: "", text: "" }),
      "invalid-payload /content/0",
    ],
    ["no base64", withPart({ type: "media", kind: "file", data: "%" }), "invalid-base64 /content/0/data"],
    [
      "base64 without padding",
      withPart({ type: "resource", uri: "", data: "aGk" }),
      "invalid-base64 /content/0/data",
    ],
    ["an origin that is none", { toolResultIr: 1, content: [], origin: "dify" }, "invalid-payload /origin"],
  ])("%s", (_name, document, expected) => {
    expect(refusal(document)).toBe(expected);
  });
});

test("the JSON Schema names what is demanded and admits nothing else", () => {
  expect(irJsonSchema()).toMatchObject({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    required: ["content", "toolResultIr"],
    additionalProperties: false,
    properties: { toolResultIr: { const: 1 } },
  });
});
