import { type Loss, type LossCode, type Severity, severities } from "../losses.ts";

export const lossesHeader = "Tool-Result-Losses";

const maxCodes = 10;

/** Losses counted as they come, of one result or of many. */
export class LossTally {
  #count = 0;
  readonly #severities = new Set<Severity>();
  readonly #codes = new Set<LossCode>();

  add(losses: readonly Loss[]): this {
    this.#count += losses.length;
    for (const { severity, code } of losses) {
      this.#severities.add(severity);
      this.#codes.add(code);
    }
    return this;
  }

  /**
   * As a structured field (RFC 9651): how many, the highest severity, and the first ten codes, such as
   * `count=3, severity=warning, codes=(json-as-text meta-dropped)`. Codes are a closed list, so it stays below 2 KiB.
   */
  get header(): string {
    const highest = severities.findLast((severity) => this.#severities.has(severity));
    if (highest === undefined) return "count=0";
    const codes = [...this.#codes].slice(0, maxCodes);
    return `count=${this.#count}, severity=${highest}, codes=(${codes.join(" ")})`;
  }
}

/** The header for the losses of one result. */
export function lossesHeaderValue(losses: readonly Loss[]): string {
  return new LossTally().add(losses).header;
}
