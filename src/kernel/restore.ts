import { type Part, type ToolResult, toolResultSchema } from "../ir.ts";
import type { JsonObject, JsonValue } from "../json/json-value.ts";
import { readJson } from "../json/read-json.ts";
import { compact } from "../json/stringify.ts";
import { platform } from "../platform/index.ts";
import { type Pointer, pointer, rootPointer } from "../pointer.ts";
import { type Carry, carrySchema, edits, isSigned, partOf, references } from "./carry.ts";
import { commonOf, type Delta, type Edit, mostReferences, type PartEdit, resolve } from "./delta.ts";
import { partPrint, statusPrint, structuredPrint, wholePrint } from "./prints.ts";

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
  const fault = faultOfCarry(raw, options.key);
  if (fault !== undefined) return { outcome: "rejected", reason: fault };
  // The check has just said so. Not the schema's copy: that would drop an own `__proto__` key.
  const carry = raw as Carry;
  const signed = isSigned(raw as JsonObject, options.key);
  if ((carry.delta.order?.length ?? 0) > options.maxParts)
    return { outcome: "rejected", reason: "it has too many parts" };
  if (usesTooOften(carry.delta)) return { outcome: "rejected", reason: "it refers to one value too often" };
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

/** Why a carry from outside is none by itself, whatever its payload; undefined where it is one. */
export function faultOfCarry(raw: JsonValue, key: string | undefined): string | undefined {
  if (!carrySchema.safeParse(raw).success) return "it has not the form of a carry";
  const isTrusted = key === undefined || isSigned(raw as JsonObject, key);
  return isTrusted ? undefined : "it is not signed with the key";
}

/** A small carry must not make a large result of a value by naming it again and again. */
function usesTooOften(delta: Delta): boolean {
  const uses = new Map<string, number>();
  for (const place of edits(delta).flatMap(references)) {
    const count = (uses.get(place) ?? 0) + 1;
    if (count > mostReferences) return true;
    uses.set(place, count);
  }
  return false;
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
    // A part whose print is right is there.
    const held = parts[edit.at] as Part;
    const part = edited(edit.anew === true ? commonOf(held) : held, edit, base, options.maxDepth);
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
