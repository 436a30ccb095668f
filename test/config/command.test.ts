import { mkdtemp, readFile, symlink } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { adapters } from "../../adapters/index.ts";
import { fileExists } from "../../src/cli/node-files.ts";
import { run } from "../../src/cli/program.ts";
import { exitCodes } from "../../src/errors.ts";
import { builtInParts } from "../../src/gateway/built-in.ts";
import { configTemplate } from "../../src/gateway/config/template.ts";
import { type MemoryWorld, memoryIo } from "../memory-io.ts";

const fixtures = fileURLToPath(new URL("../fixtures", import.meta.url));

/** One transcript: what `trg` writes and how it ends. */
async function trg(argv: string, world: MemoryWorld = {}) {
  const io = memoryIo({ workingDirectory: fixtures, ...world });
  const exit = await run(argv.split(" "), io, { adapters, gateway: builtInParts, version: "0" });
  return { exit, ...io.written, files: io.files };
}

describe("config init", () => {
  test("writes a configuration that config check takes", async () => {
    const { exit, stderr, files } = await trg("config init");
    expect({ exit, stderr }).toEqual({
      exit: exitCodes.ok,
      stderr: "trg: wrote trg.yaml; next: trg config check trg.yaml\n",
    });
    expect(await trg("config check", { files: Object.fromEntries(files) })).toMatchObject({
      exit: exitCodes.ok,
      stdout:
        "trg.yaml: 127.0.0.1, port 8080; 0 keys; 1 upstream; 1 route\n  weather  dify:sse -> strands  weather (http)\n",
      stderr: "",
    });
  });

  test("writes to a named file, or to standard output", async () => {
    expect((await trg("config init conf/mine.yaml")).files.get("conf/mine.yaml")).toBe(configTemplate());
    expect(await trg("config init -")).toMatchObject({
      exit: exitCodes.ok,
      stdout: configTemplate(),
      stderr: "",
    });
  });

  test("replaces no file", async () => {
    const { exit, stderr, files } = await trg("config init", { files: { "trg.yaml": "mine" } });
    expect(exit).toBe(exitCodes.system);
    expect(stderr).toContain(
      "trg: file-failed: cannot write trg.yaml: it is there already, and is not replaced\n",
    );
    expect(files.get("trg.yaml")).toBe("mine");
  });

  test("sees a link that leads nowhere", async () => {
    const folder = await mkdtemp(join(tmpdir(), "trg-"));
    await symlink(join(folder, "nothing"), join(folder, "link"));
    expect(await fileExists(join(folder, "link"))).toBe(true);
    expect(await fileExists(join(folder, "none"))).toBe(false);
  });

  test("every setting that it has as a comment is one", async () => {
    const lines = configTemplate().split("\n");
    const settings = /^( *)# ((?: {2})*(?:- )?[a-zA-Z]+:(?: [^ ]+)?)$/;
    const uncommented = lines.map((line) => line.replace(settings, "$1$2"));
    expect(uncommented.filter((line, index) => line !== lines[index]).length).toBeGreaterThan(35);
    const files = { "trg.yaml": uncommented.join("\n") };
    const environment = { OPS_KEY: "k".repeat(32), CARRY_KEY: "secret" };
    expect(await trg("config check", { files, environment })).toMatchObject({
      exit: exitCodes.ok,
      stderr: "",
    });
  });
});

describe("config check", () => {
  test("writes each problem on a line of its own and ends with 2", async () => {
    const files = { "bad.yaml": 'server: { prot: 1 }\nroutes: [{ name: "a\\u001b[31m b" }]\n' };
    const { exit, stdout, stderr } = await trg("config check bad.yaml", { files });
    expect({ exit, stdout }).toEqual({ exit: exitCodes.usage, stdout: "" });
    expect(stderr.split("\n")).toEqual([
      "trg: invalid-config: bad.yaml:1:11: server.prot: unknown key; did you mean port?",
      "     bad.yaml:2:10: routes[0].upstream: is missing",
      "     bad.yaml:2:10: routes[0].from: is missing",
      "     bad.yaml:2:10: routes[0].to: is missing",
      "     bad.yaml:2:18: routes[0].name: expected a name of up to 64 letters, digits, _ and -",
      expect.stringContaining("`trg config init` writes one to begin with"),
      "",
    ]);
  });

  test("shows a control character of the file as text", async () => {
    const { stderr } = await trg("config check bad.yaml", { files: { "bad.yaml": '"a\\u001b[31m\\nb": 1' } });
    expect(stderr).not.toContain("\u001b");
    expect(stderr.split("\n")[0]).toContain("unknown key");
  });

  test("takes the file that the environment names where none is given", async () => {
    const files = { "other.yaml": "server: { port: 1 }" };
    const environment = { TRG_CONFIG: "other.yaml" };
    expect((await trg("config check", { files, environment })).stdout).toBe(
      "other.yaml: 127.0.0.1, port 1; 0 keys; 0 upstreams; 0 routes\n",
    );
  });

  test("ends with 4 for a file that is not there", async () => {
    expect(await trg("config check none.yaml")).toMatchObject({
      exit: exitCodes.system,
      stderr: expect.stringContaining("trg: file-failed: cannot read none.yaml: no such file or folder"),
    });
  });

  test("writes warnings to standard error and ends with 0", async () => {
    const files = { "trg.yaml": "upstreams: { spare: { kind: http, url: 'https://a.example' } }" };
    expect(await trg("config check", { files })).toMatchObject({
      exit: exitCodes.ok,
      stderr: "trg: warning: trg.yaml:1:14: upstreams.spare: no route uses this upstream\n",
    });
  });
});

describe("config check --connect", () => {
  const server = createServer((_, response) => response.end());
  let url = "";
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());

  const config = (upstreams: object) => ({
    "trg.yaml": JSON.stringify({
      upstreams,
      routes: Object.keys(upstreams).map((name) => ({ name, upstream: name, from: "dify", to: "ir" })),
    }),
  });

  test("tells of each upstream that answers", async () => {
    const { exit, stdout } = await trg("config check --connect", {
      files: config({ a: { kind: "http", url } }),
    });
    expect(exit).toBe(exitCodes.ok);
    expect(stdout).toMatch(/\n {2}a {2}ok {2}answers with HTTP 200\n$/);
  });

  test("tells of each that does not, and ends with 4", async () => {
    // Nobody listens on a port that was free a moment ago.
    const gone = createServer();
    await new Promise<void>((resolve) => gone.listen(0, "127.0.0.1", resolve));
    const { port } = gone.address() as AddressInfo;
    await new Promise((resolve) => gone.close(resolve));
    const upstreams = { a: { kind: "http", url }, b: { kind: "http", url: `http://127.0.0.1:${port}` } };
    const { exit, stdout } = await trg("config check --connect", { files: config(upstreams) });
    expect(exit).toBe(exitCodes.system);
    expect(stdout).toMatch(
      /\n {2}a {2}ok {6}answers with HTTP 200\n {2}b {2}failed {2}upstream-unreachable: /,
    );
  });
});

test("config schema writes the schema that is published", async () => {
  const published = await readFile(new URL("../../src/gateway/config.schema.json", import.meta.url), "utf8");
  expect((await trg("config schema")).stdout).toBe(published);
});

describe("serve", () => {
  test("serves the configuration to begin with", async () => {
    const io = memoryIo({
      files: { "trg.yaml": configTemplate() },
      environment: { TRG_DRAIN_DELAY: "0ms", TRG_LOG_LEVEL: "error" },
    });
    const installed = { adapters, gateway: builtInParts, version: "0" };
    const ended = run(["serve", "--config", "trg.yaml", "--port", "0"], io, installed);
    const url = await vi.waitUntil(() => /http:\/\/127\.0\.0\.1:\d+/.exec(io.written.stdout)?.[0]);
    const answer = await fetch(`${url}/tools`);
    expect(await answer.json()).toMatchObject({ tools: [{ name: "weather", to: "strands" }] });
    io.stop();
    expect(await ended).toBe(exitCodes.ok);
    expect(io.written.stderr).toBe("");
  });

  test("names the flag, the variable and the line of what it refuses", async () => {
    const { exit, stderr } = await trg("serve --config trg.yaml --port web", {
      files: { "trg.yaml": "server: { rate: fast }" },
      environment: { TRG_MAX_PARTS: "few" },
    });
    expect(exit).toBe(exitCodes.usage);
    expect(stderr.split("\n").slice(0, 3)).toEqual([
      "trg: invalid-config: --port: server.port: expected a whole number from 0 to 65535",
      "     TRG_MAX_PARTS: limits.maxParts: expected a whole number from 1",
      "     trg.yaml:1:17: server.rate: expected a whole number from 0",
    ]);
  });

  test("takes no file that only lies in the working folder", async () => {
    const { exit, stderr } = await trg("serve --port web", {
      files: { "trg.yaml": "server: { rate: fast }" },
    });
    expect(exit).toBe(exitCodes.usage);
    expect(stderr).toContain(
      "trg: invalid-config: --port: server.port: expected a whole number from 0 to 65535\n",
    );
    expect(stderr).not.toContain("trg.yaml");
  });
});

describe("modules that a configuration names", () => {
  const plugged = {
    adapters: ["./outside-adapter/index.js"],
    plugins: ["./config/plugin.mjs"],
    faces: { bell: {} },
    upstreams: { echo: { kind: "echo", greeting: "hello" } },
    routes: [{ name: "greet", upstream: "echo", from: "acme", to: "strands" }],
  };

  test("add formats, kinds of upstreams and faces", async () => {
    const files = { "trg.yaml": JSON.stringify(plugged) };
    expect(await trg("config check --connect", { files })).toMatchObject({
      exit: exitCodes.ok,
      stdout:
        "trg.yaml: 127.0.0.1, port 8080; 0 keys; 1 upstream; 1 route\n  greet  acme -> strands  echo (echo)\n  echo  ok  says hello\n",
    });
  });

  test("are found from the folder of the file", async () => {
    const files = { "config/trg.yaml": JSON.stringify({ plugins: ["./plugin.mjs"], faces: { bell: {} } }) };
    expect(await trg("config check config/trg.yaml", { files })).toMatchObject({
      exit: exitCodes.ok,
      stderr: "",
    });
  });

  test("have their settings checked by their own schema", async () => {
    const files = {
      "trg.yaml": JSON.stringify({ ...plugged, upstreams: { echo: { kind: "echo", greting: "hello" } } }),
    };
    const { exit, stderr } = await trg("config check", { files });
    expect(exit).toBe(exitCodes.usage);
    expect(stderr).toContain("upstreams.echo.greeting: is missing");
    expect(stderr).toContain("upstreams.echo.greting: unknown key; did you mean greeting?");
  });

  test("that cannot be loaded are told at their place", async () => {
    const files = {
      "trg.yaml":
        "plugins:\n  - ./config/none.mjs\n  - ./config/no-plugin.mjs\n  - ./outside-adapter/index.js\n",
    };
    const { exit, stderr } = await trg("config check", { files });
    expect(exit).toBe(exitCodes.usage);
    expect(stderr.split("\n").slice(0, 3)).toEqual([
      expect.stringContaining("trg.yaml:2:5: plugins[0]: cannot load ./config/none.mjs: "),
      "     trg.yaml:3:5: plugins[1]: ./config/no-plugin.mjs exports upstreams that are no list of { kind, settings, open }",
      "     trg.yaml:4:5: plugins[2]: ./outside-adapter/index.js exports neither upstreams nor faces",
    ]);
  });

  test("cannot take a name that is there already", async () => {
    const files = { "trg.yaml": "plugins: [./config/plugin.mjs, ./config/plugin.mjs]" };
    const { stderr } = await trg("config check", { files });
    expect(stderr).toContain("trg.yaml:1:10: plugins: echo is there already; two cannot have one name");
  });
});
