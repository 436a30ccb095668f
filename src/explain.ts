import { type ErrorEntry, errorCodes, errorTable, unknownWord } from "./errors.ts";
import { type LossEntry, lossCodes, lossTable } from "./losses.ts";

/** What a code means: as a loss, as an error, or (`duplicate-key`) as both. */
export interface Explanation {
  readonly code: string;
  readonly loss?: LossEntry;
  readonly error?: ErrorEntry;
}

/** The entry of a loss code or an error code (R23); throws `unknown-code`, naming the nearest. */
export function explain(code: string): Explanation {
  const loss = entryOf(lossTable, code);
  const error = entryOf(errorTable, code);
  if (loss === undefined && error === undefined) {
    throw unknownWord("unknown-code", "code", code, [...new Set([...lossCodes, ...errorCodes])]);
  }
  return { code, ...(loss !== undefined && { loss }), ...(error !== undefined && { error }) };
}

function entryOf<Entry>(table: Readonly<Record<string, Entry>>, code: string): Entry | undefined {
  return Object.hasOwn(table, code) ? table[code] : undefined;
}
