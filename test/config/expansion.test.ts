import { describe, expect, test } from "vitest";
import { load, refusal, type World } from "./loading.ts";

/** The value that `carryKey` has after reading. */
async function carryKey(written: string, world: World = {}): Promise<string | undefined> {
  return (await load(`carryKey: ${written}`, world)).config.carryKey;
}

describe("variables", () => {
  const environment = { NAME: "value", EMPTY: "" };

  test("stand for their value", async () => {
    expect(await carryKey(`\${NAME}`, { environment })).toBe("value");
  });

  test("stand within a text, and more than once", async () => {
    expect(await carryKey(`"<\${NAME}|\${NAME}>"`, { environment })).toBe("<value|value>");
  });

  test("have a default where they are not set or empty, as in a shell", async () => {
    expect(await carryKey(`\${MISSING:-else}`, { environment })).toBe("else");
    expect(await carryKey(`\${EMPTY:-else}`, { environment })).toBe("else");
    expect(await carryKey(`\${NAME:-else}`, { environment })).toBe("value");
    expect(await carryKey(`"a\${MISSING:-}b"`, { environment })).toBe("ab");
  });

  test("that are not set are an error with their name", async () => {
    expect(await refusal(`carryKey: \${MISSING}`)).toEqual([
      `1:11: carryKey: the environment variable MISSING is not set, or empty; \${MISSING:-text} would give a default`,
    ]);
  });

  test("give numbers, switches, times, sizes and lists, too", async () => {
    const { config } = await load(
      `server: { port: "\${PORT}", heartbeat: "\${BEAT}", maxBodyBytes: "\${SIZE}", hosts: "\${HOSTS}" }
upstreams: { a: { kind: http, url: "\${URL}", allowHttp: "\${SWITCH}" } }`,
      {
        environment: {
          PORT: "1234",
          BEAT: "2s",
          SIZE: "1MiB",
          HOSTS: "a.example,b.example",
          URL: "http://a.example",
          SWITCH: "true",
        },
      },
    );
    expect(config.server).toMatchObject({
      port: 1234,
      heartbeat: 2000,
      maxBodyBytes: 1_048_576,
      hosts: ["a.example", "b.example"],
    });
    expect(config.upstreams.a?.settings).toMatchObject({ url: "http://a.example", allowHttp: true });
  });

  test("never become keys, lists or second placeholders", async () => {
    const hostile = `{a: [1], \${NAME}: 2}\n# comment`;
    expect(await carryKey(`\${HOSTILE}`, { environment: { HOSTILE: hostile, ...environment } })).toBe(
      hostile,
    );
  });

  test("are not looked for in keys", async () => {
    expect(await refusal(`"\${NAME}": 1`, { environment })).toEqual([
      expect.stringContaining(`1:1: "\${NAME}": unknown key`),
    ]);
  });
});

describe("files", () => {
  test("stand for their content without the last line break", async () => {
    const files = { "/run/a": "secret\n", "/run/b": "secret\r\n", "/run/c": "two\n\n", "/run/d": "secret" };
    expect(await carryKey(`\${file:/run/a}`, { files })).toBe("secret");
    expect(await carryKey(`\${file:/run/b}`, { files })).toBe("secret");
    expect(await carryKey(`\${file:/run/c}`, { files })).toBe("two\n");
    expect(await carryKey(`\${file:/run/d}`, { files })).toBe("secret");
  });

  test("are found from the folder of the configuration", async () => {
    expect(await carryKey(`\${file:secrets/key}`, { files: { "conf/secrets/key": "near" } })).toBe("near");
    expect(await carryKey(`\${file:../key}`, { files: { key: "above" } })).toBe("above");
  });

  test("that cannot be read are an error with their path", async () => {
    expect(await refusal(`carryKey: \${file:/run/none}`)).toEqual([
      "1:11: carryKey: cannot read /run/none: no such file or folder",
    ]);
  });
});

describe("what is no placeholder", () => {
  test("is written with two dollar signs", async () => {
    expect(await carryKey(`"$\${NAME}"`)).toBe(`\${NAME}`);
  });

  test("is every other dollar sign", async () => {
    expect(await carryKey("'$1 $NAME $$ {} $'")).toBe("$1 $NAME $$ {} $");
  });

  test.each([[`\${}`], [`\${a-b}`], [`\${1A}`], [`\${unfinished`], [`\${NAME:+x}`], [`\${{NAME}}`]])(
    "is refused as %s",
    async (written) => {
      const environment = { NAME: "value", A: "value" };
      expect(await refusal(`carryKey: '${written}'`, { environment })).toEqual([
        `1:11: carryKey: expected \${NAME}, \${NAME:-default} or \${file:path}; a \${ of the text itself is written $\${`,
      ]);
    },
  );

  test("stays as it is in a schema of a tool", async () => {
    const { config } = await load(`
upstreams: { a: { kind: http, url: https://a.example } }
routes: [{ name: a, upstream: a, from: dify, to: ir, tool: { inputSchema: { pattern: '^$\${x}$' } } }]`);
    expect(config.routes[0]?.tool.inputSchema).toEqual({ pattern: `^\${x}$` });
  });
});
