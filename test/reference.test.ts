import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { adapters } from "../adapters/index.ts";
import { createConverter } from "../src/converter.ts";
import { errorCodes } from "../src/errors.ts";
import { builtInParts } from "../src/gateway/built-in.ts";
import { lossCodes } from "../src/losses.ts";
import { type ReferencePage, referencePages } from "../src/reference/pages.ts";
import { readmeSections, withSections } from "../src/reference/readme.ts";
import { limitNames, settingNames } from "../src/settings.ts";

const converter = createConverter(adapters);
const pages = referencePages(converter, builtInParts);

test.each(pages)("$path is fresh (else: npm run reference)", async ({ path, text }: ReferencePage) => {
  const found = await readFile(new URL(`../${path}`, import.meta.url), "utf8").catch(() => "");
  expect(found, `${path} is stale: run \`npm run reference\``).toBe(text);
});

test("the tables of README.md are fresh (else: npm run reference)", async () => {
  const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
  expect(readme).toBe(withSections(readme, readmeSections(converter)));
});

describe("every row of a table is on its page", () => {
  const dialects = adapters.flatMap(({ id, dialects }) => dialects.map((dialect) => `${id}:${dialect.id}`));
  test.each([
    ["src/LOSSES.md", lossCodes],
    ["src/ERRORS.md", errorCodes],
    ["src/SETTINGS.md", [...settingNames, ...limitNames]],
    ["adapters/FORMATS.md", dialects],
  ])("%s", (path, names) => {
    const rows = pages.find((page) => page.path === path)?.text.match(/(?<=^\| `)[^`]+/gm) ?? [];
    expect(rows.sort()).toEqual([...names].sort());
  });
});

test("every row of a table has as many cells as its head", () => {
  for (const { text } of pages) {
    for (const block of text.split("\n\n").filter((one) => one.startsWith("|"))) {
      const counts = block
        .trimEnd()
        .split("\n")
        .map((row) => row.replaceAll("\\|", "").split("|").length);
      expect(new Set(counts).size, block).toBe(1);
    }
  }
});
