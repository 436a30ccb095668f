import { describe, expect, test } from "vitest";
import { irAdapter } from "../../adapters/ir/index.ts";
import { strandsAdapter } from "../../adapters/strands/index.ts";
import { watsonxAdapter } from "../../adapters/watsonx/index.ts";
import { createConverter } from "../../src/converter.ts";
import { type ConversionError, isConversionError } from "../../src/errors.ts";
import type { Part, ToolResult } from "../../src/ir.ts";
import type { JsonValue } from "../../src/json/json-value.ts";
import { stringify } from "../../src/json/stringify.ts";
import type { ConversionOptions } from "../../src/options.ts";

const { convert, parse, render, canonical } = createConverter([irAdapter, strandsAdapter, watsonxAdapter]);
const { detect } = createConverter([irAdapter, watsonxAdapter]);

const widgetKey = "com.ibm.orchestrate/widget";
const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

/** The one result of a watsonx document. */
function read(document: JsonValue): ToolResult {
  const readings = parse(document, { from: "watsonx" });
  expect(readings).toHaveLength(1);
  return (readings[0] as (typeof readings)[number]).result;
}

function readLosses(document: JsonValue): readonly string[] {
  return parse(document, { from: "watsonx" }).flatMap(({ losses }) =>
    losses.map(({ code, pointer }) => `${code} ${pointer}`),
  );
}

function canonicalOf(document: JsonValue): unknown {
  return JSON.parse(canonical(document, { from: "watsonx" }));
}

/** A result of another format, written for watsonx without a carry. */
function write(result: ToolResult, options: ConversionOptions = {}): JsonValue {
  return render(result, { carry: "off", ...options, to: "watsonx" }).output;
}

function writeLosses(result: ToolResult): readonly string[] {
  return render(result, { to: "watsonx" }).losses.map(({ code, pointer }) => `${code} ${pointer}`);
}

function writePart(part: Part, options: ConversionOptions = {}): unknown {
  return write({ content: [part] }, options);
}

function failure(run: () => unknown): Pick<ConversionError, "code" | "pointer"> {
  try {
    run();
  } catch (error) {
    if (isConversionError(error)) return { code: error.code, pointer: error.pointer };
    throw error;
  }
  throw new Error("nothing failed");
}

function parseFailure(document: JsonValue, options: ConversionOptions = {}) {
  return failure(() => parse(document, { ...options, from: "watsonx" }));
}

const textResult = (text: string) => ({ content: [{ type: "text", text }] });

describe("rows of the edge-case table", () => {
  test("watsonx 7.1 null annotations are none", () => {
    const document = { content: [{ type: "text", annotations: null, text: "a" }] };
    expect(read(document).content).toEqual([{ type: "text", text: "a" }]);
    expect(canonicalOf(document)).toEqual(textResult("a"));
  });

  test("watsonx 7.2 null structuredContent is absent here, and a value in the IR", () => {
    expect(read({ content: [], structuredContent: null })).toEqual({ content: [] });
    const written = write({ content: [], structuredContent: null });
    expect(written).toEqual({ content: [], structuredContent: { result: null } });
  });

  test("watsonx 7.3 an array as structuredContent is wrapped, and unwrapped only by the carry", () => {
    const result: ToolResult = { content: [], structuredContent: [1, 2] };
    const wrapped = { content: [], structuredContent: { result: [1, 2] } };
    expect(write(result)).toEqual(wrapped);
    expect(writeLosses(result)).toContain("structured-wrapped /structuredContent");
    expect(read(wrapped).structuredContent).toEqual({ result: [1, 2] });
    expect(read(render(result, { to: "watsonx" }).output).structuredContent).toEqual([1, 2]);
  });

  test("watsonx 7.4 one level of nesting is taken off, not two", () => {
    const inner = { content: [{ type: "text", text: "a" }], _meta: { k: 1 }, structuredContent: null };
    expect(read({ content: inner })).toEqual({ content: [{ type: "text", text: "a" }], meta: { k: 1 } });
    expect(canonicalOf({ content: inner })).toEqual({ ...textResult("a"), _meta: { k: 1 } });
    const twice = { content: { content: textResult("a"), _meta: { k: 1 } } };
    expect(read(twice)).toMatchObject({
      content: [{ type: "json", value: textResult("a") }],
      meta: { k: 1 },
    });
    expect(canonicalOf(twice)).toEqual(twice);
  });

  test("watsonx 7.5 bare content is one part, and null is no part", () => {
    const extensions = { watsonx: { bare: true } };
    expect(read({ content: "hello" }).content).toEqual([{ type: "text", text: "hello", extensions }]);
    expect(read({ content: 5 }).content).toEqual([{ type: "json", value: 5, extensions }]);
    expect(read({ content: null })).toEqual({ content: [], extensions: { watsonx: { bare: null } } });
  });

  test("watsonx 7.6 a result that is a widget and nothing else gets no filler", () => {
    const widget = { response_type: "forms", name: "f", json_schema: {}, ui_schema: {}, form_data: {} };
    expect(read({ _meta: { [widgetKey]: widget } })).toEqual({ content: [], widget });
    expect(write({ content: [], widget })).toEqual({ content: [], _meta: { [widgetKey]: widget } });
  });

  test("watsonx 7.7 user-only text and the structured content beside it reach no model", () => {
    const document = {
      content: [{ type: "text", text: "bal 5", annotations: { audience: ["user"] } }],
      structuredContent: { bal: 5 },
    };
    for (const to of ["strands", "watsonx:openapi"]) {
      const { output, losses } = convert(document, { from: "watsonx", to, carry: "detached" });
      expect(stringify(output)).not.toMatch(/bal/);
      expect(losses.map(({ code, pointer }) => `${code} ${pointer}`)).toEqual(
        expect.arrayContaining(["user-only-withheld /content/0", "structured-withheld /structuredContent"]),
      );
    }
  });

  test("watsonx 7.8 a widget leaves the audience of a hidden text as it is", () => {
    const block = { type: "text", text: "internal", annotations: { audience: ["assistant"] } };
    const document = { content: [block], _meta: { [widgetKey]: { type: "number" } } };
    expect(read(document)).toEqual({
      content: [{ type: "text", text: "internal", audience: ["assistant"] }],
      widget: { type: "number" },
    });
    expect(canonicalOf(document)).toEqual(document);
  });

  test("watsonx 7.9 a widget of its own wins over one among the metadata, which is kept otherwise", () => {
    const written = write({
      content: [],
      widget: { type: "text" },
      meta: { [widgetKey]: { type: "old" }, k: 1 },
    });
    expect(written).toEqual({ content: [], _meta: { [widgetKey]: { type: "text" }, k: 1 } });
  });

  test("watsonx 7.10 of a widget in _meta and its copy beside it the one in _meta is kept", () => {
    const document = { content: [], widget: { inputs: [{}] }, _meta: { [widgetKey]: { type: "number" } } };
    expect(read(document)).toEqual({ content: [], widget: { type: "number" } });
    expect(readLosses(document)).toEqual(["widget-duplicate-dropped /widget"]);
  });

  test("watsonx 7.11 IBM's nested resource link is read flat and named where it leaves watsonx", () => {
    const resource = {
      uri: "https://example.com/a/report.pdf?v=1",
      mimeType: "application/pdf",
      text: "The report",
    };
    const annotations = { audience: ["user"] };
    const document = { content: [{ type: "resource_link", resource, annotations }] };
    const link = { url: resource.uri, mimeType: "application/pdf", description: "The report" };
    expect(read(document).content).toEqual([{ type: "link", kind: "resource", ...link, audience: ["user"] }]);
    const flat = {
      type: "resource_link",
      uri: resource.uri,
      mimeType: "application/pdf",
      description: "The report",
    };
    expect(canonicalOf(document)).toEqual({ content: [{ ...flat, annotations }] });
    expect(writePart({ type: "link", kind: "resource", ...link })).toEqual({
      content: [{ ...flat, name: "report.pdf" }],
    });
  });

  test("watsonx 7.12 an audience is a set in its own order", () => {
    const block = { type: "text", text: "a", annotations: { audience: ["assistant", "user", "user"] } };
    expect(read({ content: [block] }).content[0]?.audience).toEqual(["assistant", "user"]);
    expect(canonicalOf({ content: [block] })).toEqual({
      content: [{ ...block, annotations: { audience: ["assistant", "user"] } }],
    });
  });

  test("watsonx 7.13 isError is the status, which no text decides", () => {
    const content = [{ type: "text", text: "Error: no" }];
    expect(read({ content, isError: true }).status).toBe("error");
    expect(read({ content, isError: false }).status).toBe("success");
    expect(read({ content }).status).toBeUndefined();
    expect(write({ status: "error", content: [] })).toEqual({ content: [], isError: true });
  });

  test("watsonx 7.14 a data URL is its bytes, and the bytes tell the type to other formats", () => {
    const block = { type: "image", data: `data:image/png;base64,${png}`, mimeType: "image/jpeg" };
    expect(read({ content: [block] }).content).toEqual([
      { type: "media", kind: "image", mimeType: "image/jpeg", data: png },
    ]);
    expect(readLosses({ content: [block] })).toEqual(["base64-normalised /content/0/data"]);
    expect(canonicalOf({ content: [{ type: "image", data: block.data }] })).toEqual({
      content: [{ type: "image", data: png, mimeType: "image/png" }],
    });
    expect(writePart({ type: "media", kind: "image", mimeType: "image/jpeg", data: png })).toEqual({
      content: [{ type: "image", mimeType: "image/png", data: png }],
    });
  });

  test("watsonx 7.15 of a resource with text and bytes the MIME type decides", () => {
    const both = (mimeType: string) => ({
      content: [{ type: "resource", resource: { uri: "x:y", mimeType, text: "aGk=", blob: "aGk=" } }],
    });
    expect(read(both("text/csv")).content).toMatchObject([{ type: "resource", text: "aGk=" }]);
    expect(read(both("image/png")).content).toMatchObject([{ type: "resource", data: "aGk=" }]);
    expect(readLosses(both("text/csv"))).toEqual(["resource-copy-dropped /content/0/resource"]);
    expect(parseFailure(both("text/csv"), { mode: "strict" })).toEqual({
      code: "contradictory-payload",
      pointer: "/content/0/resource",
    });
  });

  test("watsonx 7.16 annotations inside a resource are the block's, unless it has them", () => {
    const resource = { uri: "x:y", text: "a" };
    const inside = {
      type: "resource",
      resource: { ...resource, annotations: { audience: ["user"], priority: 1 } },
    };
    expect(canonicalOf({ content: [inside] })).toEqual({
      content: [{ type: "resource", resource, annotations: { audience: ["user"], priority: 1 } }],
    });
    const both = { ...inside, annotations: { audience: ["user", "user"], priority: 0 } };
    expect(read({ content: [both] }).content[0]).toMatchObject({ audience: ["user"], priority: 0 });
    expect(canonicalOf({ content: [both] })).toEqual({
      content: [
        {
          type: "resource",
          resource: { ...resource, annotations: { priority: 1 } },
          annotations: { audience: ["user"], priority: 0 },
        },
      ],
    });
  });

  test("watsonx 7.17 a block of an unknown type is opaque, by R2, and comes back as it was", () => {
    const block = { type: "video", data: "AAAA", annotations: { audience: ["user"] }, more: { a: null } };
    const document = { content: [block, { type: "text", text: "a" }] };
    expect(read(document).content[0]).toEqual({
      type: "opaque",
      adapter: "watsonx",
      value: block,
      audience: ["user"],
    });
    expect(canonicalOf(document)).toEqual(document);
    expect(convert(document, { from: "watsonx", to: "watsonx" })).toMatchObject({
      output: document,
      losses: [],
    });
  });

  test("watsonx 7.18 numbers keep their digits, and NaN is an error that names its place, by R28", () => {
    const text = '{"content":[],"structuredContent":{"id":12345678901234567890,"zero":-0,"e":1e400}}';
    expect(stringify(convert(text, { from: "watsonx", to: "watsonx" }).output)).toBe(text);
    expect(failure(() => parse('{"content":NaN}', { from: "watsonx" })).code).toBe("invalid-json");
    expect(() => parse('{"content":NaN}', { from: "watsonx" })).toThrow(/NaN/);
  });

  test("watsonx 7.19 a lone surrogate stays its escape, by R7, and nothing else is escaped", () => {
    const text = '{"content":[{"type":"text","text":"\\ud800 é \u2028"}]}';
    expect(stringify(convert(text, { from: "watsonx", to: "watsonx" }).output)).toBe(text);
  });

  test("watsonx 7.20 a JSON-RPC error is an error of the protocol", () => {
    const document = { jsonrpc: "2.0", id: 1, error: { code: -32602, message: "unknown tool" } };
    expect(parseFailure(document)).toEqual({ code: "protocol-error", pointer: "/error" });
    expect(parseFailure({ jsonrpc: "2.0", id: 1, result: textResult("a") }).code).toBe("invalid-payload");
  });

  test("watsonx 7.21 a task or a question is no result", () => {
    const task = { taskId: "1", status: "working" };
    expect(parseFailure({ resultType: "task", content: [] })).toEqual({
      code: "not-a-result",
      pointer: "/resultType",
    });
    expect(parseFailure({ task })).toEqual({ code: "not-a-result", pointer: "/task" });
    expect(parseFailure({ inputRequests: {} })).toEqual({ code: "not-a-result", pointer: "/inputRequests" });
    expect(parseFailure({ requestState: "x" })).toEqual({ code: "not-a-result", pointer: "/requestState" });
    expect(read({ task: { id: 5 } }).content).toMatchObject([{ type: "json" }]);
  });

  test("watsonx 7.22 resultType is read as complete and not written", () => {
    expect(canonicalOf({ resultType: "complete", ...textResult("a") })).toEqual(textResult("a"));
  });

  test("watsonx 7.23 a text that repeats structuredContent stays beside it", () => {
    const document = { content: [{ type: "text", text: '{"a": 1.0}' }], structuredContent: { a: 1 } };
    expect(convert(document, { from: "watsonx", to: "watsonx" })).toMatchObject({
      output: document,
      losses: [],
    });
    const single = convert(document, { from: "watsonx", to: "strands:bedrock", toolCallId: "1" }).output;
    expect(single).toMatchObject({ toolResult: { content: [{ json: { a: 1 } }] } });
    expect(write({ content: [{ type: "json", value: { a: 1 } }] })).toEqual({
      content: [{ type: "text", text: '{"a":1}' }],
      structuredContent: { a: 1 },
    });
  });

  test("watsonx 7.24 metadata of one hop goes no further", () => {
    const _meta = { "io.modelcontextprotocol/related-task": {}, traceparent: "00-1", "a.b/c": 1 };
    expect(read({ content: [], _meta }).meta).toEqual({ "a.b/c": 1 });
    expect(canonicalOf({ content: [], _meta })).toEqual({ content: [], _meta: { "a.b/c": 1 } });
    expect(readLosses({ content: [], _meta })).toEqual([
      "meta-hop-by-hop /_meta/io.modelcontextprotocol~1related-task",
      "meta-hop-by-hop /_meta/traceparent",
    ]);
  });

  test("watsonx 7.25 a body of an OpenAPI tool is a JSON object without carry", () => {
    const result: ToolResult = { status: "error", content: [{ type: "json", value: [1] }] };
    const { output, mediaType, losses } = render(result, { to: "watsonx:openapi" });
    expect(mediaType).toBe("application/json");
    expect(output).toEqual({ content: [{ type: "text", text: "[1]" }], isError: true });
    expect(losses).toMatchObject([{ code: "json-as-text", carried: false }]);
  });
});

describe("spellings that are read", () => {
  test("the class form, with null annotations, an annotated text and metadata", () => {
    const document = {
      content: [
        { type: "text", annotations: null, text: "Hi" },
        { type: "text", annotations: { audience: null }, text: "there" },
        { type: "text", annotations: { audience: ["user", "assistant"] }, text: "x" },
        "Operation completed",
      ],
      structuredContent: { a: null },
      _meta: { priority: "high", department: "finance" },
      context_updates: { k: "v" },
    };
    expect(read(document)).toEqual({
      content: [
        { type: "text", text: "Hi" },
        { type: "text", text: "there" },
        { type: "text", text: "x", audience: ["user", "assistant"] },
        { type: "text", text: "Operation completed" },
      ],
      structuredContent: { a: null },
      meta: { priority: "high", department: "finance" },
      extensions: { watsonx: { extra: { context_updates: { k: "v" } } } },
    });
    expect(convert(document, { from: "watsonx", to: "watsonx" }).losses).toEqual([]);
  });

  test("the dictionary form of IBM's documentation, with a form", () => {
    const document = {
      content: [
        { type: "text", annotations: { audience: ["user"] }, text: "Account status retrieved successfully" },
      ],
      _meta: {
        [widgetKey]: {
          response_type: "forms",
          json_schema: { title: "Update Account", type: "object", properties: { email: { type: "string" } } },
          ui_schema: { email: { "ui:widget": "TextWidget" } },
          form_data: { email: null },
          on_event: [{ type: "tool", tool: "save", parameters: { email: "" }, map_input_to: "submit" }],
        },
      },
      structuredContent: null,
    };
    const { structuredContent: _, ...rest } = document;
    expect(read(document).widget).toEqual(document._meta[widgetKey]);
    expect(canonicalOf(document)).toEqual(rest);
  });

  test.each<[string, JsonValue, JsonValue]>([
    ["a bare object", { a: 1 }, { content: { a: 1 } }],
    ["a bare list", [1, "a"], { content: [1, "a"] }],
    ["a bare number", 5, { content: 5 }],
    ["null", null, { content: null }],
    ["a list of blocks", [{ type: "text", text: "a", annotations: null }], textResult("a")],
    ["a list of strings", ["a"], textResult("a")],
    ["a list of objects without a type", [{ text: "a" }], { content: [{ text: "a" }] }],
    ["no content", { structuredContent: {} }, { content: [], structuredContent: {} }],
    [
      "structured content that is no object",
      { structuredContent: [1] },
      { content: [], structuredContent: [1] },
    ],
    [
      "a widget without its copy",
      { content: [], widget: { a: 1 } },
      { content: [], _meta: { [widgetKey]: { a: 1 } } },
    ],
    ["empty metadata", { content: [], _meta: {}, isError: false }, { content: [] }],
    ["unknown keys", { content: [], more: null }, { content: [], more: null }],
  ])("%s", (_name, document, expected) => {
    expect(canonicalOf(document)).toEqual(expected);
    expect(convert(document, { from: "watsonx", to: "watsonx" })).toMatchObject({
      output: expected,
      losses: [],
    });
  });

  test("a form of several turns, as release 2.19 writes it, with null inside", () => {
    const widget = {
      response_type: "multiturn_form",
      name: "email_input",
      json_schema: {
        type: "object",
        properties: { email: { type: "string", title: "Email" } },
        required: ["email"],
      },
      ui_schema: { email: { "ui:widget": "TextWidget" } },
      form_data: { email: null },
      session_id: "session_1",
      context: { conversation_id: "conv_1", turn_number: 1, is_complete: false },
    };
    const document = { content: [{ type: "text", text: "Your email?" }], _meta: { [widgetKey]: widget } };
    expect(read(document).widget).toEqual(widget);
    expect(canonicalOf(document)).toEqual(document);
  });

  test("a key that stands twice fails, but inside a value it is told and the last counts", () => {
    const twice =
      '{"content":[{"type":"text","text":"a","annotations":{"audience":["user"],"audience":[]}}]}';
    expect(failure(() => parse(twice, { from: "watsonx" }))).toEqual({
      code: "duplicate-key",
      pointer: "/content/0/annotations/audience",
    });
    const [reading] = parse('{"content":[],"_meta":{"a":{"b":1,"b":2}}}', { from: "watsonx" });
    expect(reading).toMatchObject({
      result: { meta: { a: { b: 2 } } },
      losses: [{ code: "duplicate-key", pointer: "/_meta/a/b" }],
    });
  });

  test("unknown keys of a block, its resource and its annotations", () => {
    const document = {
      content: [
        {
          type: "resource",
          resource: { uri: "x:y", text: "a", _meta: { k: 1 } },
          annotations: { priority: "high", tone: "calm", audience: [] },
          icons: [],
        },
      ],
    };
    expect(read(document).content).toEqual([
      {
        type: "resource",
        uri: "x:y",
        text: "a",
        audience: [],
        extensions: {
          watsonx: {
            extra: {
              icons: [],
              annotations: { priority: "high", tone: "calm" },
              resource: { _meta: { k: 1 } },
            },
          },
        },
      },
    ]);
    expect(convert(document, { from: "watsonx", to: "watsonx" })).toMatchObject({
      output: document,
      losses: [],
    });
  });

  test("a tool step of a thread's history, with its call id", () => {
    const step = {
      type: "tool_response",
      name: "get_account",
      tool_call_id: "call-1",
      content: '{"content": [{"type": "text", "text": "a", "annotations": {"audience": ["user"]}}]}',
    };
    expect(read(step)).toEqual({
      toolCallId: "call-1",
      content: [{ type: "text", text: "a", audience: ["user"] }],
      extensions: { watsonx: { step: { name: "get_account" } } },
    });
    expect(canonicalOf(step)).toEqual({
      content: [{ type: "text", text: "a", annotations: { audience: ["user"] } }],
    });
  });

  test("a tool step whose content is no JSON", () => {
    const step = { type: "tool_response", name: "t", content: "Foo(x=1)" };
    expect(read(step).content).toMatchObject([{ type: "text", text: "Foo(x=1)" }]);
  });

  test("every tool step of a history", () => {
    const step = (id: string) => ({ type: "tool_response", name: "t", tool_call_id: id, content: `"${id}"` });
    const details = [{ type: "tool_calls", tool_calls: [] }, step("a"), step("b")];
    const history = { step_history: [{ role: "assistant", step_details: details }] };
    for (const document of [details, { step_details: details }, history]) {
      expect(parse(document, { from: "watsonx" }).map(({ result }) => result.toolCallId)).toEqual(["a", "b"]);
    }
    const wanted = convert(history, { from: "watsonx", to: "watsonx", toolCallId: "b", carry: "off" });
    expect(wanted.output).toEqual({ content: "b" });
    expect(failure(() => convert(history, { from: "watsonx", to: "watsonx" })).code).toBe("many-results");
    expect(failure(() => canonical(history, { from: "watsonx" })).code).toBe("many-results");
    expect(failure(() => canonical({ step_details: [] }, { from: "watsonx" })).code).toBe("result-not-found");
  });

  test("a fault inside the JSON text of a step is told at the text", () => {
    const content = '{"content":[{"type":"text","text":5}]}';
    expect(parseFailure([{ type: "tool_response", name: "t", content }])).toEqual({
      code: "invalid-payload",
      pointer: "/0/content",
    });
  });
});

test("a text block that lost its text, as the class form writes it, is kept and fails nothing (R6)", () => {
  const document = {
    content: [
      { type: "text", annotations: null },
      { type: "text", text: "a" },
    ],
  };
  expect(read(document).content.map(({ type }) => type)).toEqual(["opaque", "text"]);
});

describe("blocks of which nobody can say who may see them", () => {
  const resource = { uri: "a:b", text: "SECRET" };
  const twice = (type: string, outer: JsonValue, inner: JsonValue) => ({
    content: [
      { type, annotations: { audience: outer }, resource: { ...resource, annotations: { audience: inner } } },
    ],
  });
  const readings = ["lenient", "strict"] as const;
  const failures = (document: JsonValue) => [
    ...readings.map((mode) => parseFailure(document, { mode })),
    failure(() => canonical(document, { from: "watsonx" })),
  ];

  test.each<JsonValue>(["user", ["user", 1], {}, 0, false, [["user"]]])(
    "a block of an unknown type with the audience %j (R44, R56)",
    (audience) => {
      const document = { content: [{ type: "foo", v: "SECRET", annotations: { audience } }] };
      for (const failed of failures(document)) {
        expect(failed).toEqual({ code: "invalid-payload", pointer: "/content/0/annotations/audience" });
      }
    },
  );

  test.each<[string, JsonValue]>([
    ["null annotations", { annotations: null }],
    ["a null audience", { annotations: { audience: null } }],
    ["annotations of another format", { annotations: [{ type: "url_citation" }] }],
  ])("but %s of such a block name no audience", (_name, rest) => {
    const block = { type: "foo", ...(rest as object) };
    expect(read({ content: [block] }).content).toEqual([
      { type: "opaque", adapter: "watsonx", value: block },
    ]);
  });

  test.each<[string, JsonValue, JsonValue]>([
    ["resource", ["assistant"], ["user"]],
    ["resource", ["user"], ["user", "assistant"]],
    ["resource", [], ["user"]],
    ["resource_link", ["assistant"], ["user"]],
  ])("a %s for %j that holds one for %j (R26)", (type, outer, inner) => {
    for (const failed of failures(twice(type, outer, inner))) {
      const pointer = "/content/0/resource/annotations/audience";
      expect(failed).toEqual({ code: "contradictory-payload", pointer });
    }
  });

  test.each(["resource", "resource_link"])("but a %s may say the same audience twice", (type) => {
    const document = twice(type, ["assistant", "user"], ["user", "assistant", "user"]);
    expect(read(document).content[0]?.audience).toEqual(["assistant", "user"]);
    expect(read(twice(type, null, ["user"])).content[0]?.audience).toEqual(["user"]);
    expect(read(twice(type, ["user"], null)).content[0]?.audience).toEqual(["user"]);
    const { output, losses } = convert(document, { from: "watsonx", to: "watsonx" });
    expect(output).toEqual(canonicalOf(document));
    expect(losses).toEqual([]);
  });

  test.each<[string, JsonValue, string]>([
    ["no object", ["user"], "/content/0/resource/annotations"],
    ["a text", "user", "/content/0/resource/annotations"],
    ["an audience that is no list", { audience: "user" }, "/content/0/resource/annotations/audience"],
  ])("a resource whose own annotations are %s", (_name, inner, pointer) => {
    for (const rest of [{}, { annotations: { audience: ["assistant"] } }]) {
      const document = {
        content: [{ type: "resource", resource: { ...resource, annotations: inner }, ...rest }],
      };
      for (const failed of failures(document)) expect(failed).toEqual({ code: "invalid-payload", pointer });
    }
  });
});

describe("payloads that are refused", () => {
  test.each<[string, JsonValue, string, string]>([
    [
      "a text block with a number",
      { content: [{ type: "text", text: 5 }] },
      "invalid-payload",
      "/content/0/text",
    ],
    [
      "a block beside a number",
      { content: [{ type: "text", text: "" }, 5] },
      "invalid-payload",
      "/content/1",
    ],
    [
      "an image without bytes",
      { content: [{ type: "image", mimeType: "image/png" }] },
      "invalid-payload",
      "/content/0/data",
    ],
    [
      "an image without a type",
      { content: [{ type: "image", data: "" }] },
      "invalid-payload",
      "/content/0/mimeType",
    ],
    [
      "bytes that are none",
      { content: [{ type: "image", mimeType: "image/png", data: "%" }] },
      "invalid-base64",
      "/content/0/data",
    ],
    [
      "a resource without text and bytes",
      { content: [{ type: "resource", resource: { uri: "x:y" } }] },
      "invalid-payload",
      "/content/0/resource/blob",
    ],
    [
      "a resource that is none",
      { content: [{ type: "resource" }] },
      "invalid-payload",
      "/content/0/resource",
    ],
    [
      "a link without a URI",
      { content: [{ type: "resource_link", name: "n" }] },
      "invalid-payload",
      "/content/0/uri",
    ],
    [
      "a size that is no number",
      { content: [{ type: "resource_link", uri: "x:y", size: "1" }] },
      "invalid-payload",
      "/content/0/size",
    ],
    [
      "an audience that is no list",
      { content: [{ type: "text", text: "", annotations: { audience: "user" } }] },
      "invalid-payload",
      "/content/0/annotations/audience",
    ],
    [
      "annotations that are none",
      { content: [{ type: "text", text: "", annotations: [] }] },
      "invalid-payload",
      "/content/0/annotations",
    ],
    [
      "metadata of a block that is none",
      { content: [{ type: "text", text: "", _meta: 1 }] },
      "invalid-payload",
      "/content/0/_meta",
    ],
    ["metadata that is none", { content: [], _meta: "x" }, "invalid-payload", "/_meta"],
    ["a status of another type", { content: [], isError: "no" }, "invalid-status", "/isError"],
    [
      "an inner envelope that says it again",
      { content: { content: [], isError: true }, isError: true },
      "duplicate-key",
      "/content/isError",
    ],
    [
      "a call id that is no text",
      { type: "tool_response", tool_call_id: 5, content: "" },
      "invalid-payload",
      "/tool_call_id",
    ],
  ])("%s", (_name, document, code, pointer) => {
    expect(parseFailure(document)).toEqual({ code, pointer });
  });
});

describe("what other formats become", () => {
  test("a scalar is a text with its literal", () => {
    expect(writePart({ type: "json", value: null })).toEqual(textResult("null"));
    expect(writeLosses({ content: [{ type: "json", value: "é" }] })).toEqual(["json-as-text /content/0"]);
  });

  test("a link is Markdown that nothing in its name or URL can break out of", () => {
    const link = { type: "link", url: "https://example.com/a b>c\\d", name: "x](y) `<z>`\nw" } as const;
    expect(writePart({ ...link, kind: "hyperlink" })).toEqual(
      textResult("[x\\](y) \\`\\<z>\\` w](<https://example.com/a%20b%3Ec%5Cd>)"),
    );
    expect(writePart({ ...link, name: "n", kind: "image" })).toEqual(
      textResult("![n](<https://example.com/a%20b%3Ec%5Cd>)"),
    );
    expect(writePart({ ...link, name: "n", kind: "image" }, { imageMarkdown: false })).toEqual(
      textResult("[n](<https://example.com/a%20b%3Ec%5Cd>)"),
    );
  });

  test("a link of another scheme is a resource link", () => {
    expect(writePart({ type: "link", kind: "hyperlink", url: "javascript:alert(1)" })).toEqual({
      content: [{ type: "resource_link", uri: "javascript:alert(1)", name: "alert(1)" }],
    });
  });

  test("a file is a resource whose URI holds its name without path", () => {
    const file: Part = {
      type: "media",
      kind: "file",
      mimeType: "application/pdf",
      fileName: "../a b.pdf",
      data: "JVBERi0=",
    };
    expect(writePart(file)).toEqual({
      content: [
        {
          type: "resource",
          resource: { uri: "attachment:///0/a%20b.pdf", mimeType: "application/pdf", blob: "JVBERi0=" },
        },
      ],
    });
    expect(writeLosses({ content: [file] })).toEqual([
      "media-as-resource /content/0",
      "name-generated /content/0",
    ]);
  });

  test("SVG is a resource, but stays an image within watsonx", () => {
    const svg = { mimeType: "image/svg+xml", data: "PHN2Zy8+" };
    expect(writePart({ type: "media", kind: "image", ...svg })).toMatchObject({
      content: [{ type: "resource" }],
    });
    const document = { content: [{ type: "image", ...svg }] };
    expect(convert(document, { from: "watsonx", to: "watsonx" })).toMatchObject({
      output: document,
      losses: [],
    });
  });

  test("the texts of a document are text blocks", () => {
    const part: Part = { type: "media", kind: "file", texts: ["a", "b"], audience: ["assistant"] };
    const annotations = { audience: ["assistant"] };
    expect(writePart(part)).toEqual({
      content: [
        { type: "text", text: "a", annotations },
        { type: "text", text: "b", annotations },
      ],
    });
    expect(read(render({ content: [part] }, { to: "watsonx" }).output).content).toEqual([part]);
  });

  test("a stored file is a resource link, with a loss where a stranger cannot fetch it", () => {
    const stored = (uri: string): ToolResult => ({
      content: [{ type: "media", kind: "file", stored: { uri } }],
    });
    expect(write(stored("s3://bucket/a.pdf"))).toEqual({
      content: [{ type: "resource_link", uri: "s3://bucket/a.pdf", name: "a.pdf" }],
    });
    expect(writeLosses(stored("/files/tools/1.png"))).toContain("file-unresolved /content/0");
    expect(writeLosses(stored("https://example.com/a?sign=1"))).toContain("media-as-resource /content/0");
  });

  test("retrieval sources are a text that lists them", () => {
    const sources = [
      { title: "T", url: "https://example.com", score: 0.5, content: "c" },
      { document_name: "D" },
      7,
    ];
    expect(writePart({ type: "citations", sources })).toEqual(
      textResult("[1] T, https://example.com (score 0.5)\nc\n\n[2] D\n\n[3] 7"),
    );
  });

  test("a block of another format is named and not shown", () => {
    expect(writePart({ type: "opaque", adapter: "strands", value: { secret: 1 } })).toEqual(
      textResult("[A strands block of a kind unknown here.]"),
    );
  });

  test("annotations that strict readers refuse are not written", () => {
    const part: Part = {
      type: "text",
      text: "a",
      audience: ["assistant", "system"],
      priority: 2,
      lastModified: "2025-01-02",
    };
    expect(writePart(part)).toEqual({
      content: [{ type: "text", text: "a", annotations: { audience: ["assistant"] } }],
    });
    const block = { type: "text", text: "a", annotations: { audience: ["system"], priority: 2 } };
    expect(canonicalOf({ content: [block] })).toEqual({ content: [block] });
  });
});

describe("detection", () => {
  test.each<[string, JsonValue, string]>([
    ["metadata of watsonx", { _meta: { [widgetKey]: {} } }, "recognised"],
    ["null annotations", { content: [{ type: "text", text: "a", annotations: null }] }, "recognised"],
    ["context updates", { content: "a", context_updates: {} }, "recognised"],
    ["a nested result", { content: textResult("a") }, "recognised"],
    ["a step of a history", { type: "tool_response", name: "t", content: "" }, "recognised"],
    ["typed blocks", textResult("a"), "recognised"],
    ["a bare value", { a: 1 }, "unknown"],
    ["a Strands result", { toolUseId: "1", status: "success", content: [] }, "unknown"],
    ["structured content alone", { structuredContent: {} }, "recognised"],
  ])("%s", (_name, document, outcome) => {
    expect(detect(document).outcome).toBe(outcome);
  });
});
