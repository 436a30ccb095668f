import { readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Every file that an entry reaches by imports, with the packages that they name. */
function reach(entry: string): { files: readonly string[]; packages: ReadonlySet<string> } {
  const files = new Set<string>();
  const packages = new Set<string>();
  const open = [join(root, entry)];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (files.has(file)) continue;
    files.add(file);
    for (const [, name = ""] of readFileSync(file, "utf8").matchAll(
      /\b(?:from|import)\s*\(?\s*"([^"\s]+)"/g,
    )) {
      if (name.startsWith(".")) open.push(join(dirname(file), name));
      else packages.add(name);
    }
  }
  return { files: [...files].map((file) => relative(root, file)), packages };
}

test("the library runs without Node: no file that it reaches imports a built-in module", () => {
  const { files, packages } = reach("src/index.ts");
  expect(files.length).toBeGreaterThan(20);
  const builtIn = [...packages].filter((name) => name.startsWith("node:") || builtinModules.includes(name));
  expect(builtIn).toEqual([]);
});

test("the library needs two packages and no others", () => {
  expect([...reach("src/index.ts").packages].sort()).toEqual(["fast-json-stable-stringify", "zod"]);
});

test("the check sees built-in modules where there are some", () => {
  expect([...reach("src/bin.ts").packages].some((name) => name.startsWith("node:"))).toBe(true);
});
