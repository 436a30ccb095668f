import type { Dialect, ItemRelay, Reading } from "../adapter.ts";
import type { ConversionError } from "../errors.ts";
import type { JsonObject, JsonValue } from "../json/json-value.ts";
import type { ConversionOptions } from "../options.ts";
import { pointer, rootPointer } from "../pointer.ts";
import { convertResult, type Outcome, shapeOf } from "./convert.ts";
import type { ReadSession } from "./read.ts";
import { carryPointer, oversizeOf, resolveReading } from "./resolve.ts";
import { faultOfCarry } from "./restore.ts";
import {
  failedBy,
  type StreamRequest,
  type StreamSummary,
  type StreamWriter,
  streamSummaryOf,
} from "./stream-writer.ts";

/** Passes a stream that begins with this item on; undefined where it has to be folded. */
export function relayFrom(
  first: JsonValue,
  request: StreamRequest,
  session: ReadSession,
): StreamWriter | undefined {
  const { source, target, format, options } = request;
  const { encode, stream } = target.dialect;
  const isStream = encode !== undefined && stream !== undefined;
  if (!isStream || source.adapter !== target.adapter || needsWhole(options)) return undefined;
  const items = format.relay?.(first, session.context);
  return items === undefined ? undefined : new Relay(request, session, items, encode);
}

/** What may refuse or change content has to know all of it before the first byte. */
function needsWhole(options: ConversionOptions): boolean {
  const { mode, failOn, carried } = options;
  const isPlain = mode !== "strict" && failOn === undefined && carried === undefined;
  return !isPlain || Object.keys(shapeOf(options)).length > 0;
}

/**
 * Writes each item as it comes. What is told of the result as a whole follows at the end: its error, its losses, and
 * the carry. A carry that came with the source is passed on unopened, since what it could change is written already.
 */
class Relay implements StreamWriter {
  readonly #request: StreamRequest;
  readonly #session: ReadSession;
  readonly #items: ItemRelay;
  readonly #encode: NonNullable<Dialect["encode"]>;
  #arrived = 0;
  #hasWritten = false;

  constructor(
    request: StreamRequest,
    session: ReadSession,
    items: ItemRelay,
    encode: NonNullable<Dialect["encode"]>,
  ) {
    this.#request = request;
    this.#session = session;
    this.#items = items;
    this.#encode = encode;
  }

  *take(item: JsonValue): Generator<string, void> {
    const position = this.#arrived;
    this.#arrived += 1;
    const place = pointer(rootPointer, position);
    const items = this.#session.item(() => this.#items.take(item, place), position);
    this.#session.checkParts(this.#items.parts, rootPointer);
    for (const text of this.#encode(items)) {
      this.#hasWritten = true;
      yield text;
    }
  }

  canClose(isSource: boolean): boolean {
    return isSource || this.#hasWritten;
  }

  *finish(fault?: ConversionError): Generator<string, StreamSummary> {
    const { target, options } = this.#request;
    // After a fault, items that were decoded and not taken say nothing any more.
    const last = fault === undefined ? undefined : this.#arrived - 1;
    const { reading, hasExtensions } = this.#session.item(() => this.#items.end(), last);
    const { carry: _, ...own } = reading;
    const passedCarry = this.#passedCarry(reading);
    let outcome = this.#convert(own, fault, options, passedCarry);
    const isPartial = hasExtensions && outcome.delta.some(({ aspect }) => aspect === "extension");
    // A carry of this conversion would say that the extensions known here are all of them.
    if (isPartial && passedCarry === undefined) {
      outcome = this.#convert(own, fault, { ...options, carry: "off" }, undefined);
    }
    // Only a document of items has an encoding.
    const document = outcome.document as readonly JsonValue[];
    yield* this.#encode(document.slice(own.result.content.length));
    return streamSummaryOf(outcome, target.dialect);
  }

  #convert(
    reading: Reading,
    fault: ConversionError | undefined,
    options: ConversionOptions,
    passedCarry: JsonObject | undefined,
  ): Outcome {
    const { source, target, limits } = this.#request;
    const resolved = resolveReading(reading, source, this.#session, options, limits);
    return convertResult(
      { ...resolved, result: failedBy(fault, resolved.result) },
      {
        target,
        options,
        limits,
        position: 0,
        readLosses: this.#session.losses,
        ...(passedCarry === undefined ? {} : { passedCarry }),
      },
    );
  }

  /** The carry that came, where it may leave again. */
  #passedCarry(reading: Reading): JsonObject | undefined {
    const { options, limits } = this.#request;
    const { carry } = reading;
    if (carry === undefined) return undefined;
    const fault =
      options.carry === "off"
        ? "it came after the content was written, and none is to be written"
        : (oversizeOf(carry, limits) ?? faultOfCarry(carry, options.carryKey));
    // By its schema a carry is an object.
    if (fault === undefined) return carry as JsonObject;
    this.#session.losses.push({
      code: "carry-rejected",
      pointer: carryPointer(reading, this.#session),
      detail: fault,
    });
    return undefined;
  }
}
