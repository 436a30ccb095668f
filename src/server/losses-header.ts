import { type Loss, severities } from "../losses.ts";

export const lossesHeader = "Tool-Result-Losses";

const maxCodes = 10;

/**
 * The losses of a bare answer as a structured field (RFC 9651): how many, the highest severity, and the first ten
 * codes, such as `count=3, severity=warning, codes=(json-as-text meta-dropped)`. Codes are a closed list, so it
 * stays below 2 KiB.
 */
export function lossesHeaderValue(losses: readonly Loss[]): string {
  const highest = severities.findLast((severity) => losses.some((loss) => loss.severity === severity));
  if (highest === undefined) return "count=0";
  const codes = [...new Set(losses.map(({ code }) => code))].slice(0, maxCodes);
  return `count=${losses.length}, severity=${highest}, codes=(${codes.join(" ")})`;
}
