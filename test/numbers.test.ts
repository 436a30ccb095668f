import { expect, test } from "vitest";
import { adapters } from "../adapters/index.ts";
import { createConverter } from "../src/converter.ts";
import { outputText } from "../src/output-text.ts";

const { convert, formats, render } = createConverter(adapters);

const digits = '{"id":12345678901234567890,"p":0.12345678901234567890123,"e":1e400}';
const dialects = formats().flatMap(({ id, dialects: known }) =>
  known.filter(({ output }) => output).map((dialect) => `${id}:${dialect.id}`),
);
const pairs = dialects.flatMap((from) => dialects.map((to) => [from, to] as const));

/** As JSON, or as a text within JSON. */
const holdsDigits = (text: string): boolean => text.replaceAll("\\", "").includes(digits);

test.each(pairs)("numbers come from %s to %s and back digit for digit (R7)", (from, to) => {
  const ir = convert(digits, { from: "watsonx", to: "ir", carry: "off" }).output;
  const source = outputText(convert(ir, { from: "ir", to: from, carry: "off", toolCallId: "call-1" }));
  expect(holdsDigits(source)).toBe(true);
  const there = convert(source, { from, to, carry: "detached" });
  const wire = outputText(there);
  expect(holdsDigits(wire)).toBe(true);
  const carried = there.carry === undefined ? {} : { carried: there.carry };
  expect(holdsDigits(outputText(convert(wire, { from: to, to: from, carry: "off", ...carried })))).toBe(true);
});

test("a text that holds such numbers is not read and keeps its spelling (R5)", () => {
  const text = "[1.0, 1E+2, -0]";
  const { output } = render({ content: [{ type: "text", text }] }, { to: "dify" });
  expect(output).toEqual([{ type: "text", message: { text } }]);
});
