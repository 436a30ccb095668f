import { flagOf } from "../cli/options.ts";
import type { Converter, FormatInfo } from "../converter.ts";
import { errorCodes, errorTable, exitCodes } from "../errors.ts";
import { configJsonSchema } from "../gateway/config/schema.ts";
import type { GatewayParts } from "../gateway/parts.ts";
import { irJsonSchema } from "../ir-json-schema.ts";
import { lossCodes, lossTable } from "../losses.ts";
import { defaultLimits } from "../options.ts";
import { serverDefaults } from "../server/conversion-api.ts";
import { limitNames, limitTable, settingNames, settingTable } from "../settings.ts";
import { configurationPage } from "./configuration-page.ts";
import { code, page, table } from "./markdown.ts";

/** One generated page and where it lies, from the top of the repository. */
export interface ReferencePage {
  readonly path: string;
  readonly text: string;
}

/** The reference pages, from the tables that the code itself uses. */
export function referencePages(converter: Converter, gateway: GatewayParts): readonly ReferencePage[] {
  const parts = { ...gateway, adapters: converter.adapters };
  return [
    { path: "src/ir.schema.json", text: jsonText(irJsonSchema()) },
    { path: "src/gateway/config.schema.json", text: jsonText(configJsonSchema(parts)) },
    { path: "src/gateway/CONFIGURATION.md", text: configurationPage(parts) },
    { path: "src/LOSSES.md", text: lossesPage() },
    { path: "src/ERRORS.md", text: errorsPage() },
    { path: "src/SETTINGS.md", text: settingsPage() },
    { path: "adapters/FORMATS.md", text: formatsPage(converter.formats()) },
  ];
}

function jsonText(schema: object): string {
  return `${JSON.stringify(schema, null, 2)}\n`;
}

function lossesPage(): string {
  const rows = lossCodes.map((name) => {
    const { severity, what, why, todo, returns } = lossTable[name];
    return [code(name), severity, what, why, todo, returns ? "yes" : "no"];
  });
  return page(
    "Losses",
    "What a conversion can report, as data. `info` is a change of form without a change of meaning; `warning` a\n" +
      "meaning kept but shown or used otherwise; `error` something that does not come back or must not happen.\n" +
      '"Comes back" says whether a carry can restore it. `trg explain CODE` prints an entry.',
    table(["Code", "Severity", "What happened", "Why", "What to do", "Comes back"], rows),
  );
}

function errorsPage(): string {
  const rows = errorCodes.map((name) => {
    const { what, todo, http, exit } = errorTable[name];
    return [code(name), what, todo, String(http), String(exit)];
  });
  const exits = [
    [exitCodes.ok, "Done."],
    [exitCodes.failed, "A conversion, validation or detection failed."],
    [exitCodes.usage, "Wrong usage or configuration."],
    [exitCodes.lossesRefused, "Losses that the policy refuses."],
    [exitCodes.system, "A file, the network or a port."],
  ] as const;
  return page(
    "Errors",
    "Every way a call can fail. The library throws a `ConversionError` with the code and a JSON Pointer, the command\n" +
      "ends with the exit status, and the server answers a problem document (RFC 9457) with the HTTP status.",
    table(["Code", "What happened", "What to do", "HTTP", "Exit"], rows),
    "## Exit statuses",
    table(
      ["Status", "Meaning"],
      [...exits.map(([status, meaning]) => [String(status), meaning]), ["128 + n", "Ended by signal n."]],
    ),
  );
}

function settingsPage(): string {
  const settings = settingNames.map((name) => {
    const { what, value, absent, reason, isSwitch } = settingTable[name];
    return [code(name), code(settingFlag(name, isSwitch, absent)), code(value), what, absent, reason];
  });
  const limits = limitNames.map((name) => {
    const { what, reason } = limitTable[name];
    return [code(name), code(flagOf(name)), what, String(defaultLimits[name]), reason];
  });
  return page(
    "Settings",
    "Options of a conversion: by these names in the library and in the query of `POST /v1/convert`, as flags on the\n" +
      "command line.",
    table(["Option", "Flag", "Value", "What it does", "Default", "Reason of the default"], settings),
    "Beside these, the library takes `carried` (a detached carry, handed back; `--carry-file`) and `carryKey` (the\n" +
      "secret that signs a carry; `--carry-key-file`). They are never taken from a URL.",
    "## Limits",
    "In the library as `limits: {...}`, on the command line as flags, for a server when it starts.",
    table(["Limit", "Flag", "What it bounds", "Default", "Reason"], limits),
    `\`trg serve\` takes request bodies of up to ${serverDefaults.maxBodyBytes} bytes, and sets \`maxNodes\` to ${serverDefaults.limits.maxNodes}.`,
  );
}

function settingFlag(name: string, isSwitch: boolean, absent: string): string {
  if (name === "mode") return "--strict";
  return isSwitch && absent === "true" ? flagOf(name).replace("--", "--no-") : flagOf(name);
}

function formatsPage(formats: readonly FormatInfo[]): string {
  const blocks = formats.flatMap(({ id, title, spec, dialects }) => [
    `## ${code(id)}: ${title}`,
    `Follows [${spec.version}](${spec.url}).`,
    table(
      ["Dialect", "What it is", "Read", "Written", "Carry inline", "Media type"],
      dialects.map((one) => [
        code(`${id}:${one.id}`),
        one.title,
        "yes",
        one.output ? "yes" : "no",
        one.carry ? "yes" : "no",
        code(one.mediaType),
      ]),
    ),
  ]);
  return page(
    "Formats",
    "What `from` and `to` take. The first dialect of a format is written where none is named; on reading the spelling\n" +
      "decides.",
    ...blocks,
  );
}
