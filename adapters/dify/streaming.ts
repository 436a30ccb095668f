import type { Chunk, DecodeContext, Progress, StreamFormat, StreamReader } from "../../src/adapter.ts";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import { createFrameReader } from "./frames.ts";
import { relayOf } from "./relay.ts";
import { isObject, stringAt, without } from "./shapes.ts";
import { decodeAny } from "./text.ts";

const items = { chunkOf, whole, progressOf, isContent, relay: relayOf } as const;

/** Events or lines, as they come (R70). */
export const frameStream: StreamFormat = {
  ...items,
  reader: (context) => createFrameReader("auto", context),
};

/** Plugin lines among whatever else the process prints. */
export const sessionStream: StreamFormat = {
  ...items,
  reader: (context) => createFrameReader("lines", context, { session: true }),
};

/** Any text of Dify: events as they come, anything that may be one JSON document when it is complete. */
export const anyStream: StreamFormat = { ...items, reader: (context) => new AnyReader(context) };

class AnyReader implements StreamReader {
  readonly #context: DecodeContext;
  readonly #texts: string[] = [];
  #frames: StreamReader | undefined;
  #isDocument = false;

  constructor(context: DecodeContext) {
    this.#context = context;
  }

  push(text: string): readonly JsonValue[] {
    if (this.#frames !== undefined) return this.#frames.push(text);
    this.#texts.push(text);
    if (this.#isDocument) return [];
    const first = /[^\s\uFEFF]/.exec(text)?.[0];
    if (first === undefined) return [];
    if (first === "{" || first === "[") {
      this.#isDocument = true;
      return [];
    }
    this.#frames = createFrameReader("auto", this.#context);
    return this.#frames.push(this.#texts.join(""));
  }

  end(): readonly JsonValue[] {
    if (this.#frames !== undefined) return this.#frames.end();
    const document = decodeAny(this.#texts.join(""), this.#context);
    return Array.isArray(document) ? document : [document];
  }
}

/** The message within the envelopes of the daemon and of plugin lines. */
function messageOf(item: JsonValue): JsonObject | undefined {
  let value: JsonValue | undefined = item;
  for (let level = 0; level < 3 && isObject(value); level += 1) {
    if (typeof value.type === "string" && value.type !== "stream") return value;
    value = value.data;
  }
  return undefined;
}

function chunkOf(item: JsonValue): Chunk | undefined {
  const message = messageOf(item);
  if (message?.type !== "blob_chunk" || !isObject(message.message)) return undefined;
  const { id, sequence, total_length: totalLength, blob, end } = message.message;
  if (typeof id !== "string" || typeof blob !== "string") return undefined;
  if (typeof sequence !== "number" || typeof totalLength !== "number") return undefined;
  return { id, sequence, totalLength, data: blob, end: end === true, item };
}

function whole(chunk: Chunk, data: string): JsonValue {
  return withBlob(chunk.item as JsonObject, data);
}

/** The envelopes stay, so that places in them stay true. */
function withBlob(item: JsonObject, data: string): JsonObject {
  if (isObject(item.data)) return { ...item, data: withBlob(item.data, data) };
  return { ...without(item, ["type", "message"]), type: "blob", message: { blob: data } };
}

function progressOf(item: JsonValue): Progress | undefined {
  const message = messageOf(item);
  if (message === undefined || !isObject(message.message)) return undefined;
  if (message.type === "text") {
    const text = stringAt(message.message, "text");
    return text === undefined || text === "" ? undefined : { kind: "text", text };
  }
  if (message.type !== "log") return undefined;
  const status = stringAt(message.message, "status");
  return {
    kind: "log",
    label: stringAt(message.message, "label") ?? "",
    ...(status === undefined ? {} : { status }),
  };
}

/** Variables and logs stand beside the content, and so do lines that hold no message. */
function isContent(item: JsonValue): boolean {
  const message = messageOf(item);
  return message !== undefined && message.type !== "variable" && message.type !== "log";
}
