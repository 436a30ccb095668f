import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { refusal } from "./loading.ts";

const canary = "canary-7f3a91";
const environment = { CANARY: canary };
const full = await readFile(new URL("full.yaml", import.meta.url), "utf8");

const lines = full.split("\n");
const places = lines.flatMap((line, index) => (/^ *(?:- )?[A-Za-z$]+: [^&*]/.test(line) ? [index] : []));

test("no value of the environment stands in an error, wherever it was put", async () => {
  expect(places.length).toBeGreaterThan(50);
  const outside = { environment: { ...environment, PORT: "1", OPS_KEY: "short" } };
  for (const place of places) {
    const changed = lines.map((line, index) =>
      index === place ? line.replace(/: .*/, `: "<\${CANARY}>"`) : line,
    );
    // One key is always too short, so that there is an error in any case.
    expect((await refusal(changed.join("\n"), outside)).join("\n"), lines[place]).not.toContain(canary);
  }
});

test("no content of a file stands in an error", async () => {
  const told = await refusal(`auth: { keys: [{ name: ops, key: "\${file:/run/key}" }] }`, {
    files: { "/run/key": canary },
  });
  expect(told).toEqual([expect.stringContaining("a key has 32 characters or more")]);
});

test("no value of a variable of a setting stands in an error", async () => {
  const told = await refusal("", {
    environment: { TRG_KEYS: canary, TRG_PORT: canary, TRG_LOG_LEVEL: canary, TRG_MAX_NODES: canary },
  });
  expect(told).toHaveLength(5);
  expect(told.join("\n")).not.toContain(canary);
});

test("no text of the file stands in an error about its syntax", async () => {
  const broken = [
    `key: '${canary}`,
    `key: "${canary}\\q"`,
    `key: @${canary}`,
    `key: ${canary}: ${canary}`,
    `key: [${canary}`,
    `key: !${canary} x`,
    `key: !<${canary}> x`,
    `key: &${canary} &${canary} x`,
    `%${canary} x\n---\nkey: 1`,
    `%TAG ! ${canary}\n---\nkey: !x 1`,
    `key: 1\n ${canary}\n- ${canary}`,
    `key: |x${canary}\n  a`,
    `key: *${canary}`,
    `{key: 1} ${canary}`,
    `${canary}\n${canary}: 1`,
  ];
  for (const text of broken) {
    const told = await refusal(text);
    expect(told.length, text).toBeGreaterThan(0);
    // A key is told by its name; a value never is.
    expect(told.join("\n").replaceAll(/^\S+ [^ ]*: unknown key/gm, ""), text).not.toContain(canary);
  }
});
