import * as z from "zod";
import type { Origin } from "../adapter.ts";
import type { Part, ToolResult } from "../ir.ts";
import { isJsonObject } from "../json/json-kind.ts";
import type { JsonObject } from "../json/json-value.ts";
import { stableStringify } from "../json/stringify.ts";
import type { ShapeOptions } from "../options.ts";
import { platform } from "../platform/index.ts";
import { hmacSha256 } from "../platform/sha256.ts";
import { type Delta, deltaSchema, type Edit } from "./delta.ts";
import { type DataPrints, noPrints, partPrint, statusPrint, structuredPrint, wholePrint } from "./prints.ts";

/**
 * The carry (section 6): the delta with the fingerprints that bind it to the payload, and what shaped the payload.
 * From outside it is untrusted data.
 */
export const carrySchema = z.strictObject({
  version: z.literal(1),
  /** Where the result came from, and the dialect that it was written in. */
  origin: z.strictObject({ format: z.string(), dialect: z.string().exactOptional() }),
  dialect: z.string(),
  options: z.custom<JsonObject>(isJsonObject).exactOptional(),
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
  const carry: JsonObject = {
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
  };
  return key === undefined ? carry : { ...carry, signature: sign(carry, key) };
}

function sign(carry: JsonObject, key: string): string {
  return hmacSha256(platform.encodeUtf8(key), platform.encodeUtf8(stableStringify(carry)));
}

export function isSigned(raw: JsonObject, key: string | undefined): boolean {
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

export function edits(delta: Delta): readonly Edit[] {
  const inserted = (delta.order ?? []).filter((item) => typeof item !== "number");
  return [...(delta.parts ?? []), ...inserted, ...(delta.result === undefined ? [] : [delta.result])];
}

export function references(edit: Edit): readonly string[] {
  return Object.values(edit.refer ?? {}).map((reference) => reference.of);
}

function referredParts(delta: Delta): readonly number[] {
  return edits(delta).flatMap(references).flatMap(partOf);
}

export function partOf(place: string): readonly number[] {
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
