import type { Adapter, CanonicalContext, Dialect, ParseContext, Reading } from "../adapter.ts";
import { ConversionError, type ErrorCode, isConversionError } from "../errors.ts";
import { fromValue } from "../json/from-value.ts";
import { isJsonNumber } from "../json/json-number.ts";
import type { JsonValue } from "../json/json-value.ts";
import { type DuplicateKey, JsonReadError, readJson } from "../json/read-json.ts";
import type { LossCode } from "../losses.ts";
import type { Limits } from "../options.ts";
import { normaliseBase64 } from "../platform/base64.ts";
import { platform } from "../platform/index.ts";
import { type Pointer, rootPointer } from "../pointer.ts";

/** JSON or stream text, its bytes, or a JSON value that was already parsed. A string is always text. */
export type Input = string | Uint8Array | JsonValue;

/** A loss of reading: the pointer is already one into the document. */
export interface ReadLoss {
  readonly code: LossCode;
  readonly pointer: Pointer;
  readonly detail: string;
}

/**
 * Levels that envelopes and a carry may add to those of a result (R16): a Strands message in an event, and a carry
 * that holds a part of the greatest depth.
 */
const envelopeDepth = 40;

/** One reading of one input: what the adapter's contexts write down on the way. */
export class ReadSession {
  readonly losses: ReadLoss[] = [];
  readonly limits: Limits;
  readonly mode: "lenient" | "strict";
  /** `own`: what was rendered just now; its bytes were checked when they were read. */
  readonly source: "foreign" | "own";
  readonly #adapter: Adapter;
  readonly #dialect: Dialect | undefined;
  readonly #context: Context;
  #duplicates: DuplicateKey[] = [];
  readonly #payloads = new Set<Pointer>();
  /** Strings of the document that hold JSON which was read. */
  readonly #strings = new Set<Pointer>();
  /** By object: its own place alone, or the places of its fields, its own under the empty name. */
  readonly #places = new WeakMap<object, Pointer | Map<string, Pointer>>();
  /** Whether some value nests deeper than a result may; only then is each payload measured. */
  #isDeep = false;

  constructor(
    adapter: Adapter,
    dialect: Dialect | undefined,
    limits: Limits,
    mode: "lenient" | "strict",
    source: "foreign" | "own" = "foreign",
  ) {
    this.#adapter = adapter;
    this.#dialect = dialect;
    this.limits = limits;
    this.mode = mode;
    this.source = source;
    this.#context = new Context(this, dialect?.id);
  }

  /** Input to document. Throws ConversionError. */
  document(input: Input): JsonValue {
    if (input instanceof Uint8Array) return this.#text(decodeText(input));
    if (typeof input === "string") return this.#text(input);
    return this.#guarded(rootPointer, (maxDepth) => ({
      value: fromValue(input, {
        maxDepth,
        maxNumberLength: this.limits.maxNumberLength,
        maxNodes: this.limits.maxNodes,
      }),
      duplicates: [],
    }));
  }

  /** Document to results, with everything checked that the kernel checks (R14, R16, R26). */
  results(document: JsonValue): readonly Reading[] {
    const readings = this.#calling(() => this.#adapter.parse(document, this.#context));
    this.#checkDuplicates(this.#duplicates);
    for (const { result } of readings)
      this.checkParts(result.content.length, this.pointerOf(result) ?? rootPointer);
    return readings;
  }

  /** Throws `too-many-parts` where one result has more than the limit (R16). */
  checkParts(count: number, place: Pointer): void {
    const { maxParts } = this.limits;
    if (count > maxParts) this.fail("too-many-parts", place, `more than ${maxParts} parts`);
  }

  canonical(document: JsonValue, target: string): JsonValue {
    const context = new TargetContext(this, this.#dialect?.id, target);
    return this.#calling(() => this.#adapter.canonical(document, context));
  }

  /** Where a part or result, or a field of it, came from. */
  pointerOf(value: object, field = ""): Pointer | undefined {
    const places = this.#places.get(value);
    return typeof places === "string" ? places : (places?.get(field) ?? places?.get(""));
  }

  #text(text: string): JsonValue {
    const decode = this.#decoder();
    if (decode === undefined) return this.json(text, rootPointer);
    return this.#calling(() => decode(text, this.#context));
  }

  /** Where no dialect is named, any decoder of the format must read all of its spellings. */
  #decoder(): Dialect["decode"] {
    if (this.#dialect !== undefined) return this.#dialect.decode;
    return this.#adapter.dialects.find((dialect) => dialect.decode !== undefined)?.decode;
  }

  json(text: string, at: Pointer): JsonValue {
    return this.#guarded(at, (maxDepth) =>
      readJson(text, {
        maxDepth,
        maxNumberLength: this.limits.maxNumberLength,
        maxNodes: this.limits.maxNodes,
      }),
    );
  }

  #guarded(
    at: Pointer,
    read: (maxDepth: number) => { value: JsonValue; duplicates: readonly DuplicateKey[] },
  ): JsonValue {
    try {
      const { value, duplicates } = this.#byDepth(read);
      for (const { pointer: place, key } of duplicates)
        this.#duplicates.push({ pointer: `${at}${place}` as Pointer, key });
      return value;
    } catch (error) {
      if (error instanceof JsonReadError) throw fromReadError(error, at);
      throw error;
    }
  }

  #byDepth(read: (maxDepth: number) => { value: JsonValue; duplicates: readonly DuplicateKey[] }) {
    try {
      return read(this.limits.maxDepth);
    } catch (error) {
      if (!(error instanceof JsonReadError) || error.code !== "depth-exceeded") throw error;
      const reading = read(this.limits.maxDepth + envelopeDepth);
      this.#isDeep = true;
      return reading;
    }
  }

  /** The context for reading piece by piece. */
  get context(): ParseContext {
    return this.#context;
  }

  /**
   * Reads the item at this position of a stream, or without one what is left of it. What was noted is checked, and
   * forgotten, so that memory does not grow with the stream.
   */
  item<Result>(read: () => Result, position = Number.POSITIVE_INFINITY): Result {
    // More items than this one may have been decoded.
    const isLater = ({ pointer: place }: DuplicateKey) => Number(place.split("/", 2)[1]) > position;
    const later = this.#duplicates.filter(isLater);
    try {
      const result = this.#calling(read);
      this.#checkDuplicates(this.#duplicates.filter((duplicate) => !isLater(duplicate)));
      return result;
    } finally {
      this.#duplicates = later;
      this.#payloads.clear();
      this.#strings.clear();
    }
  }

  /** The value of JSON text in a string of the document; undefined where it is none. */
  jsonInString(text: string, place: Pointer): JsonValue | undefined {
    let value: JsonValue;
    try {
      value = this.json(text, place);
    } catch (error) {
      if (isConversionError(error)) return undefined;
      throw error;
    }
    this.#strings.add(place);
    return value;
  }

  lose(code: LossCode, place: Pointer, detail: string): void {
    const { outside, inside } = this.#outside(place);
    this.losses.push({ code, pointer: outside, detail: detail + inside });
  }

  fail(code: ErrorCode, place: Pointer, detail: string): never {
    const { outside, inside } = this.#outside(place);
    throw new ConversionError(code, `${this.#adapter.id}: ${detail}${inside}`, { pointer: outside });
  }

  /** A pointer into JSON inside a string ends at the string; the rest is words (R20). */
  #outside(place: Pointer): { readonly outside: Pointer; readonly inside: string } {
    const string = this.#strings.size === 0 ? undefined : ancestorIn(place, this.#strings);
    if (string === undefined || string === place) return { outside: place, inside: "" };
    return { outside: string, inside: ` (at ${place.slice(string.length)} in the text)` };
  }

  setPlace(value: object, at: Pointer, field: string): void {
    const place = this.#outside(at).outside;
    const places = this.#places.get(value);
    if (places === undefined) this.#places.set(value, field === "" ? place : new Map([[field, place]]));
    else if (typeof places !== "string") places.set(field, place);
    else
      this.#places.set(
        value,
        new Map([
          ["", places],
          [field, place],
        ]),
      );
  }

  addPayload(value: JsonValue, place: Pointer): void {
    this.#payloads.add(place);
    if (this.#isDeep && !isWithin(value, this.limits.maxDepth)) {
      this.fail("depth-exceeded", place, `deeper than ${this.limits.maxDepth} levels`);
    }
  }

  #checkDuplicates(duplicates: readonly DuplicateKey[]): void {
    for (const { pointer: place } of duplicates) {
      // The key of a payload itself belongs to the envelope.
      const around = place.slice(0, place.lastIndexOf("/")) as Pointer;
      if (ancestorIn(around, this.#payloads) === undefined)
        this.fail("duplicate-key", place, "the key stands twice");
      this.lose("duplicate-key", place, "the last value counts");
    }
  }

  /** An adapter that throws anything else than the contract's error is at fault, not the input. */
  #calling<Result>(call: () => Result): Result {
    return callAdapter(this.#adapter.id, call);
  }
}

/** What an adapter sees of a session. A class, since two are made for every conversion. */
class Context implements ParseContext {
  readonly limits: Limits;
  readonly mode: "lenient" | "strict";
  readonly dialect: string | undefined;
  readonly #session: ReadSession;

  constructor(session: ReadSession, dialect: string | undefined) {
    this.limits = session.limits;
    this.mode = session.mode;
    this.dialect = dialect;
    this.#session = session;
  }

  lose(code: LossCode, place: Pointer, detail: string): void {
    this.#session.lose(code, place, detail);
  }

  fail(code: ErrorCode, place: Pointer, detail: string): never {
    return this.#session.fail(code, place, detail);
  }

  json(text: string, place: Pointer): JsonValue {
    return this.#session.json(text, place);
  }

  at<Value extends object>(value: Value, place: Pointer, field = ""): Value {
    this.#session.setPlace(value, place, field);
    return value;
  }

  payload<Value extends JsonValue>(value: Value, place: Pointer): Value {
    this.#session.addPayload(value, place);
    return value;
  }

  base64(text: string, place: Pointer): { readonly data: string; readonly mimeType?: string } {
    if (this.#session.source === "own") return { data: text };
    const read = normaliseBase64(text);
    if (read === undefined) return this.fail("invalid-base64", place, "expected base64");
    if (read.changed) this.lose("base64-normalised", place, "the same bytes in padded standard base64");
    return read.mimeType === undefined ? { data: read.data } : { data: read.data, mimeType: read.mimeType };
  }

  tryJson(text: string, place: Pointer): JsonValue | undefined {
    return this.#session.jsonInString(text, place);
  }
}

class TargetContext extends Context implements CanonicalContext {
  readonly target: string;

  constructor(session: ReadSession, dialect: string | undefined, target: string) {
    super(session, dialect);
    this.target = target;
  }
}

export function callAdapter<Result>(id: string, call: () => Result): Result {
  try {
    return call();
  } catch (error) {
    if (isConversionError(error)) throw error;
    const kind = error instanceof Error ? error.name : typeof error;
    throw new ConversionError("adapter-failed", `${id}: the adapter threw a ${kind}`, { cause: error });
  }
}

/** The longest pointer of the set that leads to `place` or to something around it. */
function ancestorIn(place: Pointer, set: ReadonlySet<Pointer>): Pointer | undefined {
  for (let end = place.length; end !== -1; end = end === 0 ? -1 : place.lastIndexOf("/", end - 1)) {
    const candidate = place.slice(0, end) as Pointer;
    if (set.has(candidate)) return candidate;
  }
  return undefined;
}

export function isWithin(value: JsonValue, depth: number): boolean {
  if (typeof value !== "object" || value === null || isJsonNumber(value)) return true;
  return depth > 0 && Object.values(value).every((member) => isWithin(member, depth - 1));
}

/** Throws `invalid-json` or a limit's error where a text is not one JSON document. */
export function checkJson(text: string): void {
  try {
    readJson(text);
  } catch (error) {
    throw error instanceof JsonReadError ? fromReadError(error, rootPointer) : error;
  }
}

export function fromReadError(error: JsonReadError, at: Pointer): ConversionError {
  const place = error.pointer === undefined ? at : (`${at}${error.pointer}` as Pointer);
  return new ConversionError(error.code, error.detail, {
    pointer: place,
    ...(error.offset === undefined ? {} : { data: { offset: error.offset } }),
  });
}

/** Throws `invalid-utf8` where the first bytes are those of UTF-16 text. */
export function refuseUtf16(bytes: Uint8Array): void {
  const [first, second] = bytes;
  const marked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  // Every JSON text begins with an ASCII character, which UTF-16 writes with a zero byte beside it.
  const unmarked = bytes.length >= 2 && (first === 0) !== (second === 0);
  if (marked || unmarked) {
    throw new ConversionError("invalid-utf8", "the bytes look like UTF-16; convert them to UTF-8 first");
  }
}

/** Bytes to text. Throws `invalid-utf8`, which names UTF-16 where the bytes are that. */
export function decodeText(bytes: Uint8Array): string {
  refuseUtf16(bytes);
  try {
    return platform.decodeUtf8(bytes);
  } catch (cause) {
    throw new ConversionError("invalid-utf8", "the bytes are not UTF-8", { cause });
  }
}
