// Writes the reference pages from the tables of the build. `test/reference.test.ts` fails where they are stale.
import { readFileSync, writeFileSync } from "node:fs";
import { adapters } from "../dist/adapters/index.js";
import { createConverter } from "../dist/src/converter.js";
import { builtInParts } from "../dist/src/gateway/built-in.js";
import { referencePages } from "../dist/src/reference/pages.js";
import { readmeSections, withSections } from "../dist/src/reference/readme.js";

const converter = createConverter(adapters);
const at = (path) => new URL(`../${path}`, import.meta.url);
const readme = {
  path: "README.md",
  text: withSections(readFileSync(at("README.md"), "utf8"), readmeSections(converter)),
};

for (const { path, text } of [...referencePages(converter, builtInParts), readme]) {
  writeFileSync(at(path), text);
  process.stdout.write(`${path}\n`);
}
