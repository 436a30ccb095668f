// Writes the reference pages from the tables of the build. `test/reference.test.ts` fails where they are stale.
import { writeFileSync } from "node:fs";
import { adapters } from "../dist/adapters/index.js";
import { createConverter } from "../dist/src/converter.js";
import { referencePages } from "../dist/src/reference/pages.js";

for (const { path, text } of referencePages(createConverter(adapters).formats())) {
  writeFileSync(new URL(`../${path}`, import.meta.url), text);
  process.stdout.write(`${path}\n`);
}
