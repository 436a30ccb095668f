import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import { namesStoredFiles } from "../arbitraries/dify.ts";
import { between, codesOf, json, text, thereAndBack, variable, withoutCarry } from "./dify-helpers.ts";

/** To Strands and back by an unsigned carry: what comes is Dify's by the carry's word only (R63). */
function unsigned(messages: JsonValue) {
  const { output, losses } = between(between(messages, "dify", "strands").output, "strands", "dify");
  return { output: withoutCarry(output), losses };
}

const references: readonly JsonValue[] = [
  { tool_file_id: "z" },
  { a: [{ transfer_method: null }] },
  { file: { id: 1 } },
  { upload_file_id: "1" },
  { a: { b: ["/files/tools/1.png"] } },
];

describe("without a signature nothing of Dify's own could name a file (R63)", () => {
  test.each(references)("a block of an unknown type with %j is written as one of any format", (value) => {
    const weird = { type: "weird", message: { x: value }, meta: { k: 1 } };
    const { output, losses } = unsigned([text("a"), weird]);
    expect(output).toEqual([text("a"), json(weird)]);
    expect(losses).toContainEqual(
      expect.objectContaining({ code: "stored-file-reference-dropped", severity: "error" }),
    );
    expect(codesOf(losses)).not.toContain("opaque-placeholder");
    expect(namesStoredFiles([weird])).toBe(true);
    expect(thereAndBack([text("a"), weird], "dify", "strands", { carryKey: "secret" })).toEqual([
      text("a"),
      weird,
    ]);
  });

  test.each([
    ...references.map((value): JsonObject => ({ "x-new": value })),
    { file: 1 },
    { message: { text: "/files/tools/a" } },
    { message: { text: "a" } },
    { message: { blob: "AAEC" } },
    { message: { suppress_output: true, retriever_resources: [] } },
  ])("the unknown keys %j of a message are left out", (extra) => {
    const carried = between([{ ...json({ a: 1 }), "x-own": 1 }], "dify", "strands").output;
    const forged = JSON.parse(JSON.stringify(carried).replace('{"x-own":1}', JSON.stringify(extra)));
    expect(forged).not.toEqual(carried);
    const { output, losses } = between(forged as JsonValue, "strands", "dify");
    expect(withoutCarry(output)).toEqual([json({ a: 1 })]);
    expect(codesOf(losses)).toEqual(["stored-file-reference-dropped"]);
  });

  test("keys of a text's meta that Dify resolves are left out, and a loss says so", () => {
    const message = { ...text("a"), meta: { tool_file_id: "1", k: 1 } };
    const { output, losses } = unsigned([message]);
    expect(output).toEqual([{ ...text("a"), meta: { k: 1 } }]);
    expect(codesOf(losses)).toContain("stored-file-reference-dropped");
  });

  test("the unknown keys of variables, logs and suppressed json are left out", () => {
    const log = { type: "log", message: { id: "1", label: "l", status: "start", data: {} } };
    const messages = [
      { ...variable("v", 1), "x-new": { file: 1 } },
      { ...json({ v: 2 }, { suppress_output: true }), "x-new": "/files/tools/1.png" },
      { ...log, "x-new": { tool_file_id: "1" } },
      text("a"),
    ];
    expect(unsigned(messages).output).toEqual([
      variable("v", 1),
      json({ v: 2 }, { suppress_output: true }),
      log,
      text("a"),
    ]);
    expect(thereAndBack(messages, "dify", "strands", { carryKey: "secret" })).toEqual(messages);
  });

  test("what names no file comes back unsigned, data that does too", () => {
    const messages = [
      { type: "weird", message: { a: 1 }, meta: { k: 1 } },
      { ...text("a"), "x-new": { a: ["files/"] } },
      { ...json({ file: { tool_file_id: "1" } }), "x-new": 1 },
      variable("file", "/files/tools/1.png"),
    ];
    expect(thereAndBack(messages, "dify", "strands")).toEqual(messages);
  });
});
