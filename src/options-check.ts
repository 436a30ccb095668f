import { ConversionError, unknownWord } from "./errors.ts";
import { lossCodes, severities } from "./losses.ts";
import { audiencePolicies, type ConversionOptions, carryModes, mirrorModes } from "./options.ts";

/** The closed lists of option values, by option; also for help texts and the HTTP surface. */
export const optionValues = {
  mode: ["lenient", "strict"],
  audience: audiencePolicies,
  structured: ["guard", "show"],
  assistantOnly: ["write", "withhold"],
  mirror: mirrorModes,
  carry: carryModes,
  uncarried: ["refuse", "allow"],
} as const satisfies Partial<Record<keyof ConversionOptions, readonly string[]>>;

/** Throws `invalid-option` for a value that is none of its list, so that a typing error never means a default. */
export function checkOptions(options: ConversionOptions): void {
  for (const [name, known] of Object.entries(optionValues)) {
    const value = options[name as keyof typeof optionValues];
    if (value !== undefined && !(known as readonly string[]).includes(value)) {
      throw unknownWord("invalid-option", `value of ${name}`, String(value), known);
    }
  }
  for (const word of options.failOn ?? []) {
    const known: readonly string[] = [...severities, ...lossCodes];
    if (!known.includes(word)) throw unknownWord("invalid-option", "severity or loss code", word, known);
  }
  for (const [name, value] of Object.entries(options.limits ?? {})) {
    if (typeof value !== "number" || !(value > 0)) {
      throw new ConversionError("invalid-option", `the limit ${name} must be a number above 0`);
    }
  }
}
