import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const here = (path: string) => new URL(path, import.meta.url);
const readme = readFileSync(here("README.md"), "utf8");
const [, table = ""] = readme.split("## Faults and attacks");
const rows = [...table.matchAll(/^\| (.+?) \| (.+?) \| (.*?) ?\|$/gm)]
  .map(([, fault = "", behaviour = "", shown = ""]) => ({ fault, behaviour, shown }))
  .filter(({ fault }) => fault !== "Fault" && !fault.startsWith("---"));

test("the page has its rows", () => expect(rows.length).toBeGreaterThan(40));

test.each(rows)("$fault: its test is there, or it waits", ({ behaviour, shown }) => {
  if (behaviour.startsWith("waits for ")) {
    expect(shown).toBe("");
    return;
  }
  const [, file = "", name = ""] = /^`([\w./-]+)`: (.+)$/.exec(shown) ?? [];
  expect(existsSync(here(file)), `${file} is not there`).toBe(true);
  expect(readFileSync(here(file), "utf8")).toContain(name);
});
