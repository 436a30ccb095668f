import { describe, expect, test } from "vitest";
import { settingVariables } from "../../src/gateway/config/overrides.ts";
import { load, refusal } from "./loading.ts";

const file = "server: { port: 3000 }\n";
const environment = { TRG_PORT: "4000" };
const flags = [{ source: "--port", path: ["server", "port"], value: "5000" }] as const;

async function portOf(text: string, world: Parameters<typeof load>[1] = {}): Promise<number> {
  return (await load(text, world)).config.server.port;
}

describe("the order of sources", () => {
  test("a flag comes before everything", async () => {
    expect(await portOf(file, { environment, flags })).toBe(5000);
  });

  test("an environment variable comes before the file", async () => {
    expect(await portOf(file, { environment })).toBe(4000);
  });

  test("the file comes before the default", async () => {
    expect(await portOf(file)).toBe(3000);
  });

  test("the default holds where nothing is said", async () => {
    expect(await portOf("")).toBe(8080);
  });

  test("an empty variable counts as not set", async () => {
    expect(await portOf(file, { environment: { TRG_PORT: "" } })).toBe(3000);
  });

  test("a variable for one setting leaves its neighbours to the file", async () => {
    const { config } = await load("server: { port: 3000, rate: 7 }", { environment });
    expect(config.server).toMatchObject({ port: 4000, rate: 7 });
  });
});

describe("environment variables", () => {
  const values: Readonly<Record<string, readonly [string, unknown]>> = {
    TRG_HOST: ["localhost", "localhost"],
    TRG_PORT: ["0", 0],
    TRG_HOSTS: ["a.example, b.example", ["a.example", "b.example"]],
    TRG_ORIGINS: ["https://a.example", ["https://a.example"]],
    TRG_LOG_LEVEL: ["debug", "debug"],
    TRG_KEYS: [
      `ops=${"k".repeat(31)}=,ci=${"c".repeat(32)}`,
      [
        { name: "ops", key: `${"k".repeat(31)}=` },
        { name: "ci", key: "c".repeat(32) },
      ],
    ],
    TRG_CARRY_KEY: ["secret", "secret"],
  };
  const isTime = (name: string) => /TIMEOUT$|HEARTBEAT$|DELAY$/.test(name);

  test.each([...settingVariables])("%s gives its setting", async (name, path) => {
    const [given, expected] = values[name] ?? (isTime(name) ? ["250ms", 250] : ["2048", 2048]);
    const { config } = await load("", { environment: { [name]: given } });
    const found = path.reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], config);
    expect(found).toEqual(expected);
  });

  test("an error names the variable", async () => {
    expect(await refusal("", { environment: { TRG_PORT: "http" } })).toEqual([
      "TRG_PORT: server.port: expected a whole number from 0 to 65535",
    ]);
  });

  test("an error in a list of the environment names the variable, and not the list of the file", async () => {
    const text = `auth: { keys: [{ name: ops, key: ${"k".repeat(32)} }] }`;
    expect(await refusal(text, { environment: { TRG_KEYS: "ops=short" } })).toEqual([
      expect.stringContaining("TRG_KEYS: auth.keys[0].key: a key has 32 characters or more"),
    ]);
  });

  test("an error names the flag", async () => {
    const bad = [{ source: "--port", path: ["server", "port"], value: "65536" }] as const;
    expect(await refusal("", { environment, flags: bad })).toEqual([
      "--port: server.port: expected a whole number from 0 to 65535",
    ]);
  });

  test("a variable that is no setting is a warning with the nearest", async () => {
    const { warnings } = await load("", {
      environment: { TRG_PROT: "1", TRG_CONFIG: "trg.yaml", HOME: "/" },
    });
    expect(warnings).toEqual([
      { source: "TRG_PROT", path: "", message: "no setting has this variable; did you mean TRG_PORT?" },
    ]);
  });

  test("a variable that the file asks for is no warning", async () => {
    const { warnings } = await load(`carryKey: \${TRG_MINE}`, { environment: { TRG_MINE: "x" } });
    expect(warnings).toEqual([]);
  });
});

describe("without a word", () => {
  test("every setting has its default", async () => {
    const { config, warnings } = await load("");
    expect(config).toEqual({
      server: {
        host: "127.0.0.1",
        port: 8080,
        hosts: [],
        origins: [],
        headersTimeout: 10_000,
        requestTimeout: 30_000,
        keepAliveTimeout: 5_000,
        maxRequestsPerSocket: 1_000,
        maxConnections: 2_000,
        maxHeaderBytes: 16_384,
        maxHeaders: 100,
        maxBodyBytes: 16_777_216,
        maxHeldBytes: 268_435_456,
        maxInFlight: 256,
        maxQueued: 256,
        queueTimeout: 1_000,
        rate: 0,
        heartbeat: 15_000,
        drainDelay: 2_000,
        drainTimeout: 30_000,
        logLevel: "info",
      },
      auth: { keys: [] },
      limits: {
        maxDepth: 128,
        maxNodes: 1_000_000,
        maxNumberLength: 1_024,
        maxParts: 10_000,
        maxLineBytes: 16_777_216,
        carryLimit: 262_144,
      },
      adapters: [],
      plugins: [],
      faces: { http: {} },
      upstreams: {},
      routes: [],
    });
    expect(warnings).toEqual([]);
  });

  test("an upstream has the defaults of a connection", async () => {
    const { config } = await load("upstreams: { a: { kind: http, url: 'https://tools.example.com' } }");
    expect(config.upstreams.a).toMatchObject({
      kind: "http",
      settings: {
        url: "https://tools.example.com",
        connectTimeout: 5_000,
        headersTimeout: 60_000,
        idleTimeout: 60_000,
        totalTimeout: 120_000,
        streamTimeout: 300_000,
        maxSockets: 64,
        keepAlive: 4_000,
        maxAnswerBytes: 33_554_432,
        connectRetries: 1,
        allowHttp: false,
        allowPrivate: false,
      },
    });
  });
});
