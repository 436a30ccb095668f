import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Running, startDemoGateway } from "./gateway/support.ts";

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

const environment: Record<string, string | undefined> = { ...process.env };
let folder = "";
let gateway: Running;

beforeAll(async () => {
  gateway = await startDemoGateway();
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

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await gateway.close();
});

test("the README has files and transcripts for each of its users", () => {
  expect(files.map(([, name]) => name)).toEqual([
    "account.json",
    "gateway.yaml",
    "weather_tool.py",
    "forecast.sse",
    "convert.mjs",
    "laws.mjs",
    "acme.mjs",
    "hello.json",
  ]);
  const programs = transcripts.map(({ command }) => command.split(" ")[0]);
  expect([...new Set(programs)]).toEqual(["trg", "curl", "export", "node"]);
  expect(programs.filter((program) => program === "curl").length).toBeGreaterThan(4);
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
    case "export": {
      const [name = "", value = ""] = (words[0] ?? "").split("=");
      environment[name] = value;
      return "";
    }
    default:
      throw new Error(`the README runs ${program}, which no test does`);
  }
}

/** What Node prints, standard output first. */
async function run(parameters: readonly string[]): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [...parameters], {
    cwd: folder,
    env: environment,
  });
  return stdout + stderr;
}

/** What curl prints, from the gateway as it is without a configuration. */
async function request(words: readonly string[]): Promise<string> {
  const valuesOf = (flag: string) =>
    words.flatMap((word, index) => (word === flag ? [words[index + 1] ?? ""] : []));
  const url = new URL(words.at(-1) ?? "");
  const [file] = valuesOf("--data-binary");
  const [body = readFileSync(join(folder, file?.slice(1) ?? ""))] = valuesOf("-d");
  const answer = await fetch(gateway.url + url.pathname + url.search, {
    method: "POST",
    headers: valuesOf("-H").map((header) => header.split(": ", 2) as [string, string]),
    body,
  });
  const text = await answer.text();
  return valuesOf("-w").length > 0 ? `${answer.status}\n` : `${text}${text.endsWith("\n") ? "" : "\n"}`;
}
