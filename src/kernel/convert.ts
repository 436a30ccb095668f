import type { Adapter, Dialect, Origin, Reading } from "../adapter.ts";
import { ConversionError } from "../errors.ts";
import type { ToolResult } from "../ir.ts";
import type { JsonObject, JsonValue } from "../json/json-value.ts";
import { compact } from "../json/stringify.ts";
import { type Aspect, type Loss, type LossCode, lossEntry, severities } from "../losses.ts";
import type { ConversionOptions, Limits, ShapeOptions } from "../options.ts";
import { platform } from "../platform/index.ts";
import { type Pointer, pointer, rootPointer } from "../pointer.ts";
import { type DataPrints, makeCarry, type Restored, restore, resultPrint } from "./carry.ts";
import { compare, type Difference } from "./delta.ts";
import type { ReadSession } from "./read.ts";
import { type PlacedLoss, type Rendered, render } from "./render.ts";

/** What a conversion answers (R20). */
export interface Conversion {
  /** The JSON document, or the text of a dialect that is lines or events. */
  readonly output: JsonValue;
  readonly mediaType: string;
  readonly losses: readonly Loss[];
  /** The carry, where it was asked for as `detached` and there is one. */
  readonly carry?: JsonValue;
}

/** A conversion with what it was computed from, for tests and reports. */
export interface Inspection {
  readonly conversion: Conversion;
  readonly result: ToolResult;
  readonly delta: readonly Difference[];
  readonly report: readonly { readonly loss: Loss; readonly place: Pointer }[];
}

export interface Side {
  readonly adapter: Adapter;
  readonly dialect: Dialect | undefined;
}

export interface Target {
  readonly adapter: Adapter;
  readonly dialect: Dialect;
}

/** A result on its way: with where it came from and where its parts stood. */
export interface Resolved {
  readonly result: ToolResult;
  readonly origin: Origin;
  readonly trusted: boolean;
  readonly losses: readonly { readonly code: LossCode; readonly pointer: Pointer; readonly detail: string }[];
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
  const restored = restoreVerified(raw, reading.result, source, options, limits);
  if (restored.outcome === "rejected") {
    return { ...own, losses: [{ code: "carry-rejected", pointer: carryPlace, detail: restored.reason }] };
  }
  return {
    result: restored.result,
    origin: restored.carry.origin,
    trusted: restored.signed,
    losses: restored.stale.map((detail) => ({ code: "carry-stale", pointer: carryPlace, detail })),
    pointerOf: (place) => restoredPointer(place, restored, reading.result, session, carryPlace),
  };
}

function originOf(source: Side): Origin {
  const dialect = source.dialect?.id;
  return dialect === undefined ? { format: source.adapter.id } : { format: source.adapter.id, dialect };
}

function carryPointer(reading: Reading, session: ReadSession): Pointer {
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
    return resultPrint(again.base, adapter.id) === resultPrint(base, adapter.id);
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

/** `/content/2/audience` is part 2 and its field; `/status` is a field of the result. */
function splitPlace(place: Pointer): { position: number | undefined; field: string } {
  const [, first = "", second = "", third = ""] = place.split("/");
  return first === "content" && second !== ""
    ? { position: Number(second), field: third }
    : { position: undefined, field: first };
}

export interface ConvertRequest {
  readonly target: Target;
  readonly options: ConversionOptions;
  readonly limits: Limits;
  /** Position in the batch. */
  readonly position: number;
  /** Losses of reading, whose pointers are right already. */
  readonly readLosses: readonly {
    readonly code: LossCode;
    readonly pointer: Pointer;
    readonly detail: string;
  }[];
  /** For a stream whose large files are written already: their prints, by position. */
  readonly written?: DataPrints;
}

/** The second half of a conversion: from the result to the target's payload, losses and carry. */
export function convertResult(resolved: Resolved, request: ConvertRequest): Inspection {
  const { target, options, limits } = request;
  const shape = shapeOf(options);
  const result = withCallId(resolved.result, options.toolCallId);
  const rendered = render(result, {
    adapter: target.adapter,
    dialect: target.dialect,
    options: shape,
    origin: resolved.origin,
    trusted: resolved.trusted,
    position: request.position,
    limits,
    foldMirrors: request.written === undefined,
  });
  const wantsCarry = takesCarry(options, target.dialect);
  const comparison = compare(rendered.base, result, rendered.shown, wantsCarry);
  const delta = comparison.delta ?? (needsOrigin(resolved.origin, target, options) ? {} : undefined);
  const made =
    delta === undefined || !wantsCarry
      ? undefined
      : makeCarry(
          delta,
          rendered.base,
          resolved.origin,
          target.dialect.id,
          shape,
          options.carryKey,
          request.written,
        );
  const placed = placeCarry(made, rendered, target.dialect, options, limits);
  const losses = [
    ...rendered.losses,
    ...impliedLosses(comparison.differences, rendered, result, target.adapter.id),
  ];
  const report = reportOf(losses, comparison.differences, placed.written, resolved);
  const before = [...request.readLosses, ...resolved.losses].map((loss) => ({
    loss: toLoss(loss.code, loss.pointer, loss.detail, lossEntry(loss.code).returns),
    place: rootPointer,
  }));
  const after = placed.tooLarge
    ? [
        {
          loss: toLoss("carry-too-large", rootPointer, `over ${limits.carryLimit} bytes`, false),
          place: rootPointer,
        },
      ]
    : [];
  const all = [...before, ...report, ...after];
  const allLosses = merged(all.map(({ loss }) => loss));
  refuse(allLosses, options);
  const conversion: Conversion = {
    output: target.dialect.encode === undefined ? placed.document : target.dialect.encode(placed.document),
    mediaType: target.dialect.mediaType,
    losses: allLosses,
    ...(placed.detached === undefined ? {} : { carry: placed.detached }),
  };
  return { conversion, result, delta: comparison.differences, report: all };
}

/** The options that shape a payload and no others, so that a carry records just those (R31). */
function shapeOf(options: ConversionOptions): ShapeOptions {
  const {
    audience,
    structured,
    assistantOnly,
    mirror,
    userVariable,
    nonEmpty,
    documentSuffix,
    imageMarkdown,
    imageUrl,
  } = options;
  const shape = {
    audience,
    structured,
    assistantOnly,
    mirror,
    userVariable,
    nonEmpty,
    documentSuffix,
    imageMarkdown,
    imageUrl,
  };
  return Object.fromEntries(Object.entries(shape).filter(([, value]) => value !== undefined)) as ShapeOptions;
}

function withCallId(result: ToolResult, id: string | undefined): ToolResult {
  return id === undefined || id === result.toolCallId ? result : { ...result, toolCallId: id };
}

function takesCarry(options: ConversionOptions, dialect: Dialect): boolean {
  const mode = options.carry ?? "inline";
  return mode === "detached" || (mode === "inline" && dialect.embedCarry !== undefined);
}

/**
 * Whether the way back needs to know where the result came from although nothing differs: another dialect of the same
 * format that keeps less from its readers, and a format that says everything but cannot be trusted unsigned (R63).
 */
function needsOrigin(origin: Origin, { adapter, dialect }: Target, { carryKey }: ConversionOptions): boolean {
  if (dialect.traits.structured === "verbatim") return carryKey !== undefined && origin.format !== adapter.id;
  const source = adapter.dialects.find(({ id }) => id === origin.dialect);
  return (
    origin.format === adapter.id && source !== undefined && source.traits.audience !== dialect.traits.audience
  );
}

interface PlacedCarry {
  readonly document: JsonValue;
  readonly detached?: JsonValue;
  readonly written: boolean;
  readonly tooLarge: boolean;
}

function placeCarry(
  carry: JsonObject | undefined,
  { document }: Rendered,
  dialect: Dialect,
  options: ConversionOptions,
  limits: Limits,
): PlacedCarry {
  const none = { document, written: false, tooLarge: false };
  if (carry === undefined) return none;
  if (options.carry === "detached" || dialect.embedCarry === undefined) {
    return { document, detached: carry, written: true, tooLarge: false };
  }
  if (platform.encodeUtf8(compact(carry)).length > limits.carryLimit) return { ...none, tooLarge: true };
  return { document: dialect.embedCarry(document, carry), written: true, tooLarge: false };
}

/** Differences whose loss follows from their aspect alone, wherever the renderer has not named one. */
const impliedCodes: Partial<Record<Aspect, LossCode>> = {
  audience: "audience-dropped",
  annotation: "annotation-dropped",
  "part-meta": "meta-dropped",
  "result-meta": "meta-dropped",
  extension: "extension-dropped",
  "file-name": "file-name-changed",
  "mime-type": "mime-corrected",
  error: "error-detail-dropped",
  logs: "log-dropped",
  widget: "widget-not-rendered",
};

const impliedDetails: Partial<Record<LossCode, string>> = {
  "call-id-dropped": "not written",
  "call-id-generated": "derived from the content",
  "call-id-aliased": "an alias is written",
  "unreported-change": "the payload reads differently from the result, and the adapter named no loss",
};

function impliedLosses(
  differences: readonly Difference[],
  rendered: Rendered,
  result: ToolResult,
  target: string,
): readonly PlacedLoss[] {
  return differences
    .filter((difference) => !rendered.losses.some((loss) => covers(loss.code, loss.place, difference)))
    .map((difference) => {
      const code = impliedCode(difference, rendered.base, result, target);
      return { code, place: difference.place, detail: impliedDetails[code] ?? "not written" };
    });
}

function impliedCode(
  { aspect, place }: Difference,
  base: ToolResult,
  result: ToolResult,
  target: string,
): LossCode {
  if (aspect === "call-id") {
    if (base.toolCallId === undefined) return "call-id-dropped";
    return result.toolCallId === undefined ? "call-id-generated" : "call-id-aliased";
  }
  if (aspect === "extension" && target !== "strands" && hasDocumentContext(place, result))
    return "document-context-dropped";
  return impliedCodes[aspect] ?? "unreported-change";
}

/** Strands' documents alone have a context, which the model has read there. */
function hasDocumentContext(place: Pointer, result: ToolResult): boolean {
  const { position } = splitPlace(place);
  const own = position === undefined ? undefined : result.content[position]?.extensions?.strands;
  return own !== undefined && (own.context !== undefined || own.citations !== undefined);
}

const partAspects = new Set<Aspect>([
  "form",
  "left-out",
  "audience",
  "annotation",
  "part-meta",
  "extension",
  "file-name",
  "mime-type",
]);

/** Whether a loss accounts for a difference (R12): by its code, and where it is about one part, by the part. */
export function covers(code: LossCode, place: Pointer, difference: Difference): boolean {
  if (!(lossEntry(code).covers as readonly Aspect[]).includes(difference.aspect)) return false;
  const at = splitPlace(difference.place).position;
  if (!partAspects.has(difference.aspect) || at === undefined) return true;
  return splitPlace(place).position === at;
}

function reportOf(
  losses: readonly PlacedLoss[],
  differences: readonly Difference[],
  written: boolean,
  resolved: Resolved,
): readonly { loss: Loss; place: Pointer }[] {
  return losses.map(({ code, place, detail }) => {
    const isDifference = differences.some((difference) => covers(code, place, difference));
    const carried = lossEntry(code).returns && (isDifference ? written : true);
    return {
      loss: toLoss(code, place === rootPointer ? rootPointer : resolved.pointerOf(place), detail, carried),
      place,
    };
  });
}

function toLoss(code: LossCode, place: Pointer, detail: string, carried: boolean): Loss {
  return { code, severity: lossEntry(code).severity, pointer: place, detail, carried };
}

/** One loss per code and pointer, as the caller sees it; carried only where all of it is. */
function merged(losses: readonly Loss[]): readonly Loss[] {
  const byKey = new Map<string, Loss>();
  for (const loss of losses) {
    const key = `${loss.code} ${loss.pointer}`;
    const before = byKey.get(key);
    if (before === undefined) byKey.set(key, loss);
    else if (before.carried && !loss.carried) byKey.set(key, { ...before, carried: false });
  }
  return [...byKey.values()];
}

/** R22. A severity stands for itself and all above it. */
function refuse(losses: readonly Loss[], options: ConversionOptions): void {
  const strict = options.mode === "strict";
  const named: readonly string[] = options.failOn ?? (strict ? ["warning"] : []);
  const severity = severities.findIndex((name) => named.includes(name));
  const refused = losses.filter(
    (loss) =>
      named.includes(loss.code) ||
      (severity !== -1 && severities.indexOf(loss.severity) >= severity) ||
      (strict && options.uncarried !== "allow" && !loss.carried),
  );
  if (refused.length === 0) return;
  const codes = [...new Set(refused.map((loss) => loss.code))].join(", ");
  throw new ConversionError("losses-refused", `the policy refuses ${refused.length} losses: ${codes}`, {
    pointer: refused[0]?.pointer ?? rootPointer,
    data: { losses: refused },
  });
}
