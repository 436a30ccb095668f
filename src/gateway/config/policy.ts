import * as z from "zod";
import { lossCodes, severities } from "../../losses.ts";
import { optionValues } from "../../options-check.ts";
import { settingTable } from "../../settings.ts";
import type { RoutePolicy } from "./config.ts";
import { onOff, text, word } from "./value-kinds.ts";

/** A new option of conversions breaks the build until it has a row here. */
const shape = {
  mode: option("mode", word(optionValues.mode)),
  failOn: option("failOn", z.array(z.enum([...severities, ...lossCodes]))),
  uncarried: option("uncarried", word(optionValues.uncarried)),
  audience: option("audience", word(optionValues.audience)),
  structured: option("structured", word(optionValues.structured)),
  assistantOnly: option("assistantOnly", word(optionValues.assistantOnly)),
  mirror: option("mirror", word(optionValues.mirror)),
  userVariable: option("userVariable", text()),
  nonEmpty: option("nonEmpty", onOff()),
  documentSuffix: option("documentSuffix", onOff()),
  imageMarkdown: option("imageMarkdown", onOff()),
  imageUrl: option("imageUrl", onOff()),
  // The answer of a tool call has no place for a detached carry beside it.
  carry: option("carry", word(["inline", "off"])),
} satisfies { readonly [Name in keyof RoutePolicy]-?: z.ZodType };

/** The options of a route's conversions, by the names of the library; those that are not given keep its defaults. */
export const policySchema: z.ZodType<RoutePolicy> = z.strictObject(shape);

function option<Value extends z.ZodType>(name: keyof RoutePolicy, value: Value) {
  const { what, absent } = settingTable[name];
  return value.describe(`${what} Default: ${absent}.`).exactOptional();
}
