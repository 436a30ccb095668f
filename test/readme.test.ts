import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { adapters } from "../adapters/index.ts";
import { createConverter } from "../src/converter.ts";
import { createApp } from "../src/server/app.ts";

// The README's own files and commands, run as they stand there; what it prints must be what they print.
const root = fileURLToPath(new URL("..", import.meta.url));
const readme = readFileSync(join(root, "README.md"), "utf8");
const files = [...readme.matchAll(/^`([\w.-]+)`:\n\n```\w+\n([\s\S]*?)^```$/gm)];
const transcripts = [...readme.matchAll(/^```console\n([\s\S]*?)^```$/gm)].flatMap(([, block = ""]) =>
  block
    .split(/^\$ /m)
    .slice(1)
    .map((one) => ({ command: one.slice(0, one.indexOf("\n")), printed: one.slice(one.indexOf("\n") + 1) })),
);

let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "trg-readme-"));
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(root, join(folder, "node_modules", "tool-result-gateway"), "junction");
  symlinkSync(
    join(root, "node_modules", "fast-check"),
    join(folder, "node_modules", "fast-check"),
    "junction",
  );
  for (const [, name = "", text = ""] of files) writeFileSync(join(folder, name), text);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the README has files and transcripts for each of its users", () => {
  expect(files.map(([, name]) => name)).toEqual([
    "account.json",
    "forecast.sse",
    "convert.mjs",
    "laws.mjs",
    "acme.mjs",
    "hello.json",
  ]);
  expect(transcripts.map(({ command }) => command.split(" ")[0])).toEqual([
    "trg",
    "trg",
    "trg",
    "curl",
    "node",
    "node",
    "trg",
  ]);
});

describe("each command of the README prints what stands there", () => {
  test.each(transcripts)("$command", async ({ command, printed }) => {
    const [program = "", ...words] = wordsOf(command);
    expect(await outputOf(program, words)).toBe(printed);
  });
});

/** Words of a command line: quotes group, nothing else is special. */
function wordsOf(command: string): readonly string[] {
  return [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
}

async function outputOf(program: string, words: readonly string[]): Promise<string> {
  switch (program) {
    case "trg":
      return run([join(root, "dist", "src", "bin.js"), ...words]);
    case "node":
      return run(words);
    case "curl":
      return request(words);
    default:
      throw new Error(`the README runs ${program}, which no test does`);
  }
}

/** What Node prints, standard output first. */
async function run(parameters: readonly string[]): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [...parameters], { cwd: folder });
  return stdout + stderr;
}

/** The request that curl makes of these words, without a socket. */
async function request(words: readonly string[]): Promise<string> {
  const url = new URL(words.at(-1) ?? "");
  const [name = "", value = ""] = (words[words.indexOf("-H") + 1] ?? "").split(": ");
  const file = (words[words.indexOf("--data-binary") + 1] ?? "").slice(1);
  const answer = await createApp(createConverter(adapters)).request(url.pathname + url.search, {
    method: "POST",
    headers: { [name]: value, host: url.host },
    body: readFileSync(join(folder, file), "utf8"),
  });
  return `${(await answer.text()).trimEnd()}\n`;
}
