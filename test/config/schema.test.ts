import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import { settingVariables } from "../../src/gateway/config/overrides.ts";
import { configJsonSchema } from "../../src/gateway/config/schema.ts";
import {
  authTable,
  connectionTable,
  limitsTable,
  serverTable,
} from "../../src/gateway/config/settings-table.ts";
import { configTemplate } from "../../src/gateway/config/template.ts";
import { configurationPage } from "../../src/reference/configuration-page.ts";
import { load, parts } from "./loading.ts";

const schema = configJsonSchema(parts);
// The schema as others read it: JSON, and nothing of the zod schema that it came from.
const reader = z.fromJSONSchema(JSON.parse(JSON.stringify(schema)));

const full = await readFile(new URL("full.yaml", import.meta.url), "utf8");
const world = {
  environment: { PORT: "9000", OPS_KEY: "k".repeat(32), LEVEL: "debug", TOOLS: "https://tools.example.com" },
  files: { "/run/secrets/ci": `${"c".repeat(32)}\n` },
};

/** Every object of a JSON Schema with its place. */
function* schemasIn(
  value: unknown,
  place = "",
): Generator<readonly [string, Readonly<Record<string, unknown>>]> {
  if (typeof value !== "object" || value === null) return;
  yield [place, value as Readonly<Record<string, unknown>>];
  for (const [key, inner] of Object.entries(value)) yield* schemasIn(inner, `${place}/${key}`);
}

const objects = [...schemasIn(schema)].filter(([, { properties }]) => properties !== undefined);

test("every key has a description", () => {
  const keys = objects.flatMap(([place, { properties }]) =>
    Object.entries(properties as object).map(([name, key]) => [`${place}/${name}`, key.description]),
  );
  expect(keys.length).toBeGreaterThan(100);
  expect(keys.filter(([, description]) => !description)).toEqual([]);
});

test("no section takes unknown keys", () => {
  expect(objects.filter(([, { additionalProperties }]) => additionalProperties !== false)).toEqual([]);
});

test("every setting is on the reference page, with its variable", () => {
  const page = configurationPage(parts);
  for (const name of Object.keys({ ...serverTable, ...limitsTable, ...authTable, ...connectionTable })) {
    expect(page).toContain(`\n| \`${name}\` | `);
  }
  for (const variable of settingVariables.keys()) expect(page).toContain(`\`${variable}\``);
});

test("every kind and every face is there", () => {
  const text = JSON.stringify(schema);
  for (const { kind } of parts.kinds) expect(text).toContain(`"const":"${kind}"`);
  expect(
    Object.keys(
      z
        .object({ properties: z.object({ faces: z.looseObject({ properties: z.looseObject({}) }) }) })
        .parse(schema).properties.faces.properties,
    ),
  ).toEqual(parts.faces.map(({ id }) => id));
});

describe("what is read is valid by the schema, as it is written", () => {
  test("the configuration to begin with", async () => {
    await load(configTemplate());
    expect(reader.safeParse(parse(configTemplate())).error).toBeUndefined();
  });

  test("a configuration that uses every section", async () => {
    const { warnings } = await load(full, world);
    expect(warnings).toEqual([]);
    expect(reader.safeParse(parse(full)).error).toBeUndefined();
  });
});

describe("what is refused is not valid by the schema", () => {
  test.each([
    ["servers: {}"],
    ["server: { prot: 1 }"],
    ["server: { port: 70000 }"],
    ["server: { port: http }"],
    ["server: { heartbeat: 15 }"],
    ["server: { heartbeat: 15 s }"],
    ["server: { maxBodyBytes: 16MB }"],
    ["server: { logLevel: loud }"],
    ["auth: { keys: [{ name: ops }] }"],
    ["upstreams: { a: { url: 'https://a.example' } }"],
    ["upstreams: { a: { kind: none } }"],
    ["upstreams: { a: { kind: http } }"],
    ["upstreams: { 'a b': { kind: http, url: 'https://a.example' } }"],
    ["routes: [{ name: a }]"],
    ["routes: {}"],
  ])("%s", async (text) => {
    await expect(load(text)).rejects.toMatchObject({ code: "invalid-config" });
    expect(reader.safeParse(parse(text)).success).toBe(false);
  });
});
