import { type DecodeContext, markKey } from "../../src/adapter.ts";
import { type ConversionError, isConversionError } from "../../src/errors.ts";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import { type Pointer, pointer, rootPointer } from "../../src/pointer.ts";
import { LineSplitter, utf8Length } from "./line-splitter.ts";
import { isObject } from "./shapes.ts";

/** `auto`: the first line that is not blank decides between server-sent events and lines of JSON. */
export type FrameKind = "auto" | "sse" | "lines";

export interface FrameOptions {
  /** Plugin lines: what a plugin prints among them is skipped. Without it, the first lines tell. */
  readonly session?: boolean;
}

/** The item that ends a document whose text was cut (R70); `parse` makes an error of it. */
export const truncatedItem: JsonObject = { [markKey]: { truncated: true } };

export function isTruncatedItem(item: JsonObject): boolean {
  const mark = item[markKey];
  return isObject(mark) && mark.truncated === true && Object.keys(item).length === 1;
}

/**
 * Reads text that comes in pieces as items of JSON: events of the plugin daemon and of the Service API, or one JSON
 * document per line. How the text is cut never changes the items (R70). Errors come through the context: a malformed
 * line or event ends the reading, a cut last one becomes `truncatedItem`.
 */
export class FrameReader {
  readonly #context: DecodeContext;
  readonly #splitter = new LineSplitter();
  #kind: FrameKind;
  /** A stream is one of plugin lines or not; until its first item nobody knows, unless the caller does. */
  #isSession: boolean | undefined;
  /** The data lines of the event that is being read, and their UTF-16 units. */
  #data: string[] = [];
  #dataLength = 0;
  /** Lines that are no JSON and not judged yet: the end of a cut stream, or what a plugin printed. */
  #faults: Faults | undefined;
  #items: JsonValue[] = [];
  #isFirstLine = true;
  /** Whether the line that is being read is over the limit and may be. */
  #isLongBlob = false;
  #count = 0;
  #skipped = 0;
  #failure: { readonly error: unknown } | undefined;

  constructor(kind: FrameKind, context: DecodeContext, options: FrameOptions = {}) {
    this.#kind = kind;
    this.#context = context;
    this.#isSession = options.session === true ? true : kind === "sse" ? false : undefined;
  }

  /** The items that this piece of text completes. Those before a fault come first; the next call throws it. */
  push(chunk: string): readonly JsonValue[] {
    if (this.#failure !== undefined) throw this.#failure.error;
    try {
      this.#splitter.push(chunk, (line) => {
        this.#line(line);
        this.#isLongBlob = false;
      });
      this.#checkLength(this.#splitter.pending, () => this.#splitter.pendingText);
    } catch (error) {
      if (this.#items.length === 0) throw error;
      this.#failure = { error };
    }
    return this.#release();
  }

  /** What is left when the text has ended. */
  end(): readonly JsonValue[] {
    if (this.#failure !== undefined) throw this.#failure.error;
    const last = this.#splitter.end();
    const isCutField = last !== undefined && this.#kind === "sse" && "data: ".startsWith(last);
    if (last !== undefined && !isCutField) this.#line(last);
    this.#dispatch();
    if (this.#endsCut() || isCutField) this.#items.push(truncatedItem);
    if (this.#skipped > 0) {
      this.#context.lose("line-skipped", rootPointer, `${this.#skipped} among the messages are none`);
    }
    return this.#release();
  }

  #release(): readonly JsonValue[] {
    const items = this.#items;
    this.#items = [];
    return items;
  }

  #line(text: string): void {
    this.#checkLength(text.length, () => text);
    const line = this.#isFirstLine && text.startsWith("\uFEFF") ? text.slice(1) : text;
    this.#isFirstLine = false;
    if (this.#kind === "auto" && line.trim() !== "")
      this.#kind = fieldOf(line) === undefined ? "lines" : "sse";
    if (this.#kind === "sse") this.#eventLine(line);
    else if (line.trim() !== "") this.#text(line);
  }

  /** As the event stream format has it; and the daemon's client takes bare JSON lines among the events too. */
  #eventLine(line: string): void {
    if (line === "") {
      this.#dispatch();
      return;
    }
    const field = fieldOf(line);
    if (field?.name === "data") this.#keepData(field.value);
    else if (field === undefined && line.trimStart().startsWith("{")) {
      this.#dispatch();
      this.#text(line);
    }
  }

  #keepData(value: string): void {
    this.#data.push(value);
    this.#dataLength += value.length;
    const isTooLong = this.#dataLength > this.#context.limits.maxLineBytes;
    if (isTooLong && this.#data.length > 1) this.#failLength(pointer(rootPointer, this.#count));
  }

  #dispatch(): void {
    const text = this.#data.join("\n");
    this.#data = [];
    this.#dataLength = 0;
    if (text.trim() !== "") this.#text(text);
  }

  /** One JSON text. */
  #text(text: string): void {
    const place = pointer(rootPointer, this.#count);
    const isLong = this.#isTooLong(text);
    if (isLong && !mayBeBlob(text, this.#context.limits.maxLineBytes)) this.#failLength(place);
    const item = this.#read(text, place);
    if (item === undefined) return;
    if (isLong && !isBlob(item)) this.#failLength(place);
    this.#isSession ??= isSessionLine(item);
    this.#judgeBefore(item);
  }

  #read(text: string, place: Pointer): JsonValue | undefined {
    try {
      return this.#context.json(text, place);
    } catch (error) {
      if (!isConversionError(error) || error.code !== "invalid-json") throw error;
      this.#keepFault(error, isCut(text, error));
      return undefined;
    }
  }

  #keepFault(error: ConversionError, endsCut: boolean): void {
    const { first, count } = this.#faults ?? { first: error, count: 0 };
    if (this.#isSession === false && (count > 0 || !endsCut)) throw first;
    this.#faults = { first, count: count + 1, endsCut };
  }

  /** Another item follows: what stands before it was no cut end. */
  #judgeBefore(item: JsonValue): void {
    if (this.#faults !== undefined && this.#isSession === false) throw this.#faults.first;
    this.#skipped += this.#faults?.count ?? 0;
    this.#faults = undefined;
    if (this.#isSession === true && !isObject(item)) {
      this.#skipped += 1;
      return;
    }
    this.#items.push(item);
    this.#count += 1;
  }

  /** Whether the text ends within a message. */
  #endsCut(): boolean {
    if (this.#faults === undefined) return false;
    const { first, count, endsCut } = this.#faults;
    const mayBePrints = this.#isSession === true;
    if (!mayBePrints && (count > 1 || !endsCut)) throw first;
    this.#skipped += endsCut ? count - 1 : count;
    return endsCut;
  }

  /** A line over the limit is refused before it is held whole, unless it may be a blob's. */
  #checkLength(length: number, text: () => string): void {
    const limit = this.#context.limits.maxLineBytes + fieldLength;
    if (this.#isLongBlob || length <= limit) return;
    if (!mayBeBlob(text(), limit)) this.#failLength(pointer(rootPointer, this.#count));
    this.#isLongBlob = true;
  }

  #isTooLong(text: string): boolean {
    const { maxLineBytes } = this.#context.limits;
    // No UTF-16 unit takes more than three bytes, so most lines need no counting.
    return text.length * 3 > maxLineBytes && utf8Length(text) > maxLineBytes;
  }

  #failLength(place: Pointer): never {
    const { maxLineBytes } = this.#context.limits;
    return this.#context.fail("line-too-long", place, `more than ${maxLineBytes} bytes in one line or event`);
  }
}

/** Makes a reader of text in pieces. */
export function createFrameReader(
  kind: FrameKind,
  context: DecodeContext,
  options?: FrameOptions,
): FrameReader {
  return new FrameReader(kind, context, options);
}

interface Faults {
  readonly first: ConversionError;
  readonly count: number;
  /** Whether the last of them is the beginning of a JSON object. */
  readonly endsCut: boolean;
}

/** A comment has the empty name. Other names than these are none of an event's, whatever the colon. */
function fieldOf(line: string): { readonly name: string; readonly value: string } | undefined {
  const match = /^(data|event|id|retry|)(?::|$)/.exec(line);
  if (match === null) return undefined;
  const [whole, name = ""] = match;
  const value = line.slice(whole.length);
  return { name, value: value.startsWith(" ") ? value.slice(1) : value };
}

/** Whether reading an object stopped because its text ends: a literal, an escape or a number may be cut too. */
export function isCut(text: string, error: ConversionError): boolean {
  const { offset } = error.data;
  if (!text.trimStart().startsWith("{") || typeof offset !== "number") return false;
  const rest = text.slice(offset);
  return (
    ["true", "false", "null"].some((literal) => literal.startsWith(rest)) ||
    /^(?:-|-?\d+\.|-?\d+(?:\.\d+)?[eE][+-]?|\\u?[0-9A-Fa-f]{0,3})$/.test(rest)
  );
}

/** Room for the name of the field before the data of an event. */
const fieldLength = 16;

/** Asked before a long text is read, of its beginning only, so that it does not count how much has come. */
const mayBeBlob = (text: string, within: number): boolean => text.slice(0, within).includes('"blob');

/** Looks through the envelopes of the daemon and of plugin lines. */
function isBlob(item: JsonValue): boolean {
  let value: JsonValue | undefined = item;
  for (let level = 0; level < 3 && isObject(value); level += 1) {
    if (value.type === "blob" || value.type === "blob_chunk") return true;
    value = value.data;
  }
  return false;
}

/** A plugin process writes its manifest first, then sessions with its own log and heartbeat between them. */
function isSessionLine(item: JsonValue): boolean {
  if (!isObject(item)) return false;
  return item.event === "session" || item.event === "heartbeat" || item.event === "log" || isManifest(item);
}

export function isManifest(item: JsonObject): boolean {
  return item.type === "plugin" && isObject(item.plugins);
}
