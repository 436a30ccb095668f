import * as fc from "fast-check";
import { expect, test } from "vitest";
import { adapters } from "../../adapters/index.ts";
import { createConverter } from "../../src/converter.ts";
import type { JsonObject } from "../../src/json/json-value.ts";

/** What the laws leave out: a file stored by Dify does not come back by a carry that anybody may have written (R63). */

const converter = createConverter(adapters);
const strangers = ["strands:python", "watsonx:dictionary"] as const;

const paths = fc.constantFrom(
  "/files/tools/1.png",
  "/files/tools/2.pdf?sign=x",
  "https://dify.example.com/files/tools/3.png",
);

const stored: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.tuple(fc.constantFrom("image_link", "binary_link"), paths).map(([type, text]) => ({
    type,
    message: { text },
    meta: { tool_file_id: "1", transfer_method: "tool_file" },
  })),
  paths.map((url) => ({
    type: "file",
    message: { file_marker: "file_marker" },
    meta: { file: { type: "image", transfer_method: "tool_file", related_id: "1", url } },
  })),
);

const there = (message: JsonObject, by: string, carryKey: { readonly carryKey?: string }): string =>
  JSON.stringify(converter.convert([message], { from: "dify:list", to: by, ...carryKey }).output);

test.each(strangers)(
  "a stored file comes back from %s as a link or text where the carry is not signed",
  (by) => {
    fc.assert(
      fc.property(stored, (message) => {
        const { output, losses } = converter.convert(there(message, by, {}), {
          from: by,
          to: "dify:list",
          carry: "off",
        });
        const written = JSON.stringify(output);
        expect(written).not.toMatch(/image_link|binary_link|tool_file_id|transfer_method|related_id|"file"/);
        expect(losses.map(({ code }) => code)).toContain("stored-file-reference-dropped");
      }),
      { numRuns: 100, seed: 1 },
    );
  },
);

test.each(strangers)("a stored file comes back from %s as it was where the carry is signed", (by) => {
  const carryKey = { carryKey: "secret" };
  fc.assert(
    fc.property(stored, (message) => {
      const { output } = converter.convert(there(message, by, carryKey), {
        from: by,
        to: "dify:list",
        ...carryKey,
      });
      expect(output).toEqual([message]);
    }),
    { numRuns: 100, seed: 1 },
  );
});
