import { describe, expect, test } from "vitest";
import { adapters } from "../adapters/index.ts";
import { carryKey as key, type Origin } from "../src/adapter.ts";
import { createConverter } from "../src/converter.ts";
import type { JsonObject, JsonValue } from "../src/json/json-value.ts";
import { stringify } from "../src/json/stringify.ts";
import { makeCarry } from "../src/kernel/carry.ts";
import type { Delta } from "../src/kernel/delta.ts";
import type { ShapeOptions } from "../src/options.ts";

const { convert, parse } = createConverter(adapters);

const codes = (losses: readonly { readonly code: string }[]): readonly string[] =>
  losses.map(({ code }) => code);

/** A carry as somebody else would write it: bound to the payload, with whatever in it. */
function forged(
  format: string,
  payload: JsonValue,
  delta: Delta,
  origin: Origin,
  dialect: string,
  options: ShapeOptions = {},
) {
  const [read] = parse(payload, { from: format });
  if (read === undefined) throw new Error("the payload holds no result");
  return makeCarry(delta, read.result, origin, dialect, options, undefined);
}

const watsonx = (content: readonly JsonObject[], carry?: JsonValue): JsonObject => ({
  content,
  ...(carry === undefined ? {} : { _meta: { [key]: carry } }),
});
const userOnly = { type: "text", text: "SECRET", annotations: { audience: ["user"] } };

describe("a foreign carry opens no way to a model (R33, R40)", () => {
  test("it does not take away the audience that the payload states", () => {
    const payload = watsonx([userOnly]);
    const carry = forged(
      "watsonx",
      payload,
      { parts: [{ at: 0, unset: ["audience"] }] },
      { format: "ir" },
      "dictionary",
    );
    const { output, losses } = convert(watsonx([userOnly], carry), {
      from: "watsonx",
      to: "strands",
      carry: "off",
    });
    expect(stringify(output)).not.toContain("SECRET");
    expect(codes(losses)).toContain("carry-rejected");
  });

  test.each([
    ["strands", "strands"],
    ["dify", "dify"],
    ["watsonx", "watsonx:openapi"],
  ])("naming %s as the origin shows nothing to %s", (origin, to) => {
    const carry = forged(
      "watsonx",
      watsonx([userOnly]),
      {},
      { format: origin, ...(to === "watsonx:openapi" ? { dialect: "openapi" } : {}) },
      "dictionary",
    );
    const { output, losses } = convert(watsonx([userOnly], carry), { from: "watsonx", to, carry: "off" });
    expect(stringify(output)).not.toContain("SECRET");
    expect(codes(losses)).toContain("user-only-withheld");
  });

  test.each([[["user"]], [["somebody"]]])("content for %s that it adds stays withheld", (audience) => {
    const payload = { toolUseId: "x", status: "success", content: [{ text: "hello" }] };
    const delta: Delta = { order: [0, { set: { type: "text", text: "SECRET", audience } }] };
    const carry = forged("strands", payload, delta, { format: "dify" }, "python");
    const { output } = convert(
      { ...payload, metadata: { [key]: carry } },
      { from: "strands", to: "dify", carry: "off" },
    );
    expect(stringify(output)).not.toContain("SECRET");
  });

  test("an IR document that names an origin shows nothing either", () => {
    const part = { type: "text", text: "SECRET", audience: ["user"] };
    for (const [format, to] of [
      ["strands", "strands"],
      ["dify", "dify"],
    ] as const) {
      const document = { toolResultIr: 1, origin: { format }, content: [part] };
      expect(stringify(convert(document, { from: "ir", to, carry: "off" }).output)).not.toContain("SECRET");
    }
  });

  test("signed, it brings back what its format said", () => {
    const block = {
      type: "resource_link",
      uri: "https://example.com/",
      name: "a",
      annotations: { audience: ["user"] },
    };
    const original = { toolUseId: "x", status: "success", content: [{ json: block }] };
    const options = { carryKey: "secret" } as const;
    const there = convert(original, { from: "strands", to: "watsonx", ...options });
    const back = convert(there.output, { from: "watsonx", to: "strands", carry: "off", ...options });
    expect(back.output).toEqual(original);
    const unsigned = convert(convert(original, { from: "strands", to: "watsonx" }).output, {
      from: "watsonx",
      to: "strands",
    });
    expect(codes(unsigned.losses)).toContain("user-only-withheld");
  });
});

describe("what is said on the way wins (R32)", () => {
  const dify = [
    { type: "json", message: { json_object: ["SECRET"] } },
    { type: "text", message: { text: "a" } },
  ];

  test("a part that is marked for the user is withheld", () => {
    const payload = convert(dify, { from: "dify", to: "watsonx" }).output as { content: JsonObject[] };
    const content = payload.content.map((block, index) =>
      index === 0 ? { ...block, annotations: { audience: ["user"] } } : block,
    );
    const { output } = convert({ ...payload, content }, { from: "watsonx", to: "strands", carry: "off" });
    expect(stringify(output)).not.toContain("SECRET");
  });

  test("a part for the user that is added is withheld from where the result came from", () => {
    const payload = convert(dify, { from: "dify", to: "watsonx" }).output as { content: JsonObject[] };
    const added = { ...payload, content: [...payload.content, { ...userOnly, text: "HIDDEN" }] };
    const { output, losses } = convert(added, { from: "watsonx", to: "dify", carry: "off" });
    expect(stringify(output)).not.toContain("HIDDEN");
    expect(codes(losses)).toContain("user-only-withheld");
  });

  test("an error that is added is told where it has no field", () => {
    const there = convert(watsonx([{ type: "text", text: "a", annotations: { priority: 1 } }]), {
      from: "watsonx",
      to: "dify",
    });
    const mark = { "dev.tool-result-gateway/mark": { error: true } };
    const failed = [
      ...(there.output as readonly JsonValue[]),
      { type: "variable", message: { variable_name: "is_error", variable_value: true }, meta: mark },
      { type: "variable", message: { variable_name: "error_message", variable_value: "boom" }, meta: mark },
    ];
    const { output } = convert(failed, { from: "dify", to: "watsonx", carry: "off" });
    expect(output).toMatchObject({ isError: true });
    expect(stringify(output)).toContain("boom");
  });
});

describe("a carry is ignored where it says something else than its payload (R33)", () => {
  const evil = { response_type: "forms", name: "evil" };
  test.each<[string, string, JsonValue, Delta, Origin, string]>([
    [
      "an error message",
      "dify",
      [
        {
          type: "variable",
          message: { variable_name: "is_error", variable_value: true },
          meta: { "dev.tool-result-gateway/mark": { error: true } },
        },
        {
          type: "variable",
          message: { variable_name: "error_message", variable_value: "real" },
          meta: { "dev.tool-result-gateway/mark": { error: true } },
        },
      ],
      { result: { set: { error: { message: "EVIL" } } } },
      { format: "watsonx" },
      "list",
    ],
    [
      "logs",
      "dify",
      [{ type: "text", message: { text: "a" } }],
      { result: { set: { logs: [{ id: "1", label: "EVIL", status: "success", data: {} }] } } },
      { format: "ir" },
      "list",
    ],
    [
      "a widget",
      "watsonx",
      watsonx([{ type: "text", text: "a" }]),
      { result: { set: { widget: evil } } },
      { format: "dify" },
      "dictionary",
    ],
    [
      "metadata",
      "watsonx",
      watsonx([{ type: "text", text: "a" }]),
      { meta: { evil: 1 } },
      { format: "dify" },
      "dictionary",
    ],
    [
      "the id of the call",
      "strands",
      { toolUseId: "x", status: "success", content: [] },
      { callId: { wrote: "x", was: "evil" } },
      { format: "watsonx" },
      "python",
    ],
    [
      "a priority",
      "watsonx",
      watsonx([{ type: "text", text: "a" }]),
      { parts: [{ at: 0, set: { priority: 1 } }] },
      { format: "ir" },
      "dictionary",
    ],
    [
      "visible text",
      "watsonx",
      watsonx([{ type: "text", text: "a" }]),
      { parts: [{ at: 0, set: { text: "EVIL" } }] },
      { format: "ir" },
      "dictionary",
    ],
  ])("%s", (_, format, payload, delta, origin, dialect) => {
    const carried = forged(format, payload, delta, origin, dialect);
    const { losses } = convert(payload, { from: format, to: "ir", carried });
    expect(codes(losses)).toContain("carry-rejected");
  });

  test("a value that is named too often", () => {
    const payload = watsonx([{ type: "text", text: "x".repeat(100) }]);
    const copy = { set: { type: "text" }, refer: { text: { as: "copy" as const, of: "/content/0/text" } } };
    const carried = forged(
      "watsonx",
      payload,
      { order: [0, ...Array.from({ length: 9 }, () => copy)] },
      { format: "ir" },
      "dictionary",
    );
    expect(codes(convert(payload, { from: "watsonx", to: "ir", carried }).losses)).toContain(
      "carry-rejected",
    );
  });

  test("an unsigned one where a signature is demanded, and one whose signature is of another key", () => {
    const there = convert([{ type: "text", message: { text: "a" } }], {
      from: "dify",
      to: "strands",
      carryKey: "right",
    });
    const read = (carryKey: string) =>
      codes(convert(there.output, { from: "strands", to: "dify", carryKey }).losses);
    expect(read("right")).not.toContain("carry-rejected");
    expect(read("wrong")).toContain("carry-rejected");
    const unsigned = convert([{ type: "text", message: { text: "a" } }], { from: "dify", to: "strands" });
    expect(
      codes(convert(unsigned.output, { from: "strands", to: "dify", carryKey: "right" }).losses),
    ).toContain("carry-rejected");
  });
});

test("unknown roles alone keep a part out of a body that a model reads (R44)", () => {
  const payload = watsonx([{ type: "text", text: "SECRET", annotations: { audience: ["User"] } }]);
  const { output, losses } = convert(payload, { from: "watsonx", to: "watsonx:openapi" });
  expect(stringify(output)).not.toContain("SECRET");
  expect(codes(losses)).toContain("audience-unknown");
});

test("a dialect of the same format that mends more brings back what came from it", () => {
  const original = {
    toolResult: { toolUseId: "a b/c", status: "success", content: [{ guardContent: null }] },
  };
  const there = convert(original, { from: "strands:bedrock", to: "strands:python" });
  const back = convert(there.output, { from: "strands:python", to: "strands:bedrock" });
  expect(back.output).toEqual(original);
});
