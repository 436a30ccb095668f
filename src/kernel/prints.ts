import { fingerprint } from "../fingerprint.ts";
import type { Part, ToolResult } from "../ir.ts";
import type { JsonObject } from "../json/json-value.ts";

/** Fields of a part that a fingerprint does not cover: what is about it (R32). Whom it is for is part of what it says. */
const unprinted = new Set(["priority", "lastModified", "meta", "extensions"]);

/**
 * The fingerprint of a part's value. Bytes enter by the print of their slices, so that a stream can make it without
 * holding them; `dataPrint` is that print where the part at hand has only the beginning of its bytes.
 */
export function partPrint(part: Part, dataPrint?: string): string {
  const fields = Object.entries(part)
    .filter(([field]) => !unprinted.has(field))
    .map(([field, value]) => [field, field === "data" ? (dataPrint ?? printOfData(value as string)) : value]);
  return fingerprint(Object.fromEntries(fields) as JsonObject);
}

/** Characters of base64 per slice: a multiple of four, so that a slice is whole bytes. */
const sliceLength = 49_152;

/** Makes the print of base64 that comes piece by piece; how it is cut does not matter. */
export class DataPrinter {
  readonly #prints: string[] = [];
  #open: string[] = [];
  #length = 0;

  push(data: string): void {
    let rest = data;
    while (this.#length + rest.length >= sliceLength) {
      const taken = sliceLength - this.#length;
      this.#prints.push(fingerprint([...this.#open, rest.slice(0, taken)].join("")));
      rest = rest.slice(taken);
      this.#open = [];
      this.#length = 0;
    }
    if (rest.length > 0) this.#open.push(rest);
    this.#length += rest.length;
  }

  finish(): string {
    return fingerprint([...this.#prints, fingerprint(this.#open.join(""))]);
  }
}

function printOfData(data: string): string {
  const printer = new DataPrinter();
  printer.push(data);
  return printer.finish();
}

export const structuredPrint = (result: ToolResult): string =>
  result.structuredContent === undefined ? "absent" : fingerprint(result.structuredContent);

export const statusPrint = (result: ToolResult): string => result.status ?? "success";

/** Prints of the bytes of parts that are held only in their beginning, by position. */
export type DataPrints = ReadonlyMap<number, string>;

export const noPrints: DataPrints = new Map();

export function wholePrint(result: ToolResult, dataPrints: DataPrints = noPrints): string {
  const parts = result.content.map((part, index) => partPrint(part, dataPrints.get(index)));
  return fingerprint([...parts, structuredPrint(result), statusPrint(result)]);
}

/**
 * Everything that a payload says to its reader, for holding a restored result against it (R33). Left aside is what
 * others may add on the way without touching the result: unknown fields, and facts of the spelling of the whole. The
 * id of the call counts where `withCallId`: one that was changed on the way is the payload's own matter.
 */
export function payloadPrint(result: ToolResult, format: string, withCallId: boolean): string {
  const { content, extensions: _, toolCallId = null, ...rest } = result;
  const parts = content.map(({ extensions, ...part }) => {
    const { extra: __, ...own } = extensions?.[format] ?? {};
    return { ...part, own };
  });
  const said = { ...rest, status: statusPrint(result), parts, toolCallId: withCallId ? toolCallId : null };
  return fingerprint(said);
}
