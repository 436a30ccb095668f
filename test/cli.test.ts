import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { adapters } from "../adapters/index.ts";
import { createFile } from "../src/cli/node-files.ts";
import { run } from "../src/cli/program.ts";
import { errorCodes, exitCodes } from "../src/errors.ts";
import { builtInParts } from "../src/gateway/built-in.ts";
import { lossCodes } from "../src/losses.ts";
import { type MemoryWorld, memoryIo } from "./memory-io.ts";

const mixed = {
  content: [
    { type: "text", text: "sunny" },
    { type: "text", text: "the key is 42", annotations: { audience: ["user"] } },
  ],
  isError: false,
};
const mixedText = JSON.stringify(mixed);
const dify = JSON.stringify([{ type: "text", message: { text: "sunny" } }]);

/** One transcript: what `trg` writes and how it ends. */
async function trg(argv: string, world: MemoryWorld = {}) {
  const io = memoryIo(world);
  const exit = await run(argv.split(" "), io, {
    adapters,
    gateway: builtInParts,
    version: "1.2.3",
  });
  return { exit, ...io.written, files: io.files };
}

describe("convert", () => {
  test("writes the result to standard output", async () => {
    expect(await trg("convert --from dify --to watsonx", { stdin: dify })).toMatchObject({
      exit: exitCodes.ok,
      stdout: '{"content":[{"type":"text","text":"sunny"}]}\n',
      stderr: "",
    });
  });

  test("recognises the format of the input", async () => {
    const { exit, stdout } = await trg("convert --to watsonx", { stdin: dify });
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: '{"content":[{"type":"text","text":"sunny"}]}\n' });
  });

  test("reports losses on standard error as text", async () => {
    const { exit, stdout, stderr } = await trg("convert --from watsonx --to dify --carry off", {
      stdin: mixedText,
    });
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: '[{"type":"text","message":{"text":"sunny"}}]\n' });
    expect(stderr).toMatch(
      /^trg: 1 loss \(1 warning\)\n {2}warning {2}user-only-withheld {2}\/content\/1: .* \(not carried\)\n$/,
    );
  });

  test("reports losses as JSON lines, on standard error and in a file", async () => {
    const { stderr, files } = await trg(
      "convert --from watsonx --to dify --losses json --losses-file losses.ndjson in.json",
      { files: { "in.json": mixedText } },
    );
    expect(JSON.parse(stderr)).toMatchObject({
      code: "user-only-withheld",
      severity: "warning",
      pointer: "/content/1",
      carried: true,
      file: "in.json",
    });
    expect(files.get("losses.ndjson")).toBe(stderr);
  });

  test("reports nothing with --losses none", async () => {
    expect((await trg("convert --from watsonx --to dify --losses none", { stdin: mixedText })).stderr).toBe(
      "",
    );
  });

  test("writes output, losses and carry in one envelope", async () => {
    const { stdout } = await trg("convert --from watsonx --to dify --envelope --carry detached", {
      stdin: mixedText,
    });
    expect(JSON.parse(stdout)).toMatchObject({
      output: [{ type: "text", message: { text: "sunny" } }],
      losses: [{ code: "user-only-withheld", carried: true }],
      carry: expect.anything(),
    });
  });

  test("brings a detached carry back by way of files", async () => {
    const there = await trg(
      "convert --from watsonx --to strands:bedrock --tool-call-id call-1 --carry detached --carry-out carry.json",
      { stdin: mixedText },
    );
    expect(there.stdout).not.toContain("42");
    const back = await trg("convert --from strands --to watsonx --carry-file carry.json", {
      stdin: there.stdout,
      files: { "carry.json": there.files.get("carry.json") ?? "" },
    });
    expect(JSON.parse(back.stdout).content).toEqual(mixed.content);
  });

  test("refuses losses under --strict and --fail-on, and says which", async () => {
    for (const flag of ["--strict --carry off", "--fail-on warning", "--fail-on user-only-withheld"]) {
      const { exit, stdout, stderr } = await trg(`convert --from watsonx --to dify ${flag}`, {
        stdin: mixedText,
      });
      expect({ exit, stdout }).toEqual({ exit: exitCodes.lossesRefused, stdout: "" });
      expect(stderr).toContain("  user-only-withheld  /content/1: ");
      expect(stderr).toContain("trg: losses-refused: ");
    }
  });

  test("indents with --pretty, one file after another", async () => {
    const files = { "a.json": dify, "b.json": dify };
    const { stdout } = await trg("convert --from dify --to watsonx --pretty a.json b.json", { files });
    const one = `${JSON.stringify({ content: [{ type: "text", text: "sunny" }] }, undefined, 2)}\n`;
    expect(stdout).toBe(one + one);
  });

  test("writes lines and events as they are", async () => {
    const { stdout } = await trg("convert --from dify --to dify:ndjson", { stdin: dify });
    expect(stdout).toBe('{"type":"text","message":{"text":"sunny"}}\n');
  });

  test("keeps every digit", async () => {
    const number = '{"id":12345678901234567890,"p":0.12345678901234567890123,"e":1e400}';
    const { stdout } = await trg("convert --from watsonx --to ir", {
      stdin: `{"content":[],"structuredContent":${number}}`,
    });
    expect(stdout).toContain(number);
  });

  test("converts every result with --all", async () => {
    const stdin = JSON.stringify({
      role: "user",
      content: ["a", "b"].map((toolUseId) => ({
        toolResult: { toolUseId, status: "success", content: [{ text: toolUseId }] },
      })),
    });
    const one = await trg("convert --from strands --to watsonx --carry off", { stdin });
    expect({ exit: one.exit, stdout: one.stdout }).toEqual({ exit: 1, stdout: "" });
    expect(one.stderr).toMatch(/^trg: many-results: .*a, b/);
    const all = await trg("convert --from strands --to watsonx --carry off --all", { stdin });
    expect(all.stdout.trimEnd().split("\n")).toHaveLength(2);
    const named = await trg("convert --from strands --to watsonx --carry off --tool-call-id b", { stdin });
    expect(JSON.parse(named.stdout).content).toEqual([{ type: "text", text: "b" }]);
  });

  test("names the file and the place of an error, and what to do", async () => {
    const files = { "in.json": '{"content":[{"type":"image","data":"?","mimeType":"image/png"}]}' };
    expect(await trg("convert --from watsonx --to ir in.json", { files })).toMatchObject({
      exit: exitCodes.failed,
      stdout: "",
      stderr: expect.stringMatching(
        /^trg: invalid-base64: in\.json: .* \(at \/content\/0\/data\)\n {5}Have the producer /,
      ),
    });
  });

  test("refuses an empty input in every format", async () => {
    for (const stdin of ["", " \n"]) {
      const { exit, stderr } = await trg("convert --from dify:ndjson --to ir", { stdin });
      expect({ exit, stderr }).toMatchObject({
        exit: 1,
        stderr: expect.stringContaining("invalid-json: the input is empty"),
      });
    }
  });

  test("names UTF-16 and what to do", async () => {
    for (const stdin of [Buffer.from(`\ufeff${dify}`, "utf16le"), Buffer.from(dify, "utf16le")]) {
      const { exit, stderr } = await trg("convert --from dify --to ir", { stdin: [stdin] });
      expect(exit).toBe(exitCodes.failed);
      expect(stderr).toMatch(/^trg: invalid-utf8: .*UTF-16.*\n.*iconv -f UTF-16 -t UTF-8/);
    }
  });

  test("refuses flags that contradict each other", async () => {
    for (const flags of [
      "--carry detached",
      "--carry-out carry.json",
      "--lines --pretty",
      "--lines --all",
      "--lines --carry-file carry.json",
    ]) {
      const { exit, stdout, stderr } = await trg(`convert --to watsonx ${flags}`, { stdin: dify });
      expect({ flags, exit, stdout }).toEqual({ flags, exit: exitCodes.usage, stdout: "" });
      expect(stderr).toMatch(/^trg: usage: --/);
    }
  });

  test("fails on a file that is not there", async () => {
    const { exit, stderr } = await trg("convert --to watsonx missing.json");
    expect({ exit, stderr }).toMatchObject({
      exit: exitCodes.system,
      stderr: expect.stringContaining("missing.json"),
    });
  });

  test("writes no file when the conversion fails", async () => {
    const { exit, files } = await trg("convert --from dify --to watsonx -o out.json", { stdin: "[" });
    expect({ exit, names: [...files.keys()] }).toEqual({ exit: 1, names: [] });
  });

  test("is quiet when the reader of the output has gone", async () => {
    const world = { stdin: dify, pipeBreaksAfter: 0 };
    expect(await trg("convert --from dify --to watsonx", world)).toMatchObject({
      exit: 0,
      stdout: "",
      stderr: "",
    });
  });
});

describe("convert --lines", () => {
  const batch = (...lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");
  const sunny = '{"content":[{"type":"text","text":"sunny"}]}';

  test("gives line N of the output for line N of the input, and ends with 1 where one failed", async () => {
    const stdin = batch(dify, "", "[", dify);
    const { exit, stdout, stderr } = await trg("convert --lines --from dify --to watsonx", { stdin });
    const lines = stdout.split("\n");
    expect({ exit, count: lines.length }).toEqual({ exit: exitCodes.failed, count: 5 });
    expect([lines[0], lines[1], lines[3]]).toEqual([sunny, "", sunny]);
    expect(JSON.parse(lines[2] ?? "")).toEqual({
      error: { code: "invalid-json", pointer: expect.any(String), detail: expect.any(String), line: 3 },
    });
    expect(stderr).toMatch(/^trg: invalid-json: line 3: .*\n {5}.*\n$/);
  });

  test("reads the same lines however the bytes are split", async () => {
    const text = `${dify}\r\n${dify}\n\n${dify}`;
    for (const size of [1, 2, 7, text.length]) {
      const stdin = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
      const { stdout } = await trg("convert --lines --from dify --to watsonx", { stdin });
      expect(stdout).toBe(batch(sunny, sunny, "", sunny));
    }
  });

  test("refuses a line over the limit in its place, and reads on", async () => {
    const stdin = batch(dify, `"${"x".repeat(200)}"`, dify);
    const { stdout } = await trg("convert --lines --from dify --to watsonx --max-line-bytes 100", { stdin });
    expect(JSON.parse(stdout.split("\n")[1] ?? "")).toMatchObject({
      error: { code: "line-too-long", line: 2 },
    });
    expect(stdout.split("\n")[2]).toBe(sunny);
  });

  test("gives the losses behind a refusal in its place", async () => {
    const stdin = batch(mixedText);
    const { exit, stdout } = await trg("convert --lines --from watsonx --to dify --fail-on warning", {
      stdin,
    });
    expect(exit).toBe(exitCodes.failed);
    expect(JSON.parse(stdout).error).toMatchObject({
      code: "losses-refused",
      losses: [{ code: "user-only-withheld" }],
    });
  });

  test("derives different call ids for equal lines", async () => {
    const { stdout } = await trg("convert --lines --from dify --to strands --losses none", {
      stdin: batch(dify, dify),
    });
    const [first, second] = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).toolUseId);
    expect(first).not.toBe(second);
  });

  test("takes a target of lines or events only in an envelope", async () => {
    const bare = await trg("convert --lines --from dify --to dify:ndjson", { stdin: batch(dify) });
    expect({ exit: bare.exit, stdout: bare.stdout }).toEqual({ exit: exitCodes.usage, stdout: "" });
    const { stdout } = await trg("convert --lines --from dify --to dify:ndjson --envelope", {
      stdin: batch(dify),
    });
    expect(JSON.parse(stdout).output).toBe('{"type":"text","message":{"text":"sunny"}}\n');
  });

  test("stops at a wrong option instead of repeating it for every line", async () => {
    const { exit, stdout } = await trg("convert --lines --from dify --to watsnox", {
      stdin: batch(dify, dify),
    });
    expect({ exit, stdout }).toEqual({ exit: exitCodes.usage, stdout: "" });
  });

  test("shows a bar on a terminal when it takes long, and takes it away", async () => {
    const files = { "in.ndjson": batch(dify, dify) };
    const argv = "convert --lines --from dify --to watsonx in.ndjson";
    const { stderr } = await trg(argv, { files, terminal: "stderr", tick: 1200 });
    expect(stderr.replaceAll("\r\u001b[K", "<erase>")).toMatch(
      /^<erase>\[#{24}\] {2}100 % {2}2 lines {2}\d+ lines\/s {2}0\.0 MB<erase>$/,
    );
    expect((await trg(argv, { files, terminal: "stderr", tick: 1 })).stderr).toBe("");
    expect((await trg(argv, { files, terminal: "both", tick: 1200 })).stderr).toBe("");
    expect((await trg(`${argv} -o out.ndjson`, { files, terminal: "both", tick: 1200 })).stderr).not.toBe("");
    expect((await trg(argv, { files, tick: 1200 })).stderr).toBe("");
  });

  test("ends quietly when the reader of the output has gone", async () => {
    const world = { stdin: [batch(dify), batch(dify)], pipeBreaksAfter: 1 };
    const { exit, stdout, stderr } = await trg("convert --lines --from dify --to watsonx", world);
    expect({ exit, stdout, stderr }).toEqual({ exit: 0, stdout: batch(sunny), stderr: "" });
  });
});

describe("a terminal", () => {
  test("gets colours, unless it does not want them", async () => {
    const argv = "convert --from watsonx --to dify";
    const world = { stdin: mixedText, terminal: "stderr" } as const;
    expect((await trg(argv, world)).stderr).toContain("\u001b[33mwarning\u001b[0m");
    expect((await trg(argv, { ...world, environment: { NO_COLOR: "1" } })).stderr).not.toContain("\u001b");
    expect((await trg(argv, { ...world, environment: { TERM: "dumb" } })).stderr).not.toContain("\u001b");
  });

  test("never obeys what a payload or an argument says", async () => {
    const csi = "\u009b31m\u001b]0;owned\u0007\u202e";
    const stdin = JSON.stringify({ content: [{ type: "text", text: csi, annotations: { [csi]: 1 } }] });
    for (const argv of [
      "convert --from watsonx --to dify --carry off",
      "convert --from watsonx --to ir --losses json",
      "convert --from ir --to dify",
      `convert --to ${csi}`,
      `convert --audience ${csi} --to ir`,
      `explain ${csi}`,
      `${csi}`,
      `convert --to ir ${csi}`,
    ]) {
      const { stdout, stderr } = await trg(argv, { stdin, terminal: "both", environment: { NO_COLOR: "1" } });
      // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal would obey.
      expect(stdout + stderr, argv).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    }
  });

  test("gets the first losses and a count of the rest", async () => {
    const content = Array.from({ length: 30 }, () => ({
      type: "text",
      text: "x",
      annotations: { audience: ["user"] },
    }));
    const { stderr } = await trg("convert --from watsonx --to dify", { stdin: JSON.stringify({ content }) });
    expect(stderr.match(/^ {2}warning/gm)?.length).toBe(20);
    expect(stderr).toMatch(/more: \d+ [a-z-]+.*; --losses json shows all\n$/);
  });
});

describe("adapters from outside", () => {
  const adapter = `{
    id: "note", title: "A note", spec: { url: "urn:note", version: "1" },
    dialects: [{ id: "plain", title: "plain", output: true, mediaType: "application/json",
      traits: { audience: "withhold", structured: "content", errorField: false, widget: false, showsModelText: false } }],
    detect: (document) => document?.note === undefined ? [] : [{ confidence: "certain", evidence: "the key note" }],
    parse: (document) => [{ result: { content: [{ type: "text", text: document.note }] } }],
    render: (result) => ({ note: result.content.map((part) => part.text ?? "").join("") }),
    canonical: (document) => document,
  }`;

  async function folderWith(source: string): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), "trg-"));
    await writeFile(join(folder, "note.mjs"), source);
    return folder;
  }

  test("come by a path, as a default, named or listed export", async () => {
    for (const source of [
      `export default ${adapter};`,
      `export const adapter = ${adapter};`,
      `export const adapters = [${adapter}];`,
      `export const adapter = ${adapter}; export default adapter;`,
    ]) {
      const workingDirectory = await folderWith(source);
      const world = { stdin: '{"note":"sunny"}', workingDirectory };
      const { exit, stdout } = await trg("convert --adapter ./note.mjs --to watsonx --carry off", world);
      expect({ exit, stdout }).toEqual({ exit: 0, stdout: '{"content":[{"type":"text","text":"sunny"}]}\n' });
    }
  });

  test("are refused with a reason where they are none", async () => {
    const cases = {
      "export const nothing = 1;": /exports neither/,
      "export default 1;": /exports number/,
      "export default {};": /`id`/,
      "throw new Error('broken');": /cannot load .*broken/,
      [`export default { ...${adapter}, id: "dify" };`]: /two adapters/,
    };
    for (const [source, reason] of Object.entries(cases)) {
      const workingDirectory = await folderWith(source);
      const { exit, stderr } = await trg("formats --adapter ./note.mjs", { workingDirectory });
      expect(exit).toBe(exitCodes.usage);
      expect(stderr).toMatch(/^trg: invalid-adapter: /);
      expect(stderr).toMatch(reason);
    }
    const missing = await trg("formats --adapter no-such-package");
    expect(missing).toMatchObject({
      exit: exitCodes.usage,
      stderr: expect.stringContaining("cannot load no-such-package"),
    });
  });
});

describe("the other commands", () => {
  test("detect writes what --from takes, and the evidence aside", async () => {
    const { exit, stdout, stderr } = await trg("detect", { stdin: mixedText });
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: "watsonx\n" });
    expect(stderr).toMatch(/^trg: .+\n$/);
    const json = await trg("detect --json", { stdin: mixedText });
    expect(JSON.parse(json.stdout)).toMatchObject({ outcome: "recognised", format: "watsonx" });
  });

  test("detect fails on what no format and what more than one could have written", async () => {
    const unknown = await trg("detect", { stdin: '{"weather":"sunny"}' });
    expect(unknown).toMatchObject({
      exit: 1,
      stdout: "",
      stderr: expect.stringContaining("unrecognised-format"),
    });
    const ambiguous = await trg("detect --json", { stdin: '{"content":[]}' });
    expect(ambiguous).toMatchObject({ exit: 1, stderr: expect.stringContaining("ambiguous-format") });
    expect(JSON.parse(ambiguous.stdout).outcome).toBe("ambiguous");
  });

  test("validate tells of every input", async () => {
    const files = { "good.json": mixedText, "bad.json": "{", "empty.json": "", "other.json": dify };
    const { exit, stdout } = await trg("validate good.json bad.json empty.json other.json", { files });
    expect(exit).toBe(exitCodes.failed);
    expect(stdout).toBe(
      "good.json: valid, 1 result\nbad.json: invalid, invalid-json\nempty.json: invalid, invalid-json\nother.json: valid, 1 result\n",
    );
  });

  test("canonical gives one form for payloads that say the same", async () => {
    const other = '{"isError":false,"content":["sunny"]}';
    const files = { "a.json": '{"content":[{"text":"sunny","type":"text"}]}', "b.json": other };
    const { stdout } = await trg("canonical --from watsonx a.json b.json", { files });
    const [first, second] = stdout.split("\n");
    expect(first).toBe(second);
  });

  test("explain prints the entry of every code", async () => {
    for (const code of [...lossCodes, ...errorCodes]) {
      const { exit, stdout } = await trg(`explain ${code}`);
      expect({ code, exit }).toEqual({ code, exit: 0 });
      expect(stdout).toMatch(
        new RegExp(`^${code} \\((loss, (info|warning|error)|error)\\)\\n {2}What happened: `),
      );
    }
    expect((await trg("explain duplicate-key")).stdout).toMatch(/\(loss, warning\)[\s\S]*\(error\)/);
    expect(JSON.parse((await trg("explain json-as-text --json")).stdout)).toMatchObject({
      loss: { severity: "info" },
    });
  });

  test("formats lists every dialect", async () => {
    const { stdout } = await trg("formats");
    for (const { id, dialects } of adapters)
      for (const dialect of dialects) expect(stdout).toContain(`${id}:${dialect.id} `);
    expect(JSON.parse((await trg("formats --json")).stdout)).toHaveLength(adapters.length);
  });

  test("matrix shows what each part becomes", async () => {
    const { exit, stdout } = await trg("matrix --from dify --to strands watsonx");
    expect(exit).toBe(0);
    expect(stdout).toMatch(/^ +from dify +to strands +to watsonx$/m);
    expect(stdout).toMatch(/^text +text +text +text/m);
    const tables = JSON.parse((await trg("matrix --json")).stdout);
    expect(tables.map(({ from }: { from: string }) => from)).toEqual(adapters.map(({ id }) => id));
  });

  test("matrix computes: another adapter gives another matrix", async () => {
    const image = (stdout: string) =>
      JSON.parse(stdout)[0].rows.find(({ part }: { part: string }) => part === "image bytes");
    const { stdout } = await trg("matrix --json --from ir --to strands");
    expect(image(stdout).targets).toEqual([{ to: "strands", becomes: { form: ["image"], losses: [] } }]);
    const blind = adapters.map((one) =>
      one.id === "strands" ? { ...one, render: () => ({ content: [] }) } : one,
    );
    const io = memoryIo();
    await run(["matrix", "--json", "--from", "ir", "--to", "strands"], io, {
      adapters: blind,
      gateway: builtInParts,
      version: "1",
    });
    expect(image(io.written.stdout).targets[0].becomes).not.toEqual({ form: ["image"], losses: [] });
  });

  test("serve answers until it is told to stop", async () => {
    const io = memoryIo();
    const exit = run(["serve", "--port", "0"], io, {
      adapters,
      gateway: builtInParts,
      version: "1",
    });
    await expect.poll(() => io.written.stdout).toMatch(/^Listening on http:\/\/127\.0\.0\.1:\d+\n/);
    const url = io.written.stdout.match(/http:\S+/)?.[0] ?? "";
    expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ status: "ok" });
    const second = await trg(`serve --port ${new URL(url).port}`);
    expect(second).toMatchObject({
      exit: exitCodes.system,
      stderr: expect.stringContaining("the port is in use"),
    });
    io.stop();
    expect(await exit).toBe(0);
  });

  test("serve refuses an address that others can reach, and a port that is none", async () => {
    for (const flags of ["--host 0.0.0.0", "--port 70000", "--port x"]) {
      const { exit, stderr } = await trg(`serve ${flags}`);
      expect({ flags, exit }).toEqual({ flags, exit: exitCodes.usage });
      expect(stderr).toMatch(/^trg: invalid-config: --(host|port): /);
    }
  });
});

describe("usage", () => {
  test("--version and --help end with 0", async () => {
    expect(await trg("--version")).toMatchObject({ exit: 0, stdout: "1.2.3\n" });
    expect(await trg("--help")).toMatchObject({
      exit: 0,
      stdout: expect.stringContaining("Exit status: 0 done"),
    });
    for (const name of [
      "convert",
      "detect",
      "validate",
      "canonical",
      "explain",
      "formats",
      "matrix",
      "serve",
    ]) {
      expect(await trg(`help ${name}`)).toMatchObject({
        exit: 0,
        stdout: expect.stringMatching(/\nExamples:\n {2}\$ trg /),
      });
    }
  });

  test("suggests the nearest word", async () => {
    const cases = {
      convret: "convert",
      "convert --form dify --to ir": "--from",
      "convert --to irr": "ir",
      "convert --to dify:ndjsn": "ndjson",
      "convert --to ir --audience witholdd": "withhold",
      "convert --to ir --fail-on warnin": "warning",
      "convert --to ir --losses jsn": "json",
      "explain json-as-txt": "json-as-text",
    };
    for (const [argv, word] of Object.entries(cases)) {
      const { exit, stdout, stderr } = await trg(argv, { stdin: dify });
      expect({ argv, exit, stdout }).toEqual({ argv, exit: exitCodes.usage, stdout: "" });
      expect(stderr.toLowerCase(), argv).toMatch(new RegExp(`did you mean ${word}\\b`));
    }
  });

  test("no command, a missing option and a wrong limit are usage errors", async () => {
    for (const argv of [
      "",
      "convert",
      "convert --to ir --max-depth none",
      "convert --to ir --max-parts 0",
      "explain",
    ]) {
      const io = memoryIo({ stdin: dify });
      const exit = await run(argv === "" ? [] : argv.split(" "), io, {
        adapters,
        gateway: builtInParts,
        version: "1",
      });
      expect({ argv, exit, stdout: io.written.stdout }).toEqual({ argv, exit: exitCodes.usage, stdout: "" });
      expect(io.written.stderr, argv).not.toBe("");
    }
  });
});

test("a new file is not there under its name before it is complete", async () => {
  const folder = await mkdtemp(join(tmpdir(), "trg-"));
  const path = join(folder, "out.json");
  const file = await createFile(path);
  await file.write("half");
  await expect(readFile(path)).rejects.toThrow("ENOENT");
  await file.commit();
  expect(await readFile(path, "utf8")).toBe("half");
  const second = await createFile(path);
  await second.write("other");
  await second.discard();
  expect(await readFile(path, "utf8")).toBe("half");
});
