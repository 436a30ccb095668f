import type { ConvertOptions, ReadOptions } from "../converter.ts";
import { ConversionError, unknownWord } from "../errors.ts";
import type { Limits } from "../options.ts";
import { readSettings, readWord, type SettingName, settingNames, settingTable } from "../settings.ts";

/** How the body of a conversion is divided into documents and results. */
export type BatchForm = "one" | "all" | "lines" | "carried";

/** What a query asks of a conversion. */
export interface ConvertRequest {
  readonly options: ConvertOptions;
  readonly envelope: boolean;
  readonly form: BatchForm;
}

const switches = ["envelope", "all", "lines", "carried"] as const;
const convertNames = ["from", "to", ...switches, ...settingNames] as const;

/**
 * The query of `POST /v1/convert`. Throws `invalid-option` for a parameter that is unknown, given twice, or has no
 * such value: a typing error never means a default.
 */
export function readConvertQuery(query: URLSearchParams, limits: Partial<Limits>): ConvertRequest {
  const given = readQuery(query, convertNames);
  const to = given.get("to");
  if (to === undefined)
    throw new ConversionError("invalid-option", "the query parameter `to` names the target format");
  const isSetting = (entry: readonly [string, string]): entry is [SettingName, string] =>
    (settingNames as readonly string[]).includes(entry[0]);
  const options = readSettings(new Map([...given].filter(isSetting)), (name) => name);
  const isOn = (name: (typeof switches)[number]) =>
    ["1", "true"].includes(readWord(given.get(name) ?? "0", name, ["0", "1", "false", "true"]));
  const envelope = isOn("envelope");
  if (options.carry === "detached" && !envelope) {
    throw new ConversionError(
      "invalid-option",
      "carry=detached needs envelope=1, or the carry would be lost",
    );
  }
  const [form = "one", another] = (["all", "lines", "carried"] as const).filter(isOn);
  if (another !== undefined)
    throw new ConversionError("invalid-option", `${form} and ${another} exclude each other`);
  return { options: { ...options, from: given.get("from") ?? "auto", to, limits }, envelope, form };
}

/** The query of `POST /v1/validate`. Throws as `readConvertQuery`. */
export function readValidateQuery(query: URLSearchParams, limits: Partial<Limits>): ReadOptions {
  const given = readQuery(query, ["from", "mode"]);
  const mode = settingTable.mode.read(given.get("mode") ?? settingTable.mode.absent, "mode");
  return { from: given.get("from") ?? "auto", mode, limits };
}

/** The parameters of a query by their names. Throws `invalid-option` for one that is unknown or given twice. */
export function readQuery<Name extends string>(
  query: URLSearchParams,
  names: readonly Name[],
): ReadonlyMap<Name, string> {
  const given = new Map<Name, string>();
  for (const [shown, value] of query) {
    const name = names.find((one) => one === shown);
    if (name === undefined) throw unknownWord("invalid-option", "query parameter", shown, names);
    if (given.has(name))
      throw new ConversionError("invalid-option", `the query parameter ${name} is given twice`);
    given.set(name, value);
  }
  return given;
}
