import { describe, expect, test } from "vitest";
import { ConversionError } from "../../src/errors.ts";
import { load, refusal } from "./loading.ts";

const good = `upstreams:
  weather:
    kind: http
    url: https://tools.example.com
routes:
  - name: weather
    upstream: weather
    from: dify:sse
    to: strands
`;

/** The refusal of the good configuration with one line changed; lines are counted from 1. */
function changed(line: number, text: string): Promise<readonly string[]> {
  const lines = good.split("\n");
  lines[line - 1] = text;
  return refusal(lines.join("\n"));
}

test("the configuration that the cases change is good", async () => {
  expect((await load(good)).warnings).toEqual([]);
});

describe("one fault, at its place", () => {
  test.each([
    [3, "    kind: htpp", "3:11: upstreams.weather.kind: unknown kind; did you mean http?"],
    [3, "    # no kind", "2:3: upstreams.weather.kind: is missing; known: http, dify-daemon"],
    [3, "    kind: { a: 1 }", "3:11: upstreams.weather.kind: unknown kind; known: http, dify-daemon"],
    [
      4,
      "    url: tools",
      "4:10: upstreams.weather.url: expected an address such as https://tools.example.com",
    ],
    [4, "    # no url", "2:3: upstreams.weather.url: is missing"],
    [
      4,
      "    url: http://tools.example.com",
      "4:10: upstreams.weather.url: the address is refused: it is not https (`allowHttp`)",
    ],
    [
      4,
      "    url: https://10.0.0.1",
      "4:10: upstreams.weather.url: the address is refused: it is private (`allowPrivate`)",
    ],
    [
      4,
      "    url: https://user:password@tools.example.com",
      "4:10: upstreams.weather.url: the address is refused: it has a user, a password or a fragment",
    ],
    [
      4,
      "    url: https://tools.example.com\n    totalTimeout: 60",
      "5:19: upstreams.weather.totalTimeout: expected a time with a unit, such as 250ms, 5s or 2m, from 1ms to 24h",
    ],
    [
      4,
      "    url: https://tools.example.com\n    totalTimout: 60s",
      "5:5: upstreams.weather.totalTimout: unknown key; did you mean totalTimeout?",
    ],
    [
      6,
      "  - name: the weather",
      "6:11: routes[0].name: expected a name of up to 64 letters, digits, _ and -",
    ],
    [7, "    upstream: waether", "7:15: routes[0].upstream: unknown upstream; did you mean weather?"],
    [8, "    from: diffy", "8:11: routes[0].from: unknown format; did you mean dify?"],
    [8, "    from: dify:sss", "8:11: routes[0].from: unknown format; did you mean dify:sse?"],
    [8, "    from: [dify]", "8:11: routes[0].from: expected a text"],
    [
      9,
      "    to: dify:workflow",
      expect.stringContaining("9:9: routes[0].to: unknown format, or one that is only read"),
    ],
    [
      9,
      "    to: strands\n    call: argument",
      "10:11: routes[0].call: unknown format of calls; did you mean arguments?",
    ],
    [
      9,
      "    to: strands\n    path: weather",
      "10:11: routes[0].path: the path leads out of the address of the upstream",
    ],
    [
      9,
      "    to: strands\n    path: /../weather",
      "10:11: routes[0].path: the path leads out of the address of the upstream",
    ],
    [
      9,
      "    to: strands\n    path: /the weather",
      "10:11: routes[0].path: expected a path from / in ASCII, with %20 for a blank",
    ],
    [
      9,
      "    to: strands\n    policy: { audience: witheld }",
      "10:25: routes[0].policy.audience: unknown value; did you mean withhold?",
    ],
    [
      9,
      "    to: strands\n    policy: { failOn: [warnings] }",
      "10:24: routes[0].policy.failOn[0]: unknown value; did you mean warning?",
    ],
    [
      9,
      "    to: strands\n    policy: { carry: detached }",
      "10:22: routes[0].policy.carry: unknown value; known: inline, off",
    ],
    [
      9,
      "    to: strands\n    policy: { nonEmpty: yes }",
      "10:25: routes[0].policy.nonEmpty: expected true or false",
    ],
    [
      9,
      "    to: strands\n    upstreamErrors: results",
      "10:21: routes[0].upstreamErrors: unknown value; did you mean result?",
    ],
    [9, "    to: strands\n    tool: weather", "10:11: routes[0].tool: expected a section of keys and values"],
    [9, "    to: strands\n  - weather", "10:5: routes[1]: expected a section of keys and values"],
  ])("line %i: %s", async (line, text, problem) => {
    expect(await changed(line, text)).toEqual([problem]);
  });

  test.each([
    ["server: { port: 65536 }", "1:17: server.port: expected a whole number from 0 to 65535"],
    ["server: { port: 80.5 }", "1:17: server.port: expected a whole number from 0 to 65535"],
    [
      "server: { maxBodyBytes: 16MB }",
      "1:25: server.maxBodyBytes: expected a size such as 64KiB, 16MiB or 1GiB, or a number of bytes, from 1",
    ],
    [
      "server: { drainTimeout: 25h }",
      "1:25: server.drainTimeout: expected a time with a unit, such as 250ms, 5s or 2m, from 1ms to 24h",
    ],
    [
      "server: { logLevel: warning }",
      "1:21: server.logLevel: unknown value; known: error, warn, info, debug",
    ],
    ["server: { host: 5 }", "1:17: server.host: expected a text"],
    ["server: []", "1:9: server: expected a section of keys and values"],
    ["limits: { maxNodes: 0 }", "1:21: limits.maxNodes: expected a whole number from 1"],
    ["routes: {}", "1:9: routes: expected a list"],
    ["faces: { http: { port: 1 } }", "1:18: faces.http.port: unknown key; known: none"],
    ["faces: { daemon: {} }", "1:10: faces.daemon: unknown key; known: http, difyDaemon"],
    ["adapters: [5]", "1:11: adapters: expected a list of texts"],
  ])("%s", async (text, problem) => {
    expect(await refusal(text)).toEqual([problem]);
  });
});

describe("what one setting says about another", () => {
  const key = "k".repeat(32);

  test.each([["0.0.0.0"], ["::"], ["192.168.1.5"], ["gateway.example.com"], ["128.0.0.1"]])(
    "%s needs a key",
    async (host) => {
      expect(await refusal(`server:\n  host: "${host}"\n`)).toEqual([
        "2:9: server.host: others can reach this address, so callers need keys: set `auth.keys`",
      ]);
      const { config } = await load(
        `server: { host: "${host}" }\nauth: { keys: [{ name: ops, key: ${key} }] }`,
      );
      expect(config.server.host).toBe(host);
    },
  );

  test.each([["localhost"], ["127.0.0.1"], ["127.9.9.9"], ["::1"]])("%s needs none", async (host) => {
    expect((await load(`server: { host: "${host}" }`)).config.server.host).toBe(host);
  });

  test("a public address from the environment needs a key, too", async () => {
    expect(await refusal("", { environment: { TRG_HOST: "0.0.0.0" } })).toEqual([
      "TRG_HOST: server.host: others can reach this address, so callers need keys: set `auth.keys`",
    ]);
  });

  test("a short key, a key that stands twice and a name that stands twice", async () => {
    const text = `auth:
  keys:
    - { name: a, key: ${key} }
    - { name: b, key: ${"s".repeat(31)} }
    - { name: c, key: ${key} }
    - { name: a, key: ${"t".repeat(32)} }
    - { name: d, key: "${"u".repeat(32)} u" }
`;
    expect(await refusal(text)).toEqual([
      "4:23: auth.keys[1].key: a key has 32 characters or more; `openssl rand -hex 32` makes one",
      "7:23: auth.keys[4].key: a key has no blanks and only characters of ASCII, as a header needs",
    ]);
    const valid = text.replace("s".repeat(31), "s".repeat(32)).replace("u u", "uu");
    expect(await refusal(valid)).toEqual([
      "5:23: auth.keys[2].key: the same key stands under another name",
      "6:15: auth.keys[3].name: another key has this name",
    ]);
  });

  test("two routes of one name", async () => {
    const route = "  - { name: weather, upstream: weather, from: dify, to: ir }\n";
    expect(await refusal(good + route)).toEqual(["10:13: routes[1].name: another route has this name"]);
  });

  test("an upstream that no route uses is a warning", async () => {
    const { warnings } = await load(`upstreams:\n  spare: { kind: http, url: 'https://a.example' }\n`);
    expect(warnings).toEqual([
      {
        source: "conf/trg.yaml",
        line: 2,
        column: 3,
        path: "upstreams.spare",
        message: "no route uses this upstream",
      },
    ]);
  });
});

describe("a fault with consequences", () => {
  test("a section under another name", async () => {
    expect(await changed(1, "upstream:")).toEqual([
      "1:1: upstream: unknown key; did you mean upstreams?",
      "7:15: routes[0].upstream: unknown upstream; known: none",
    ]);
  });

  test("an upstream under another name", async () => {
    expect(await changed(2, "  we ather:")).toEqual([
      '2:3: upstreams."we ather": expected a name of up to 64 letters, digits, _ and -',
      "7:15: routes[0].upstream: unknown upstream; did you mean we ather?",
    ]);
  });

  test("a key that must be there, under another name", async () => {
    expect(await changed(6, "  - nam: weather")).toEqual([
      "6:5: routes[0].name: is missing",
      "6:5: routes[0].nam: unknown key; did you mean name?",
    ]);
  });
});

describe("several faults", () => {
  test("are all told, in the order of the file", async () => {
    const text = `server: { prot: 1, host: 0.0.0.0 }
carryKey: \${MISSING}
upstreams:
  a: { kind: http, url: 'http://a.example', maxSockets: many }
routes:
  - { name: x, upstream: b, from: none, to: none }
  - { name: x, upstream: a, from: dify, to: ir }
`;
    expect(await refusal(text)).toEqual([
      "1:11: server.prot: unknown key; did you mean port?",
      "1:26: server.host: others can reach this address, so callers need keys: set `auth.keys`",
      expect.stringMatching(/^2:11: carryKey: the environment variable MISSING is not set/),
      expect.stringMatching(/^4:25: upstreams\.a\.url: .*allowHttp/),
      "4:57: upstreams.a.maxSockets: expected a whole number from 1",
      "6:26: routes[0].upstream: unknown upstream; did you mean a?",
      expect.stringMatching(/^6:35: routes\[0\]\.from: unknown format/),
      expect.stringMatching(/^6:45: routes\[0\]\.to: unknown format/),
      "7:13: routes[1].name: another route has this name",
    ]);
  });

  test("are told up to twenty", async () => {
    const lines = await refusal(Array.from({ length: 30 }, (_, index) => `key${index}: 1`).join("\n"));
    expect(lines).toHaveLength(21);
    expect(lines.at(-1)).toBe("and 10 more");
  });

  test("are data, too", async () => {
    const error = await load("server: { prot: 1 }\n").catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ConversionError);
    expect(error).toMatchObject({
      code: "invalid-config",
      data: {
        problems: [
          {
            source: "conf/trg.yaml",
            line: 1,
            column: 11,
            path: "server.prot",
            message: "unknown key; did you mean port?",
          },
        ],
      },
    });
  });
});
