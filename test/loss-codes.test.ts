import * as fc from "fast-check";
import { expect, test } from "vitest";
import { adapters } from "../adapters/index.ts";
import { createConverter } from "../src/converter.ts";
import { type LossCode, lossCodes } from "../src/losses.ts";
import type { ConversionOptions } from "../src/options.ts";
import { sourcesOf, targetsOf, textOf } from "../src/testing/subject.ts";
import { subjectOf } from "./law-subjects.ts";

/** Options under which some losses are reported, and only then. */
const optionSets: readonly ConversionOptions[] = [
  {},
  { audience: "expose" },
  { assistantOnly: "withhold" },
  { nonEmpty: true },
  { limits: { carryLimit: 1 } },
];

/** Faults that the arbitrary payloads, being valid, do not have; each gives a loss (R20 to R28). */
const faulty: readonly { readonly from: string; readonly text: string }[] = [
  { from: "watsonx", text: '{"content": [], "structuredContent": {"a": 1, "a": 2}}' },
  {
    from: "watsonx",
    text: '{"content": [{"type": "resource", "resource": {"uri": "x:y", "text": "a", "blob": "AQI="}}]}',
  },
  { from: "watsonx", text: '{"content": [{"type": "image", "data": "AQI", "mimeType": "image/png"}]}' },
  {
    from: "strands",
    text: '{"toolUseId": "t", "status": "success", "content": [{"text": "a", "json": {}}]}',
  },
  {
    from: "strands",
    text: '{"toolUseId": "t", "status": "success", "content": [], "metadata": {"dev.tool-result-gateway/carry": 1}}',
  },
  {
    from: "dify",
    text: `[${[1, 0]
      .map(
        (sequence) =>
          `{"type": "blob_chunk", "message": {"id": "b", "sequence": ${sequence}, "total_length": 9, "blob": "AQI=", "end": ${sequence === 1}}, "meta": null}`,
      )
      .reverse()
      .join(",")}]`,
  },
  {
    from: "dify",
    text: `[${[1, 0, 2].map((sequence) => `{"type": "blob_chunk", "message": {"id": "b", "sequence": ${sequence}, "total_length": 6, "blob": "AQI=", "end": ${sequence === 2}}, "meta": null}`).join(",")}]`,
  },
  {
    from: "dify:session",
    text: 'print\n\n{"event": "session", "session_id": "s", "data": {"type": "end", "data": {}}}\n\n',
  },
  {
    from: "dify:agent",
    text: 'data: {"event": "agent_thought", "id": "1", "thought": "", "tool": "w;w", "tool_input": "", "observation": "{\\"w\\": \\"a\\"}"}\n\n',
  },
];

const converter = createConverter(adapters);
const targets = adapters.flatMap(targetsOf);

test("every code of the table is reported by some conversion, a fault of an adapter by none (R23)", () => {
  const seen = new Set<LossCode>();
  const gather = (text: string, from: string, to: string, options: ConversionOptions): void => {
    for (const { code } of converter.convert(text, { from, to, ...options }).losses) seen.add(code);
  };
  for (const source of adapters.flatMap((adapter) => sourcesOf(subjectOf(adapter)))) {
    const payloads = fc.sample(source.payloads, { numRuns: 60, seed: 1 });
    for (const [index, payload] of payloads.entries()) {
      for (const to of targets)
        gather(textOf(payload), source.name, to.name, optionSets[index % optionSets.length] ?? {});
    }
  }
  for (const { from, text } of faulty) gather(text, from, "ir", {});
  for (const code of [...staleCodes(), ...unsignedCodes()]) seen.add(code);
  expect(lossCodes.filter((code) => !seen.has(code))).toEqual(["unreported-change"]);
});

/** Of a payload that was edited on its way. */
function staleCodes(): readonly LossCode[] {
  const text = '{"content": [{"type": "text", "text": "before", "annotations": {"priority": 1}}]}';
  const { output } = converter.convert(text, { from: "watsonx", to: "strands" });
  const edited = textOf(output).replace("before", "after");
  return converter.convert(edited, { from: "strands", to: "watsonx" }).losses.map(({ code }) => code);
}

/** Of a file stored by Dify that comes back by a carry which anybody may have written (R63). */
function unsignedCodes(): readonly LossCode[] {
  const text = '[{"type": "image_link", "message": {"text": "/files/tools/1.png"}, "meta": null}]';
  const { output } = converter.convert(text, { from: "dify", to: "strands" });
  return converter.convert(textOf(output), { from: "strands", to: "dify" }).losses.map(({ code }) => code);
}
