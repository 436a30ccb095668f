import { describe, expect, test } from "vitest";
import { load, refusal } from "./loading.ts";

const upstream = "upstreams: { a: { kind: http, url: 'https://a.example' } }";
const route = "name: a, upstream: a, from: dify, to: strands";

/** The input schema of a tool, in which every value is allowed. */
async function free(written: string): Promise<unknown> {
  const { config } = await load(`${upstream}\nroutes: [{ ${route}, tool: { inputSchema: ${written} } }]`);
  return config.routes[0]?.tool.inputSchema;
}

describe("values of YAML 1.2", () => {
  test("`no`, `on`, dates and numbers with underscores are texts", async () => {
    expect(await free("{ a: NO, b: on, c: 2024-01-01, d: 1_000, e: 12:30 }")).toEqual({
      a: "NO",
      b: "on",
      c: "2024-01-01",
      d: "1_000",
      e: "12:30",
    });
  });

  test("numbers, switches and null are those of the core schema", async () => {
    expect(await free("{ a: 0o14, b: 0x1F, c: 1e3, d: true, e: null, f: ~ }")).toEqual({
      a: 12,
      b: 31,
      c: 1000,
      d: true,
      e: null,
      f: null,
    });
  });

  test("keys are texts", async () => {
    expect(await free("{ 1: a, true: b, null: c }")).toEqual({ "1": "a", true: "b", null: "c" });
  });

  test("an anchor is used as often as wanted", async () => {
    const { config } = await load(`
upstreams:
  a: { kind: http, url: &address https://a.example }
  b: { kind: http, url: *address }
`);
    expect(config.upstreams.b?.settings).toMatchObject({ url: "https://a.example" });
  });

  test("a section whose every line is a comment is none", async () => {
    const { config } = await load("server:\n#  port: 1\nroutes:\nupstreams:\n");
    expect(config).toMatchObject({ server: { port: 8080 }, routes: [], upstreams: {} });
  });

  test.each([[""], ["# nothing\n"], ["---\n"], ["\n\n"]])(
    "%j has the default of everything",
    async (text) => {
      expect((await load(text)).config.server.port).toBe(8080);
    },
  );

  test("JSON is read, too, and may name its schema", async () => {
    const { config } = await load(
      '{"$schema": "./config.schema.json", "server": {"port": 1, "host": "127.0.0.1"}}',
    );
    expect(config.server).toMatchObject({ port: 1, host: "127.0.0.1" });
  });

  test("a byte order mark and Windows line breaks are read", async () => {
    const { config } = await load("\uFEFFserver:\r\n  port: 1\r\n  rate: 2\r\n");
    expect(config.server).toMatchObject({ port: 1, rate: 2 });
  });
});

describe("what is refused, with its place", () => {
  test.each([
    ["a key that stands twice", "server:\n  port: 1\n  port: 2\n", "3:3: this key stands twice; keep one"],
    [
      "a key that stands twice in JSON",
      '{"server": {"port": 1, "port": 2}}',
      "1:24: this key stands twice; keep one",
    ],
    ["a tab", "server:\n\tport: 1\n", "2:1: YAML is indented with blanks, not with tabs"],
    [
      "a tag",
      "server: { host: !env HOST }",
      "1:17: tags are not read; put a text that begins with ! in quotes",
    ],
    [
      "a tag of YAML",
      "carryKey: !!binary aGk=",
      "1:11: tags are not read; put a text that begins with ! in quotes",
    ],
    [
      "a merge key",
      "limits: &l { maxDepth: 1 }\nserver:\n  <<: *l\n",
      '3:3: server."<<": merge keys are YAML 1.1; write the keys out',
    ],
    [
      "YAML 1.1",
      "%YAML 1.1\n---\nserver: {}\n",
      "1:1: only YAML 1.2 is read, where `no` is a text; remove the %YAML line",
    ],
    [
      "a second document",
      "server: {}\n---\nauth: {}\n",
      "2:1: a configuration is one document; this is a second",
    ],
    ["an alias without an anchor", "server: *none", "1:9: server: no anchor of this name stands above"],
    ["a key that is a list", "? [a]\n: 1\n", "1:3: a key is a text"],
    [
      "a key that changes objects",
      "upstreams: { __proto__: {} }",
      "1:14: upstreams.__proto__: this name cannot be used",
    ],
    ["infinity", "server: { rate: .inf }", "1:17: server.rate: expected a number that JSON has, too"],
    ["a list", "- server\n", "1:1: expected a section of keys and values"],
    ["a text", "server\n", "1:1: expected a section of keys and values"],
  ])("%s", async (_, text, line) => {
    expect(await refusal(text)).toEqual([line]);
  });

  test("every fault of the syntax", async () => {
    expect(await refusal("a: 'open\nb: 1\n")).toEqual([
      expect.stringMatching(/^\d+:\d+: a quote, comma, colon or blank is missing here$/),
    ]);
    expect(await refusal("a: { b: 1\n")).toEqual([
      expect.stringMatching(/^2:1: .*its bracket is not closed$/),
    ]);
    expect(await refusal("a: b: c\nd: e: f\n")).toHaveLength(2);
  });
});

describe("what would grow or nest without end", () => {
  test("aliases of aliases of aliases", async () => {
    const names = [..."abcdefghi"];
    const lines = names.map((name, index) => {
      const item = index === 0 ? "1" : `*${names[index - 1]}`;
      return `${name}: &${name} [${Array(9).fill(item).join(", ")}]`;
    });
    expect(await refusal(lines.join("\n"))).toEqual([
      expect.stringMatching(/^\d:\d+: more than 100000 values or 64 levels, with aliases written out$/),
    ]);
  });

  test("an anchor within itself", async () => {
    expect(await refusal("a: &a [*a]")).toEqual([
      "1:8: more than 100000 values or 64 levels, with aliases written out",
    ]);
  });

  test.each([["["], ["{a: "], ["- "], ["? "]])("100,000 times %j", async (nesting) => {
    expect(await refusal(nesting.repeat(100_000))).toEqual([
      expect.stringContaining("nested deeper than 64 levels"),
    ]);
  });
});
