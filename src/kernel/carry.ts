import * as z from "zod";
import type { Origin } from "../adapter.ts";
import { fingerprint } from "../fingerprint.ts";
import { type Part, type ToolResult, toolResultSchema } from "../ir.ts";
import type { JsonObject, JsonValue } from "../json/json-value.ts";
import { readJson } from "../json/read-json.ts";
import { compact, stableStringify } from "../json/stringify.ts";
import type { ShapeOptions } from "../options.ts";
import { platform } from "../platform/index.ts";
import { hmacSha256 } from "../platform/sha256.ts";
import { type Pointer, pointer, rootPointer } from "../pointer.ts";
import { type Delta, deltaSchema, type Edit, type PartEdit, resolve } from "./delta.ts";

/**
 * The carry (section 6): the delta with the fingerprints that bind it to the payload, and what shaped the payload.
 * From outside it is untrusted data.
 */
const carrySchema = z.strictObject({
  version: z.literal(1),
  /** Where the result came from, and the dialect that it was written in. */
  origin: z.strictObject({ format: z.string(), dialect: z.string().exactOptional() }),
  dialect: z.string(),
  options: z
    .custom<JsonObject>((value) => typeof value === "object" && value !== null && !Array.isArray(value))
    .exactOptional(),
  delta: deltaSchema,
  prints: z.strictObject({
    /** Of each part that an item belongs to or refers to, by its position. */
    parts: z.record(z.string(), z.string()).exactOptional(),
    structured: z.string().exactOptional(),
    status: z.string(),
    /** Of everything; for items about the whole. */
    whole: z.string().exactOptional(),
  }),
  signature: z.string().exactOptional(),
});

export type Carry = z.infer<typeof carrySchema>;

/** Fields of a part that a fingerprint does not cover: whom it is for and what is about it (R32). */
const unprinted = new Set(["audience", "priority", "lastModified", "meta", "extensions"]);

/**
 * The fingerprint of a part's value. Bytes enter by the print of their slices, so that a stream can make it without
 * holding them; `dataPrint` is that print where the part at hand has only the beginning of its bytes.
 */
function partPrint(part: Part, dataPrint?: string): string {
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

const structuredPrint = (result: ToolResult): string =>
  result.structuredContent === undefined ? "absent" : fingerprint(result.structuredContent);

const statusPrint = (result: ToolResult): string => result.status ?? "success";

/** Prints of the bytes of parts that are held only in their beginning, by position. */
export type DataPrints = ReadonlyMap<number, string>;
const noPrints: DataPrints = new Map();

function wholePrint(result: ToolResult, dataPrints: DataPrints = noPrints): string {
  const parts = result.content.map((part, index) => partPrint(part, dataPrints.get(index)));
  return fingerprint([...parts, structuredPrint(result), statusPrint(result)]);
}

/**
 * What a payload says to its reader: content with the facts of the format's own spelling, `structuredContent` and
 * status; without ids, metadata and unknown fields, which others may change on the way (R32).
 */
export function resultPrint(result: ToolResult, format: string): string {
  const spelling = result.content.map((part) => {
    const { extra: _, ...own } = part.extensions?.[format] ?? {};
    return own;
  });
  return fingerprint([wholePrint(result), spelling]);
}

/** Binds a delta to `base`, what the target's reader makes of the payload. */
export function makeCarry(
  delta: Delta,
  base: ToolResult,
  origin: Origin,
  dialect: string,
  options: ShapeOptions,
  key: string | undefined,
  dataPrints: DataPrints = noPrints,
): JsonObject {
  const positions = new Set([...(delta.parts ?? []).map((part) => part.at), ...referredParts(delta)]);
  const parts = [...positions]
    .sort((a, b) => a - b)
    .map((at) => [String(at), partPrint(base.content[at] as Part, dataPrints.get(at))] as const);
  const carry = {
    version: 1,
    origin: { ...origin },
    dialect,
    ...(Object.keys(options).length === 0 ? {} : { options: { ...options } }),
    delta,
    prints: {
      ...(parts.length === 0 ? {} : { parts: Object.fromEntries(parts) }),
      ...(aboutStructured(delta) ? { structured: structuredPrint(base) } : {}),
      status: statusPrint(base),
      ...(aboutWhole(delta, base) ? { whole: wholePrint(base, dataPrints) } : {}),
    },
  } as unknown as JsonObject; // A delta is JSON by its schema; its type has optional fields, which JSON objects lack.
  return key === undefined ? carry : { ...carry, signature: sign(carry, key) };
}

function sign(carry: JsonObject, key: string): string {
  return hmacSha256(platform.encodeUtf8(key), platform.encodeUtf8(stableStringify(carry)));
}

function edits(delta: Delta): readonly Edit[] {
  const inserted = (delta.order ?? []).filter((item) => typeof item !== "number");
  return [...(delta.parts ?? []), ...inserted, ...(delta.result === undefined ? [] : [delta.result])];
}

function references(edit: Edit): readonly string[] {
  return Object.values(edit.refer ?? {}).map((reference) => reference.of);
}

function referredParts(delta: Delta): readonly number[] {
  return edits(delta).flatMap(references).flatMap(partOf);
}

function partOf(place: string): readonly number[] {
  const position = /^\/content\/(\d+)(?:\/|$)/.exec(place)?.[1];
  return position === undefined ? [] : [Number(position)];
}

const touches = (edit: Edit | undefined, field: string): boolean =>
  edit !== undefined &&
  ((edit.set !== undefined && Object.hasOwn(edit.set, field)) ||
    (edit.refer !== undefined && Object.hasOwn(edit.refer, field)) ||
    (edit.unset ?? []).includes(field));

function aboutStructured(delta: Delta): boolean {
  return (
    touches(delta.result, "structuredContent") ||
    edits(delta)
      .flatMap(references)
      .some((place) => place.startsWith("/structuredContent"))
  );
}

/** Order and parts added or left out; and structured content that was withheld together with such parts. */
function aboutWhole(delta: Delta, base: ToolResult): boolean {
  return (
    delta.order !== undefined ||
    (base.structuredContent === undefined && touches(delta.result, "structuredContent"))
  );
}

/** What became of a carry. */
export type Restored =
  | { readonly outcome: "rejected"; readonly reason: string }
  | {
      readonly outcome: "applied";
      readonly result: ToolResult;
      /** For each part its position in the payload's own reading, or the place of its item in the carry. */
      readonly places: readonly (number | Pointer)[];
      readonly carry: Carry;
      readonly signed: boolean;
      /** Items that did not apply, in words. */
      readonly stale: readonly string[];
    };

export interface RestoreOptions {
  readonly maxDepth: number;
  readonly maxParts: number;
  readonly key: string | undefined;
  /** Leaves out what is about the whole and the result; for a second try after an edited payload. */
  readonly partsOnly?: boolean;
}

/** Checks a carry from outside and applies it to the reading of the payload that it came with (R32, R33). */
export function restore(raw: JsonValue, base: ToolResult, options: RestoreOptions): Restored {
  const parsed = carrySchema.safeParse(raw);
  if (!parsed.success) return { outcome: "rejected", reason: "it has not the form of a carry" };
  // The raw object, not the schema's copy: that would drop an own `__proto__` key.
  const carry = raw as unknown as Carry;
  const signed = isSigned(raw as JsonObject, options.key);
  if (options.key !== undefined && !signed)
    return { outcome: "rejected", reason: "it is not signed with the key" };
  if ((carry.delta.order?.length ?? 0) > options.maxParts)
    return { outcome: "rejected", reason: "it has too many parts" };
  const stale: string[] = [];
  const applied = applyDelta(carry, base, options, stale);
  if (applied === undefined)
    return { outcome: "rejected", reason: "it refers to values that the payload has not" };
  const checked = toolResultSchema.safeParse(applied.result);
  if (!checked.success) return { outcome: "rejected", reason: "what it gives is no result" };
  if (!applied.result.content.every(hasSoundBytes))
    return { outcome: "rejected", reason: "it holds invalid base64" };
  return { outcome: "applied", ...applied, carry, signed, stale };
}

function isSigned(raw: JsonObject, key: string | undefined): boolean {
  const { signature, ...rest } = raw;
  if (key === undefined || typeof signature !== "string") return false;
  return equalTexts(signature, sign(rest, key));
}

/** Compares in a time that does not tell where two signatures differ. */
function equalTexts(first: string, second: string): boolean {
  let difference = first.length ^ second.length;
  for (let index = 0; index < second.length; index += 1)
    difference |= first.charCodeAt(index) ^ second.charCodeAt(index);
  return difference === 0;
}

function hasSoundBytes(part: Part): boolean {
  return !("data" in part) || part.data === undefined || platform.isBase64(part.data);
}

interface Applied {
  readonly result: ToolResult;
  readonly places: readonly (number | Pointer)[];
}

function applyDelta(
  carry: Carry,
  base: ToolResult,
  options: RestoreOptions,
  stale: string[],
): Applied | undefined {
  const { delta, prints } = carry;
  const fresh = freshness(carry, base);
  const parts = [...base.content];
  for (const edit of delta.parts ?? []) {
    if (!fresh.part(edit.at) || !fresh.references(edit)) {
      stale.push(`the item of part ${edit.at}: the part was changed`);
      continue;
    }
    const part = edited(edit.anew === true ? {} : parts[edit.at], edit, base, options.maxDepth);
    if (part === undefined) return undefined;
    parts[edit.at] = part as Part;
  }
  const wholeIsFresh = prints.whole === undefined || prints.whole === wholePrint(base);
  const ordered = orderedParts(delta, base, parts, options, wholeIsFresh, stale);
  if (ordered === undefined) return undefined;
  const { content: _, ...rest } = base;
  const { fields, skipped } =
    options.partsOnly === true
      ? { fields: rest, skipped: [] }
      : withResultEdit(carry, base, rest, options, fresh, wholeIsFresh);
  if (fields === undefined) return undefined;
  stale.push(...skipped);
  return {
    result: {
      ...withMeta(withCallId(fields as Omit<ToolResult, "content">, delta), delta),
      content: ordered.parts,
    },
    places: ordered.places,
  };
}

function freshness(carry: Carry, base: ToolResult) {
  const known = new Map<number, boolean>();
  const part = (at: number): boolean => {
    const before = known.get(at);
    if (before !== undefined) return before;
    const held = base.content[at];
    const fresh = held !== undefined && carry.prints.parts?.[String(at)] === partPrint(held);
    known.set(at, fresh);
    return fresh;
  };
  const structured = (): boolean => carry.prints.structured === structuredPrint(base);
  const reference = (place: string): boolean =>
    place.startsWith("/structuredContent") ? structured() : partOf(place).every(part);
  return { part, structured, references: (edit: Edit): boolean => references(edit).every(reference) };
}

function orderedParts(
  delta: Delta,
  base: ToolResult,
  parts: readonly Part[],
  options: RestoreOptions,
  wholeIsFresh: boolean,
  stale: string[],
): { parts: readonly Part[]; places: readonly (number | Pointer)[] } | undefined {
  const asTheyAre = { parts, places: parts.map((_, index) => index) };
  if (delta.order === undefined || options.partsOnly === true) return asTheyAre;
  if (!wholeIsFresh) {
    stale.push("order, added and left-out parts: the payload was changed");
    return asTheyAre;
  }
  const ordered: Part[] = [];
  const places: (number | Pointer)[] = [];
  for (const [index, item] of delta.order.entries()) {
    const part =
      typeof item === "number" ? parts[item] : (edited({}, item, base, options.maxDepth) as Part | undefined);
    if (part === undefined) return undefined;
    ordered.push(part);
    places.push(typeof item === "number" ? item : pointer(rootPointer, "delta", "order", index));
  }
  return { parts: ordered, places };
}

function withResultEdit(
  carry: Carry,
  base: ToolResult,
  rest: object,
  options: RestoreOptions,
  fresh: ReturnType<typeof freshness>,
  wholeIsFresh: boolean,
): { fields: object | undefined; skipped: readonly string[] } {
  const edit = carry.delta.result;
  if (edit === undefined) return { fields: rest, skipped: [] };
  const skipped: string[] = [];
  const keep = (field: string): boolean => {
    const ok =
      field === "structuredContent"
        ? fresh.structured() && (base.structuredContent !== undefined || wholeIsFresh)
        : (field !== "status" && field !== "error") || carry.prints.status === statusPrint(base);
    const reference =
      edit.refer === undefined || !Object.hasOwn(edit.refer, field) ? undefined : edit.refer[field];
    const sound = ok && (reference === undefined || fresh.references({ refer: { [field]: reference } }));
    if (!sound) skipped.push(`the field ${field}: the payload was changed`);
    return sound;
  };
  const only = <Value>(object: { readonly [field: string]: Value } | undefined): { [field: string]: Value } =>
    Object.fromEntries(Object.entries(object ?? {}).filter(([field]) => keep(field)));
  const kept: Edit = { set: only(edit.set), refer: only(edit.refer), unset: (edit.unset ?? []).filter(keep) };
  return { fields: edited(rest, kept, base, options.maxDepth), skipped };
}

/** The object with the edit made; undefined where a reference leads nowhere. */
function edited(
  from: object | undefined,
  edit: Edit | PartEdit,
  base: ToolResult,
  maxDepth: number,
): object | undefined {
  if (from === undefined) return undefined;
  const unset = new Set(edit.unset ?? []);
  const kept = Object.entries(from).filter(([field]) => !unset.has(field));
  const referred: [string, JsonValue][] = [];
  for (const [field, reference] of Object.entries(edit.refer ?? {})) {
    const value = dereference(reference, base, maxDepth);
    if (value === undefined) return undefined;
    referred.push([field, value]);
  }
  return Object.fromEntries([...kept, ...Object.entries(edit.set ?? {}), ...referred]);
}

function dereference(
  reference: { as: string; of: string },
  base: ToolResult,
  maxDepth: number,
): JsonValue | undefined {
  const value = resolve(base, reference.of) as JsonValue | undefined;
  if (value === undefined) return undefined;
  switch (reference.as) {
    case "json":
      return typeof value === "string" ? readText(value, maxDepth) : undefined;
    case "text":
      return compact(value);
    default:
      return value;
  }
}

function readText(text: string, maxDepth: number): JsonValue | undefined {
  try {
    return readJson(text, { maxDepth }).value;
  } catch {
    return undefined;
  }
}

/** An id that was changed on the way wins over the carried one (R32). */
function withCallId(fields: Omit<ToolResult, "content">, delta: Delta): Omit<ToolResult, "content"> {
  if (delta.callId === undefined || fields.toolCallId !== delta.callId.wrote) return fields;
  const { toolCallId: _, ...rest } = fields;
  return delta.callId.was === undefined ? rest : { ...rest, toolCallId: delta.callId.was };
}

/** A key that the payload has wins over the carried one (R32). */
function withMeta(fields: Omit<ToolResult, "content">, delta: Delta): Omit<ToolResult, "content"> {
  return delta.meta === undefined ? fields : { ...fields, meta: { ...delta.meta, ...fields.meta } };
}
