import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { adapters } from "../adapters/index.ts";
import { irAdapter } from "../adapters/ir/index.ts";
import { createConverter } from "../src/converter.ts";
import { isConversionError } from "../src/errors.ts";
import type { CallContext, ToolCall } from "../src/ir.ts";
import { irJsonSchema } from "../src/ir-json-schema.ts";
import type { JsonObject, JsonValue } from "../src/json/json-value.ts";
import { stableStringify, stringify } from "../src/json/stringify.ts";
import type { ReadCallOptions } from "../src/kernel/call.ts";
import { jsonKeys, jsonObjects, jsonValues, objectOf, texts } from "../src/testing/arbitraries/json.ts";

const converter = createConverter(adapters);
const { parseCall, renderCall } = converter;

/** A format of calls: how it spells one, written by hand from the platform's own wire, and what of a call that says. */
interface Spelling {
  readonly format: string;
  readonly spell: (call: ToolCall) => JsonValue;
  readonly says: readonly (keyof ToolCall)[];
}

const use = ({ toolCallId, name, arguments: input }: ToolCall) => ({
  ...(toolCallId !== undefined && { toolUseId: toolCallId }),
  name,
  input,
});

const dify = ({ name, arguments: given, context }: ToolCall) => {
  const { provider, credential_type, ...caller } = context?.format === "dify" ? context.fields : {};
  return {
    ...{ user_id: null, conversation_id: null, app_id: null, message_id: null, ...caller },
    data: {
      ...(provider !== undefined && { provider }),
      ...(credential_type !== undefined && { credential_type }),
      tool: name,
      credentials: {},
      tool_parameters: given,
    },
  };
};

const spellings: readonly Spelling[] = [
  { format: "ir", spell: (call) => ({ ...call }), says: ["toolCallId", "name", "arguments", "context"] },
  { format: "strands:python", spell: use, says: ["toolCallId", "name", "arguments"] },
  {
    format: "strands:typescript",
    spell: (call) => ({ toolUse: use(call) }),
    says: ["toolCallId", "name", "arguments"],
  },
  {
    format: "strands:bedrock",
    spell: (call) => ({ toolUse: use(call) }),
    says: ["toolCallId", "name", "arguments"],
  },
  { format: "dify", spell: dify, says: ["name", "arguments", "context"] },
  { format: "watsonx", spell: (call) => call.arguments, says: ["arguments"] },
  { format: "arguments", spell: (call) => call.arguments, says: ["arguments"] },
];

const difyWords = ["user_id", "conversation_id", "app_id", "message_id", "provider", "credential_type"];
const contexts: fc.Arbitrary<CallContext> = fc
  .subarray(difyWords, { minLength: 1 })
  .chain((keys) => fc.tuple(...keys.map((key) => fc.tuple(fc.constant(key), texts))))
  .map((entries) => ({ format: "dify", fields: Object.fromEntries(entries) }));

const words = texts.filter((text) => text !== "");
const calls: fc.Arbitrary<ToolCall> = fc.record(
  { toolCallId: words, name: words, arguments: jsonObjects, context: contexts },
  { requiredKeys: ["name", "arguments"] },
);

/** What a call keeps where only these of its fields have a place; the address always says the name. */
function within(call: ToolCall, fields: readonly (keyof ToolCall)[]): JsonObject {
  const kept = Object.entries(call).filter(
    ([field]) => field === "name" || fields.some((one) => one === field),
  );
  return Object.fromEntries(kept);
}

/** JSON with its keys in an order, and every number in its own spelling. */
function textOf({ name, arguments: given, ...rest }: JsonObject | ToolCall): string {
  const { toolCallId = null, context = null } = rest;
  return stringify([toolCallId, name, given, context] as JsonValue);
}

/** `code pointer` of the error that reading ends with. */
function refusal(input: Parameters<typeof parseCall>[0], options: ReadCallOptions): string {
  try {
    parseCall(input, options);
  } catch (error) {
    if (isConversionError(error)) return `${error.code} ${error.pointer}`.trimEnd();
    throw error;
  }
  return "read";
}

describe("laws", () => {
  test.each(spellings)("$format: what was read is written as it was spelled", ({ format, spell }) => {
    fc.assert(
      fc.property(calls, (call) => {
        const read = parseCall(stringify(spell(call)), { from: format, name: call.name });
        expect(stableStringify(renderCall(read, { to: format }))).toBe(stableStringify(spell(call)));
      }),
    );
  });

  const pairs = spellings.flatMap((from) =>
    spellings.map((to) => [from.format, to.format, from, to] as const),
  );
  test.each(pairs)("%s to %s keeps exactly what both can say", (_from, _to, from, to) => {
    fc.assert(
      fc.property(calls, (call) => {
        const name = call.name;
        const read = parseCall(stringify(from.spell(call)), { from: from.format, name });
        expect(textOf(read)).toBe(textOf(within(call, from.says)));
        const again = parseCall(stringify(renderCall(read, { to: to.format })), { from: to.format, name });
        const both = from.says.filter((field) => to.says.includes(field));
        expect(textOf(again)).toBe(textOf(within(call, both)));
      }),
      { numRuns: 40 },
    );
  });

  const familiarKeys = fc.constantFrom(
    ..."toolUse toolUseId name input type message role content toolCallId arguments context format".split(
      " ",
    ),
    ..."fields data tool tool_parameters user_id provider credentials".split(" "),
  );
  const keys = fc.oneof({ weight: 4, arbitrary: familiarKeys }, jsonKeys);
  const inner = fc.oneof(jsonValues, objectOf(keys, jsonValues));
  const near = objectOf(keys, fc.oneof(inner, objectOf(keys, inner), fc.array(objectOf(keys, inner))), 5);

  test.each(spellings)("$format: hostile input is read or refused with a typed error", ({ format }) => {
    const inputs = fc.oneof(
      near,
      near.map((value) => stringify(value).replace(/"([a-z_]+)":/i, '"$1":0,"$1":')),
      fc
        .tuple(
          near.map((value) => stringify(value)),
          fc.nat(),
        )
        .map(([text, at]) => text.slice(0, at % text.length)),
      fc.string(),
      fc.uint8Array(),
      // What a caller in plain JavaScript may hand in.
      fc.anything({
        withBigInt: true,
        withDate: true,
        withMap: true,
        withNullPrototype: true,
      }) as typeof near,
    );
    fc.assert(
      fc.property(inputs, fc.option(texts, { nil: undefined }), (input, name) => {
        const code = refusal(input, { from: format, ...(name !== undefined && { name }) });
        expect(code).not.toContain("adapter-failed");
      }),
      { numRuns: 400 },
    );
  });

  test.each(spellings)("$format: writing takes a call, and refuses whatever is none", ({ format }) => {
    // What a caller in plain JavaScript may hand in.
    const none = fc.oneof(near, fc.anything()) as unknown as fc.Arbitrary<ToolCall>;
    fc.assert(
      fc.property(none, (value) => {
        try {
          renderCall(value, { to: format });
        } catch (error) {
          expect(error).toMatchObject({ code: "invalid-payload" });
        }
      }),
    );
  });
});

describe("arguments are exact in every format", () => {
  const given =
    '{"big":9007199254740993,"huge":1e400,"minus":-0,"long":0.1000000000000000055511151231257827,' +
    '"__proto__":{"a":1},"constructor":null,"":"","none":{},"line":"\\u2028\\ud800"}';

  test.each(spellings)("$format", ({ format, spell }) => {
    const marked = stringify(spell({ toolCallId: "c", name: "n", arguments: { mark: 0 } }));
    const read = parseCall(marked.replace('{"mark":0}', given), { from: format, name: "n" });
    const written = stringify(renderCall(read, { to: "arguments" }));
    expect(written.replace("\u2028", "\\u2028")).toBe(given);
    expect(Object.keys(read.arguments)).toContain("__proto__");
  });

  test.each(spellings)("$format: as deep as the limit, and no deeper", ({ format, spell }) => {
    const nested = (levels: number) => `${'{"a":'.repeat(levels)}9007199254740993${"}".repeat(levels)}`;
    const wire = (levels: number) =>
      stringify(spell({ toolCallId: "c", name: "n", arguments: { mark: 0 } })).replace(
        '{"mark":0}',
        nested(levels),
      );
    const read = parseCall(wire(128), { from: format, name: "n" });
    expect(stringify(read.arguments)).toBe(nested(128));
    expect(refusal(wire(129), { from: format, name: "n" })).toBe("depth-exceeded");
    expect(refusal(wire(200), { from: format, name: "n" })).toMatch(/^depth-exceeded/);
  });

  test("a value in memory is read as its text would be", () => {
    const input = { toolUseId: "c", name: "n", input: { big: 9007199254740993n, minus: -0 } };
    const read = parseCall(input as unknown as JsonValue, { from: "strands" });
    expect(stringify(read.arguments)).toBe('{"big":9007199254740993,"minus":-0}');
  });
});

describe("strands reads what the SDKs write", () => {
  const call = { toolCallId: "t-1", name: "weather", arguments: { city: "Oslo" } };

  // As strands-agents 1 (Python) and @strands-agents/sdk 1 (TypeScript) wrote them when they were run.
  test.each([
    [
      "tool_context.tool_use of a Python tool",
      '{"toolUseId": "t-1", "name": "weather", "input": {"city": "Oslo"}}',
    ],
    [
      "a Python message event",
      '{"message": {"role": "assistant", "content": [{"toolUse": {"toolUseId": "t-1", "name": "weather", "input": {"city": "Oslo"}}}], "tracking_id": "eac775ce"}}',
    ],
    [
      "a ToolUseBlock as JSON",
      '{"toolUse":{"name":"weather","toolUseId":"t-1","input":{"city":"Oslo"},"reasoningSignature":"sig"}}',
    ],
    [
      "the fields of a ToolUseBlock",
      '{"type":"toolUseBlock","name":"weather","toolUseId":"t-1","input":{"city":"Oslo"},"reasoningSignature":"sig"}',
    ],
    [
      "a TypeScript message with a text before the tool use",
      '{"role":"assistant","content":[{"text":"Let me see."},{"toolUse":{"name":"weather","toolUseId":"t-1","input":{"city":"Oslo"}}}],"trackingId":"70886fab"}',
    ],
    [
      "the fields of a TypeScript message",
      '{"type":"message","role":"assistant","content":[{"type":"toolUseBlock","name":"weather","toolUseId":"t-1","input":{"city":"Oslo"}}],"trackingId":"55af190e"}',
    ],
    [
      "a TypeScript event around a tool call",
      '{"type":"afterToolCallEvent","toolUse":{"name":"weather","toolUseId":"t-1","input":{"city":"Oslo"}},"result":{"toolResult":{"toolUseId":"t-1","status":"success","content":[{"text":"rain"}]}}}',
    ],
  ])("%s", (_, text) => {
    expect(parseCall(text, { from: "strands" })).toEqual(call);
  });

  test("a tool use that names no tool, where the address does", () => {
    expect(parseCall({ toolUseId: "t-1", input: {} }, { from: "strands", name: "weather" })).toEqual({
      toolCallId: "t-1",
      name: "weather",
      arguments: {},
    });
  });

  test("several tool uses of a message are refused by their ids", () => {
    const content = ["a", "b"].map((toolUseId) => ({ toolUse: { toolUseId, name: "weather", input: {} } }));
    expect(() => parseCall({ role: "assistant", content }, { from: "strands" })).toThrow(/2: a, b/);
  });

  test.each([
    ["a bare object of arguments", { city: "Oslo" }, "invalid-payload"],
    ["arguments that have an input", { input: { city: "Oslo" } }, "invalid-payload"],
    ["no input", { toolUse: { toolUseId: "t", name: "weather" } }, "invalid-payload /toolUse/input"],
    ["null as input", { toolUseId: "t", name: "weather", input: null }, "invalid-payload /input"],
    [
      "a piece of a model's stream",
      { current_tool_use: { toolUseId: "t", name: "weather", input: '{"city": ' } },
      "invalid-payload",
    ],
    ["text as input", { toolUseId: "t", name: "weather", input: "{}" }, "invalid-payload /input"],
    ["an empty id", { toolUseId: "", name: "weather", input: {} }, "invalid-payload /toolUseId"],
    [
      "a tool use for another tool, in a message of an event",
      { message: { content: [{ text: "" }, { toolUse: { toolUseId: "t", name: "bank", input: {} } }] } },
      "invalid-payload /message/content/1/toolUse/name",
    ],
    ["a tool result", { toolUseId: "t", status: "success", content: [{ json: {} }] }, "invalid-payload"],
  ])("%s is refused", (_, document, expected) => {
    expect(refusal(document, { from: "strands", name: "weather" })).toBe(expected);
  });

  test("the error tells both ways out", () => {
    const read = () => parseCall({ city: "Oslo" }, { from: "strands" });
    expect(read).toThrow(/^strands: expected a tool use, \{"toolUseId": .*, "input": .*`arguments`$/);
  });
});

describe("dify reads the body that Dify's server sends to its plugin daemon", () => {
  const data = {
    provider: "weather",
    tool: "now",
    credentials: { api_key: "SECRET" },
    credential_type: "api-key",
    tool_parameters: { city: "Oslo" },
  };
  const body = { user_id: "u", conversation_id: null, app_id: "a", message_id: null, data };
  const call = {
    name: "now",
    arguments: { city: "Oslo" },
    context: {
      format: "dify",
      fields: { user_id: "u", app_id: "a", provider: "weather", credential_type: "api-key" },
    },
  };

  test("user, conversation, app, message and provider are the context", () => {
    expect(parseCall(body, { from: "dify" })).toEqual(call);
  });

  test("the body of the shorter route has the workspace beside them", () => {
    expect(parseCall({ tenant_id: "t", ...body }, { from: "dify" })).toEqual(call);
  });

  test("no credentials are kept, wherever they stand", () => {
    const context = { credentials: { tool_credentials: { weather: "SECRET" } } };
    expect(
      stringify(parseCall({ ...body, context }, { from: "dify" }) as unknown as JsonValue),
    ).not.toContain("SECRET");
  });

  test("words of another format are not written", () => {
    const other = { name: "now", arguments: {}, context: { format: "elsewhere", fields: { user_id: "u" } } };
    expect(stringify(renderCall(other, { to: "dify" }))).not.toContain('"u"');
  });

  test.each([
    ["a bare object of arguments", { city: "Oslo" }, "invalid-payload"],
    ["no parameters", { data: { tool: "now" } }, "invalid-payload /data/tool_parameters"],
    ["no tool", { data: { tool_parameters: {} } }, "invalid-payload /data/tool"],
    ["a user that is no text", { ...body, user_id: 7 }, "invalid-payload /user_id"],
  ])("%s is refused", (_, document, expected) => {
    expect(refusal(document, { from: "dify" })).toBe(expected);
  });
});

describe("the canonical call", () => {
  test.each([
    ["a key that no call has", { name: "n", arguments: {}, argument: 1 }, "invalid-payload /argument"],
    ["no arguments", { name: "n" }, "invalid-payload /arguments"],
    ["null as id", { toolCallId: null, name: "n", arguments: {} }, "invalid-payload /toolCallId"],
    [
      "a context without a format",
      { name: "n", arguments: {}, context: {} },
      "invalid-payload /context/format",
    ],
    ["a list", [], "invalid-payload"],
    ["another tool than the address names", { name: "m", arguments: {} }, "invalid-payload /name"],
  ])("%s is refused", (_, document, expected) => {
    expect(refusal(document, { from: "ir", name: "n" })).toBe(expected);
  });

  test("is what is written, and nothing else is", () => {
    const write = () => renderCall({ toolCallId: "", name: "n", arguments: {} }, { to: "arguments" });
    expect(write).toThrow(expect.objectContaining({ code: "invalid-payload", pointer: "/toolCallId" }));
  });

  test("has its JSON Schema beside that of a result", () => {
    expect(irJsonSchema()).toMatchObject({
      $defs: { toolCall: { type: "object", required: ["name", "arguments"], additionalProperties: false } },
    });
  });
});

describe("every format of calls", () => {
  const from = "arguments";

  test.each([
    ["a key that stands twice in the arguments", '{"a":{"b":1,"b":2}}', "duplicate-key /a/b"],
    ["no JSON", "city", "invalid-json"],
    ["bytes that are not UTF-8", new Uint8Array([0x7b, 0xff, 0x7d]), "invalid-utf8"],
    ["more values than the limit", '{"a":[1,2,3,4]}', "too-many-nodes /a/3"],
    ["a number longer than the limit", '{"a":123456}', "number-too-long /a"],
    ["a list of arguments", "[1]", "invalid-payload"],
  ])("%s is refused", (_, input, expected) => {
    expect(refusal(input, { from, name: "n", limits: { maxNodes: 5, maxNumberLength: 5 } })).toBe(expected);
  });

  test("bare arguments need an address that names the tool", () => {
    expect(refusal("{}", { from: "watsonx" })).toBe("invalid-payload");
  });

  test("a format of results alone is refused, with those that have calls", () => {
    const { call: _, ...results } = irAdapter;
    const { parseCall: parse, renderCall: render } = createConverter([
      ...adapters,
      { ...results, id: "results" },
    ]);
    const message = /^the format results has no calls; known: arguments, /;
    expect(() => parse("{}", { from: "results" })).toThrow(message);
    expect(() => render({ name: "n", arguments: {} }, { to: "results" })).toThrow(message);
  });
});
