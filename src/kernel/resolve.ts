import type { Adapter, Dialect, Origin, Reading } from "../adapter.ts";
import type { ToolResult } from "../ir.ts";
import type { JsonValue } from "../json/json-value.ts";
import { compact } from "../json/stringify.ts";
import type { ConversionOptions, Limits, ShapeOptions } from "../options.ts";
import { platform } from "../platform/index.ts";
import { type Pointer, pointer, rootPointer } from "../pointer.ts";
import { splitPlace } from "./place.ts";
import { payloadPrint } from "./prints.ts";
import type { ReadLoss, ReadSession } from "./read.ts";
import { render } from "./render.ts";
import { type Restored, restore } from "./restore.ts";

export interface Side {
  readonly adapter: Adapter;
  readonly dialect: Dialect | undefined;
}

/** A result on its way: with where it came from and where its parts stood. */
export interface Resolved {
  readonly result: ToolResult;
  readonly origin: Origin;
  readonly trusted: boolean;
  readonly losses: readonly ReadLoss[];
  pointerOf(place: Pointer): Pointer;
}

/** The result of a reading, with its carry applied (R30a, R32, R33). */
export function resolveReading(
  reading: Reading,
  source: Side,
  session: ReadSession,
  options: ConversionOptions,
  limits: Limits,
): Resolved {
  const own: Resolved = {
    result: reading.result,
    origin: reading.origin ?? originOf(source),
    trusted: reading.origin === undefined,
    losses: [],
    pointerOf: (place) => sourcePointer(place, reading.result, session),
  };
  const raw = (options.carried as JsonValue | undefined) ?? reading.carry;
  if (raw === undefined) return own;
  const carryPlace = carryPointer(reading, session);
  const rejected = (reason: string): Resolved => ({
    ...own,
    losses: [{ code: "carry-rejected", pointer: carryPlace, detail: reason }],
  });
  // What the caller hands in himself was never in a payload, so its size is his own matter.
  const oversize = options.carried === undefined ? oversizeOf(raw, limits) : undefined;
  if (oversize !== undefined) return rejected(oversize);
  const restored = restoreVerified(raw, reading.result, source, options, limits);
  if (restored.outcome === "rejected") {
    return rejected(restored.reason);
  }
  return {
    result: restored.result,
    origin: restored.carry.origin,
    trusted: restored.signed,
    losses: restored.stale.map((detail) => ({ code: "carry-stale", pointer: carryPlace, detail })),
    pointerOf: (place) => restoredPointer(place, restored, reading.result, session, carryPlace),
  };
}

/** Why a carry is too large to be read out of a payload (R30). */
export function oversizeOf(carry: JsonValue, { carryLimit }: Limits): string | undefined {
  return platform.encodeUtf8(compact(carry)).length > carryLimit
    ? `it is over ${carryLimit} bytes`
    : undefined;
}

function originOf(source: Side): Origin {
  const dialect = source.dialect?.id;
  return dialect === undefined ? { format: source.adapter.id } : { format: source.adapter.id, dialect };
}

export function carryPointer(reading: Reading, session: ReadSession): Pointer {
  const { carry } = reading;
  if (typeof carry !== "object" || carry === null) return rootPointer;
  return session.pointerOf(carry) ?? rootPointer;
}

/** Applies a carry and holds it against the payload: rendered again, the restored result must give it (R33). */
function restoreVerified(
  raw: JsonValue,
  base: ToolResult,
  source: Side,
  options: ConversionOptions,
  limits: Limits,
): Restored {
  const common = { maxDepth: limits.maxDepth, maxParts: limits.maxParts, key: options.carryKey };
  const whole = restore(raw, base, common);
  if (whole.outcome === "rejected" || givesPayload(whole, base, source, limits)) return whole;
  // An edited payload may contradict what is about the whole; the items of its untouched parts still hold (R32).
  if (whole.stale.length > 0) {
    const parts = restore(raw, base, { ...common, partsOnly: true });
    if (parts.outcome === "applied" && givesPayload(parts, base, source, limits)) return parts;
  }
  return { outcome: "rejected", reason: "the result it gives does not have this payload" };
}

function givesPayload(
  restored: Extract<Restored, { outcome: "applied" }>,
  base: ToolResult,
  { adapter }: Side,
  limits: Limits,
): boolean {
  const dialect = adapter.dialects.find(({ id, output }) => output && id === restored.carry.dialect);
  if (dialect === undefined) return false;
  const callId = restored.carry.delta.callId;
  const { toolCallId: _, ...rest } = restored.result;
  const known = callId === undefined ? restored.result.toolCallId : callId.was;
  try {
    const again = render(known === undefined ? rest : { ...rest, toolCallId: known }, {
      adapter,
      dialect,
      options: (restored.carry.options ?? {}) as ShapeOptions,
      origin: restored.carry.origin,
      trusted: restored.signed,
      position: 0,
      ...(base.toolCallId === undefined ? {} : { fallbackCallId: base.toolCallId }),
      limits,
    });
    // An id that was changed on the way wins over the carried one, and says nothing about the rest (R32).
    const sameCall = callId === undefined || base.toolCallId === callId.wrote;
    return payloadPrint(again.base, adapter.id, sameCall) === payloadPrint(base, adapter.id, sameCall);
  } catch {
    // Options or values that no rendering takes: then no rendering gave this payload.
    return false;
  }
}

function sourcePointer(place: Pointer, result: ToolResult, session: ReadSession): Pointer {
  const { position, field } = splitPlace(place);
  const root = session.pointerOf(result) ?? rootPointer;
  if (position === undefined) return field === "" ? root : (session.pointerOf(result, field) ?? root);
  const part = result.content[position];
  return part === undefined ? root : (session.pointerOf(part, field) ?? root);
}

function restoredPointer(
  place: Pointer,
  restored: Extract<Restored, { outcome: "applied" }>,
  base: ToolResult,
  session: ReadSession,
  carryPlace: Pointer,
): Pointer {
  const { position, field } = splitPlace(place);
  if (position === undefined) return sourcePointer(place, base, session);
  const held = restored.places[position];
  if (typeof held === "number")
    return sourcePointer(pointer(rootPointer, "content", held, field), base, session);
  return held === undefined ? carryPlace : (`${carryPlace}${held}` as Pointer);
}
