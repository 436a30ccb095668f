import type { Adapter, Dialect, Origin, RenderContext } from "../adapter.ts";
import { ConversionError } from "../errors.ts";
import type { ToolResult } from "../ir.ts";
import type { JsonValue } from "../json/json-value.ts";
import type { LossCode } from "../losses.ts";
import type { Limits, ShapeOptions } from "../options.ts";
import { type Pointer, pointer, rootPointer } from "../pointer.ts";
import { deriveCallId } from "./call-id.ts";
import { resolve } from "./delta.ts";
import { prepare } from "./prepare.ts";
import { callAdapter, ReadSession } from "./read.ts";

/** A loss of writing; `place` is an IR pointer into the result. */
export interface PlacedLoss {
  readonly code: LossCode;
  readonly place: Pointer;
  readonly detail: string;
}

export interface RenderRequest {
  readonly adapter: Adapter;
  readonly dialect: Dialect;
  readonly options: ShapeOptions;
  readonly origin: Origin;
  readonly trusted: boolean;
  /** Position in the batch, for a derived call id. */
  readonly position: number;
  /** Used instead of a derived id where the result has none. */
  readonly fallbackCallId?: string;
  readonly limits: Limits;
  /** Whether copies of one value are folded (R5); off where earlier parts are written already (R72). Default true. */
  readonly foldMirrors?: boolean;
}

export interface Rendered {
  /** The wire, without carry. */
  readonly document: JsonValue;
  /** What the target's own reader makes of it. */
  readonly base: ToolResult;
  /** For each part of `base` the position of the part that it shows. */
  readonly shown: readonly (number | undefined)[];
  readonly losses: readonly PlacedLoss[];
}

/** Renders a result and reads the outcome back: the two sides that a delta is made of. */
export function render(result: ToolResult, request: RenderRequest): Rendered {
  const { adapter, dialect, options, origin } = request;
  const losses: PlacedLoss[] = [];
  const prepared = prepare(result, {
    format: adapter.id,
    traits: dialect.traits,
    policy: options.audience ?? (isOwn(request) ? "native" : dialect.traits.audience),
    isOwn: isOwn(request),
    origin,
    options,
    maxDepth: request.limits.maxDepth,
    foldMirrors: request.foldMirrors ?? true,
    lose: (code, place, detail) => {
      losses.push({ code, place, detail });
    },
    fail: (code, place, detail) => {
      throw new ConversionError(code, `${adapter.id}: ${detail}`, { pointer: place });
    },
  });
  const shows = new Map<JsonValue, number>();
  const demandCallId = () =>
    result.toolCallId ?? request.fallbackCallId ?? deriveCallId(result, request.position);
  const context: RenderContext = {
    dialect: dialect.id,
    options,
    origin,
    trusted: request.trusted,
    toolCallId: result.toolCallId,
    demandCallId,
    lose: (code, place, detail) => {
      losses.push({ code, place: originalPlace(place, prepared.sources), detail });
    },
    fail: (code, place, detail) => {
      throw new ConversionError(code, `${adapter.id}: ${detail}`, {
        pointer: originalPlace(place, prepared.sources),
      });
    },
    shows: (item, index) => {
      shows.set(item, index);
      return item;
    },
  };
  const document = callAdapter(adapter.id, () => adapter.render(prepared.result, context));
  const session = new ReadSession(adapter, dialect, unlimited(request.limits), "lenient", "own");
  const base = readBack(session, document, adapter);
  const itemAt = itemReader(document);
  const shown = base.content.map((part, index) => {
    // An adapter that says nothing is matched by position.
    if (shows.size === 0) return prepared.sources[index];
    const place = session.pointerOf(part);
    const position = place === undefined ? undefined : shows.get(itemAt(place));
    return position === undefined ? undefined : prepared.sources[position];
  });
  return { document, base, shown, losses };
}

/** Finds items by pointer; those of one list are found by one walk to the list. */
function itemReader(document: JsonValue): (place: Pointer) => JsonValue {
  let listPlace: string | undefined;
  let list: unknown;
  return (place) => {
    const end = place.lastIndexOf("/");
    if (end === -1) return document;
    if (listPlace === undefined || end !== listPlace.length || !place.startsWith(listPlace)) {
      listPlace = place.slice(0, end);
      list = resolve(document, listPlace);
    }
    return (
      Array.isArray(list) ? list[Number(place.slice(end + 1))] : resolve(list, place.slice(end))
    ) as JsonValue;
  };
}

/** Fails with `adapter-failed`: what an adapter writes, its own reader must take (R16). */
function readBack(session: ReadSession, document: JsonValue, adapter: Adapter): ToolResult {
  let readings: readonly { readonly result: ToolResult }[];
  try {
    readings = session.results(document);
  } catch (cause) {
    throw new ConversionError("adapter-failed", `${adapter.id}: it does not read what it wrote`, { cause });
  }
  const [reading] = readings;
  if (reading === undefined || readings.length !== 1) {
    throw new ConversionError(
      "adapter-failed",
      `${adapter.id}: it reads ${readings.length} results in the one it wrote`,
    );
  }
  return reading.result;
}

/** The limits are those of the input; what is rendered of it is within them by R16 and not counted again. */
function unlimited(limits: Limits): Limits {
  const endless = Number.POSITIVE_INFINITY;
  return { ...limits, maxDepth: endless, maxNodes: endless, maxParts: endless, maxLineBytes: endless };
}

/**
 * Whether the target is where the result came from, with readers of the same kind: then it is written as it was read
 * (R8). Where a model reads everything, only what was read from such a payload itself counts, or a signed carry: a
 * foreign carry must not open the way to a model by naming an origin (R33, R40).
 */
function isOwn({ adapter, dialect, origin, trusted }: RenderRequest): boolean {
  if (origin.format !== adapter.id) return false;
  const source = adapter.dialects.find(({ id }) => id === origin.dialect) ?? adapter.dialects[0];
  if (source.traits.audience !== dialect.traits.audience) return false;
  return dialect.traits.audience === "native" || trusted;
}

function originalPlace(place: Pointer, sources: readonly (number | undefined)[]): Pointer {
  const match = /^\/content\/(\d+)(.*)$/s.exec(place);
  if (match === null) return place;
  const source = sources[Number(match[1])];
  if (source === undefined) return rootPointer;
  return `${pointer(rootPointer, "content", source)}${match[2] ?? ""}` as Pointer;
}
