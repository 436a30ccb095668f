import * as z from "zod";
import { flagOf } from "../cli/options.ts";
import { flaggedSettings } from "../cli/server-flags.ts";
import { settingVariables, variableOf } from "../gateway/config/overrides.ts";
import { type ConfigParts, configJsonSchema } from "../gateway/config/schema.ts";
import {
  authTable,
  type ConfigSetting,
  connectionShape,
  connectionTable,
  limitsTable,
  serverTable,
} from "../gateway/config/settings-table.ts";
import { limitNames, settingNames, settingTable } from "../settings.ts";
import { code, page, table } from "./markdown.ts";

type Schema = z.core.JSONSchema.BaseSchema;
type Settings = Readonly<Record<string, ConfigSetting<unknown>>>;

/** Every key of a configuration: what it does, its default and the reason, and its environment variable. */
export function configurationPage(parts: ConfigParts): string {
  const whole = configJsonSchema(parts);
  const route = itemsOf(property(whole, "routes"));
  const flags = [...flaggedSettings, ...limitNames].map((name) => code(flagOf(name)));
  return page(
    "Configuration",
    introduction,
    `Flags of \`trg serve\`: ${flags.join(", ")}.`,
    "## The file",
    keyTable(whole),
    `\`carryKey\` has the variable ${code(variableOf("carryKey"))}; the variables of sections stand in their tables.`,
    "## server",
    settingsTable(property(whole, "server"), serverTable, "server"),
    "## auth",
    settingsTable(property(whole, "auth"), authTable, "auth"),
    "An entry of `keys`:",
    keyTable(itemsOf(property(property(whole, "auth"), "keys"))),
    "## limits",
    settingsTable(property(whole, "limits"), limitsTable, "limits"),
    "## routes",
    keyTable(route),
    "`tool`:",
    keyTable(property(route, "tool")),
    "`policy`:",
    policyTable(property(route, "policy")),
    "## upstreams",
    "Each has a name, which routes use, and says its `kind`.",
    ...parts.kinds.flatMap(({ kind, settings }) => [`### kind: ${kind}`, ...ownKeys(settings)]),
    "### The connection",
    connectionText,
    settingsTable(jsonSchema(z.strictObject(connectionShape)), connectionTable),
    "## faces",
    ...parts.faces.flatMap(({ id, settings, always }) => [
      `### ${id}`,
      always ? "Always there." : "There where it is configured.",
      ...ownKeys(settings),
    ]),
  );
}

const introduction = `One file in YAML 1.2 or JSON, named by \`trg serve --config FILE\` or by \`TRG_CONFIG\`; a file that only lies in the
working folder is never read. \`trg config init\` writes one to begin with, \`trg config check\` checks it, and
\`trg config schema\` writes its JSON Schema for editors ([config.schema.json](config.schema.json)).

A flag comes before an environment variable, this before the file, and the file before the default. A variable that is
empty counts as not set.

In texts, \`\${VAR}\` is an environment variable, which must be set, \`\${VAR:-text}\` one with a default, and
\`\${file:path}\` the content of a file, from the folder of the configuration, without its last line break. \`$\${\` is
\`\${\` itself. Expansion comes after parsing, so that what is put in can never change the structure.

A time has a unit: \`250ms\`, \`5s\`, \`2m\`, \`1h\`. A size is a number of bytes, or \`64KiB\`, \`16MiB\`, \`1GiB\`.`;

const connectionText = `Every upstream that is reached by a \`url\` takes these settings beside it. They have no environment variable, since one
value would be for all upstreams; \`\${WEATHER_TIMEOUT:-60s}\` in the file does what is wanted.`;

/** What a kind or a face takes beside the connection. */
function ownKeys(settings: z.ZodType): readonly string[] {
  const schema = jsonSchema(settings);
  const own = Object.keys(schema.properties ?? {}).filter((name) => !(name in connectionTable));
  const tables = own.length === 0 ? [] : [keyTable(schema, own)];
  return [...(schema.description === undefined ? [] : [schema.description]), ...tables];
}

function settingsTable(schema: Schema, settings: Settings, section?: string): string {
  const variables = new Map(
    [...settingVariables].map(([variable, path]) => [path.join("."), code(variable)] as const),
  );
  const rows = Object.entries(settings).map(([name, { what, reason }]) => {
    const { value, fallback } = cells(schema, name);
    return [code(name), value, fallback, what, reason, variables.get(`${section}.${name}`) ?? ""];
  });
  const columns = ["Setting", "Value", "Default", "What it does", "Reason of the default", "Variable"];
  return section === undefined
    ? table(
        columns.slice(0, -1),
        rows.map((row) => row.slice(0, -1)),
      )
    : table(columns, rows);
}

function policyTable(schema: Schema): string {
  const rows = settingNames
    .filter((name) => schema.properties?.[name] !== undefined)
    .map((name) => {
      const { what, absent, reason } = settingTable[name];
      return [code(name), cells(schema, name).value, absent, what, reason];
    });
  return table(["Key", "Value", "Default", "What it does", "Reason of the default"], rows);
}

function keyTable(schema: Schema, names = Object.keys(schema.properties ?? {})): string {
  const rows = names.map((name) => {
    const { value, fallback } = cells(schema, name);
    return [code(name), value, fallback, property(schema, name).description ?? ""];
  });
  return table(["Key", "Value", "Default", "What it is"], rows);
}

function cells(schema: Schema, name: string): { readonly value: string; readonly fallback: string } {
  const { default: fallback, ...inner } = property(schema, name);
  const isRequired = schema.required?.includes(name) === true;
  return {
    value: valueText(inner),
    fallback: fallback === undefined ? (isRequired ? "required" : "") : fallbackText(fallback),
  };
}

function fallbackText(fallback: unknown): string {
  const isEmpty = typeof fallback === "object" && Object.keys(fallback ?? {}).length === 0;
  return isEmpty || fallback === "" ? "none" : code(String(fallback));
}

function valueText({ title, type, enum: words, anyOf = [] }: Schema): string {
  const listed = words ?? anyOf.map(asSchema).find((one) => one.enum !== undefined)?.enum;
  if (title !== undefined) return title;
  if (listed !== undefined) return listed.map((word) => code(String(word))).join(", ");
  switch (type) {
    case "object":
      return "section";
    case "array":
      return "list";
    default:
      return "text";
  }
}

function jsonSchema(settings: z.ZodType): Schema {
  return z.toJSONSchema(settings, { io: "input", unrepresentable: "any" });
}

function property(schema: Schema, name: string): Schema {
  return asSchema(schema.properties?.[name] ?? {});
}

function itemsOf({ items }: Schema): Schema {
  return asSchema(Array.isArray(items) ? {} : (items ?? {}));
}

/** JSON Schema has `true` for a schema that takes everything. */
function asSchema(schema: boolean | Schema): Schema {
  return typeof schema === "boolean" ? {} : schema;
}
