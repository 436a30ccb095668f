import type { ConvertOptions } from "../converter.ts";
import { ConversionError, unknownWord } from "../errors.ts";
import type { Limits } from "../options.ts";
import { readSettings, readWord, type SettingName, settingNames } from "../settings.ts";

/** What a query asks of a conversion. */
export interface ConvertRequest {
  readonly options: ConvertOptions;
  readonly envelope: boolean;
}

const ownNames = ["from", "to", "envelope"] as const;
const names: readonly string[] = [...ownNames, ...settingNames];

/**
 * The query of `POST /v1/convert`. Throws `invalid-option` for a parameter that is unknown, given twice, or has no
 * such value: a typing error never means a default.
 */
export function readConvertQuery(query: URLSearchParams, limits: Partial<Limits>): ConvertRequest {
  const given = new Map<string, string>();
  for (const [name, value] of query) {
    if (!names.includes(name)) throw unknownWord("invalid-option", "query parameter", name, names);
    if (given.has(name))
      throw new ConversionError("invalid-option", `the query parameter ${name} is given twice`);
    given.set(name, value);
  }
  const to = given.get("to");
  if (to === undefined)
    throw new ConversionError("invalid-option", "the query parameter `to` names the target format");
  const isSetting = (entry: readonly [string, string]): entry is [SettingName, string] =>
    (settingNames as readonly string[]).includes(entry[0]);
  const options = readSettings(new Map([...given].filter(isSetting)), (name) => name);
  const envelope = ["1", "true"].includes(
    readWord(given.get("envelope") ?? "0", "envelope", ["0", "1", "false", "true"]),
  );
  if (options.carry === "detached" && !envelope) {
    throw new ConversionError(
      "invalid-option",
      "carry=detached needs envelope=1, or the carry would be lost",
    );
  }
  return { options: { ...options, from: given.get("from") ?? "auto", to, limits }, envelope };
}
