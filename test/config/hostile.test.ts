import { readFile } from "node:fs/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { isConversionError } from "../../src/errors.ts";
import { load } from "./loading.ts";

const full = await readFile(new URL("full.yaml", import.meta.url), "utf8");

/** Pieces that mean something to a reader of YAML or to the expansion. */
const pieces = [
  ..."[]{}:,-?&*!|>'\"%@`#\n\t ",
  "- ",
  ": ",
  "\n  ",
  "&a ",
  "*a",
  "<<: *a",
  "!!str ",
  "---\n",
  "...\n",
  "%YAML 1.1\n",
  "${",
  "$${",
  `\${PORT}`,
  `\${file:x}`,
  "null",
  "\u0000",
  "\uFEFF",
  "\uD800",
  "__proto__: 1",
];

/** The full configuration with pieces put in and cut out at random places. */
const damaged = fc
  .array(fc.tuple(fc.nat(full.length), fc.nat(8), fc.constantFrom(...pieces)), { minLength: 1, maxLength: 6 })
  .map((changes) =>
    changes.reduce((text, [at, cut, piece]) => text.slice(0, at) + piece + text.slice(at + cut), full),
  );

test("a damaged configuration is read or refused with places, and nothing else", async () => {
  const environment = { PORT: "1", OPS_KEY: "k".repeat(32), LEVEL: "info", TOOLS: "https://a.example" };
  await fc.assert(
    fc.asyncProperty(fc.oneof(damaged, fc.string({ unit: "binary", maxLength: 200 })), async (text) => {
      try {
        await load(text, { environment, files: { "/run/secrets/ci": "c".repeat(32) } });
      } catch (error) {
        if (!isConversionError(error)) throw error;
        expect(error.code).toBe("invalid-config");
        for (const line of error.message.split("\n"))
          expect(line).toMatch(/^conf\/trg\.yaml:\d+:\d+: |^and \d+ more$/);
      }
    }),
    { numRuns: 200 },
  );
});
