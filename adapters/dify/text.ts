import type { DecodeContext } from "../../src/adapter.ts";
import { isConversionError } from "../../src/errors.ts";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import { readJson } from "../../src/json/read-json.ts";
import { compact } from "../../src/json/stringify.ts";
import { base64Length } from "../../src/platform/base64.ts";
import { rootPointer } from "../../src/pointer.ts";
import { slicesOf } from "./chunks.ts";
import { createFrameReader, type FrameKind, type FrameOptions, isCut, truncatedItem } from "./frames.ts";
import { isErrorFrame, isObject, type Message, stringAt } from "./shapes.ts";

/** One JSON document, or lines or events of them: whatever the text is. */
export function decodeAny(text: string, context: DecodeContext): JsonValue {
  const first = firstOf(text);
  if (first === undefined || first === "[") return context.json(text, rootPointer);
  if (first !== "{") return readAll("auto", text, context, {});
  const [, line = "", next = ""] = /^[\s\uFEFF]*([^\r\n]*)\s*(.?)/s.exec(text) ?? [];
  if (next === "") return readOneLine(text, context);
  // An object on a line of its own is one of several; else the document is spread over lines.
  return isJson(line) ? readAll("auto", text, context, {}) : context.json(text, rootPointer);
}

function readOneLine(text: string, context: DecodeContext): JsonValue {
  try {
    return context.json(text, rootPointer);
  } catch (error) {
    if (isConversionError(error) && error.code === "invalid-json" && isCut(text, error))
      return [truncatedItem];
    throw error;
  }
}

/** Lines or events; a JSON array is still one document. */
export function decodeFrames(text: string, context: DecodeContext): JsonValue {
  return firstOf(text) === "[" ? context.json(text, rootPointer) : readAll("auto", text, context, {});
}

/** Plugin lines with whatever else the process printed. */
export function decodeSession(text: string, context: DecodeContext): JsonValue {
  return readAll("lines", text, context, { session: true });
}

function readAll(kind: FrameKind, text: string, context: DecodeContext, options: FrameOptions): JsonValue {
  const reader = createFrameReader(kind, context, options);
  return [...reader.push(text), ...reader.end()];
}

function firstOf(text: string): string | undefined {
  return /[^\s\uFEFF]/.exec(text)?.[0];
}

function isJson(text: string): boolean {
  try {
    readJson(text);
    return true;
  } catch {
    return false;
  }
}

/** One message per line, blobs in chunks. */
export function* ndjsonOf(document: JsonValue): Generator<string> {
  for (const message of wireMessages(document)) yield `${compact(message)}\n`;
}

/** Frames as the daemon writes them: no event names, no end mark. */
export function* sseOf(document: JsonValue): Generator<string> {
  for (const message of wireMessages(document)) {
    const frame = isErrorFrame(message) ? message : { code: 0, message: "success", data: message };
    yield `data: ${compact(frame)}\n\n`;
  }
}

function* wireMessages(document: JsonValue): Generator<JsonObject> {
  const list: readonly JsonValue[] = Array.isArray(document) ? document : [];
  for (const [position, message] of list.entries()) {
    if (!isObject(message)) continue;
    if (message.type === "blob") yield* chunksOf(message as Message, position);
    else yield message;
  }
}

/** Slices, then an empty last chunk: the daemon's agent path drops the bytes of a last chunk (R64). */
export function* chunksOf(blob: Message, position: number): Generator<JsonObject> {
  const data = stringAt(blob.message, "blob") ?? "";
  const writer = new ChunkWriter(position, base64Length(data));
  for (const slice of slicesOf(data)) yield writer.next(blob, slice);
  yield writer.last(blob);
}

/** Makes the chunks of one blob, whose messages say what is about it. */
export class ChunkWriter {
  readonly #id: string;
  readonly #total: number;
  #sequence = 0;

  constructor(position: number, total: number) {
    this.#id = `blob-${position}`;
    this.#total = total;
  }

  next(blob: Message, slice: string): JsonObject {
    return this.#chunk(blob, slice, false);
  }

  last(blob: Message): JsonObject {
    return this.#chunk(blob, "", true);
  }

  #chunk(message: Message, blob: string, end: boolean): JsonObject {
    const sequence = this.#sequence;
    this.#sequence += 1;
    const payload = { ...message.message, blob, id: this.#id, total_length: this.#total, sequence, end };
    return { ...message, type: "blob_chunk", message: payload };
  }
}
