import type { Adapter, Dialect } from "../adapter.ts";
import type { ToolResult } from "../ir.ts";
import type { JsonObject, JsonValue } from "../json/json-value.ts";
import { compact, stableStringify, stringify } from "../json/stringify.ts";
import { type Loss, lossEntry } from "../losses.ts";
import type { ConversionOptions, Limits, ShapeOptions } from "../options.ts";
import { platform } from "../platform/index.ts";
import { type Pointer, rootPointer } from "../pointer.ts";
import { makeCarry } from "./carry.ts";
import { compare, type Difference } from "./delta.ts";
import type { DataPrints } from "./prints.ts";
import type { ReadLoss } from "./read.ts";
import { type Rendered, render } from "./render.ts";
import { impliedLosses, merged, refuse, reportOf, toLoss } from "./report.ts";
import type { Resolved } from "./resolve.ts";

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

/** What a conversion comes to, before it is put into a form for a caller. */
export interface Outcome extends Omit<Inspection, "conversion"> {
  readonly document: JsonValue;
  readonly losses: readonly Loss[];
  readonly carry?: JsonValue;
}

export interface Target {
  readonly adapter: Adapter;
  readonly dialect: Dialect;
}

export interface ConvertRequest {
  readonly target: Target;
  readonly options: ConversionOptions;
  readonly limits: Limits;
  /** Position in the batch. */
  readonly position: number;
  /** Losses of reading, whose pointers are right already. */
  readonly readLosses: readonly ReadLoss[];
  /** For a stream whose large files are written already: their prints, by position. */
  readonly written?: DataPrints;
  /** A carry that came with the source and leaves in the place of one of this conversion: there is one at most (R30a). */
  readonly passedCarry?: JsonObject;
}

/** The second half of a conversion: from the result to the target's payload, losses and carry. */
export function convertResult(resolved: Resolved, request: ConvertRequest): Outcome {
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
  const wantsCarry = request.passedCarry === undefined && takesCarry(options, target.dialect);
  const comparison = compare(rendered.base, result, rendered.shown, wantsCarry);
  const delta = comparison.delta ?? (wantsCarry && needsOrigin(resolved, rendered, request) ? {} : undefined);
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
  const placed = placeCarry(request.passedCarry ?? made, rendered, target.dialect, options, limits);
  const losses = [
    ...rendered.losses,
    ...impliedLosses(comparison.differences, rendered, result, target.adapter.id),
  ];
  const report = reportOf(losses, comparison.differences, wantsCarry && placed.written, resolved);
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
  return {
    document: placed.document,
    losses: allLosses,
    ...(placed.detached === undefined ? {} : { carry: placed.detached }),
    result,
    delta: comparison.differences,
    report: all,
  };
}

export function conversionOf(outcome: Outcome, dialect: Dialect): Conversion {
  const { encode } = dialect;
  return {
    output: encode === undefined ? outcome.document : [...encode(outcome.document)].join(""),
    ...summaryOf(outcome, dialect),
  };
}

/** A conversion without its output. */
export function summaryOf({ losses, carry }: Outcome, { mediaType }: Dialect): Omit<Conversion, "output"> {
  return { mediaType, losses, ...(carry === undefined ? {} : { carry }) };
}

/** The text of the output, in pieces where it is lines or events. */
export function* piecesOf({ document }: Outcome, { encode }: Dialect): Generator<string> {
  if (encode === undefined) yield stringify(document);
  else yield* encode(document);
}

/** The options that shape a payload and no others, so that a carry records just those (R31). */
export function shapeOf(options: ConversionOptions): ShapeOptions {
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
 * Whether the way back needs to know where the result came from although nothing differs: a format that says everything
 * but cannot be trusted unsigned (R63), and another dialect of one format, whose repairs the way back would make again.
 */
function needsOrigin(resolved: Resolved, rendered: Rendered, request: ConvertRequest): boolean {
  const { origin } = resolved;
  const { adapter, dialect } = request.target;
  if (dialect.traits.structured === "verbatim") {
    return request.options.carryKey !== undefined && origin.format !== adapter.id;
  }
  if (origin.format !== adapter.id || origin.dialect === undefined || origin.dialect === dialect.id)
    return false;
  const source = adapter.dialects.find(({ id, output }) => output && id === origin.dialect);
  return source !== undefined && !comesBack(resolved, rendered, { adapter, dialect: source }, request);
}

/** Whether the payload, read without a carry and written in the dialect it came from, is what it was. */
function comesBack(resolved: Resolved, { base }: Rendered, home: Target, request: ConvertRequest): boolean {
  const { limits, position, target } = request;
  const common = { ...home, options: {}, position, limits };
  const dialect = target.dialect.id;
  const there = render(resolved.result, { ...common, origin: resolved.origin, trusted: resolved.trusted });
  const back = render(base, { ...common, origin: { format: home.adapter.id, dialect }, trusted: true });
  return stableStringify(there.document) === stableStringify(back.document);
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
