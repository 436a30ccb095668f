import { carryKey, markKey, type ParseContext } from "../../src/adapter.ts";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import { type Pointer, pointer } from "../../src/pointer.ts";
import type { Chunk } from "./chunks.ts";
import { type Failure, withoutRepeated } from "./failure.ts";
import { blobMeta, type ReadMessage, readMessage } from "./message.ts";
import { isObject, isTexts, type Message, without } from "./shapes.ts";

/** How a call ended, and the carry that came with it. */
export interface Ending {
  readonly status?: "success" | "error";
  readonly failure?: Failure & { readonly pointer: Pointer };
  readonly carry?: { readonly value: JsonValue; readonly pointer: Pointer };
}

/** Reads the messages of one call, and keeps what is none of the tool's: the carry, our marks, how the call ended. */
export class MessageReader {
  readonly #context: ParseContext;
  #carry: Ending["carry"];
  #isError = false;
  #inband: { readonly message: string; readonly pointer: Pointer } | undefined;
  #failure: Ending["failure"];
  #cutWithin: string | undefined;

  constructor(context: ParseContext) {
    this.#context = context;
  }

  /** The message in the one spelling; undefined where it is ours. */
  read(value: JsonObject, place: Pointer): ReadMessage | undefined {
    const read = readMessage(this.#withoutCarry(value, place), place, this.#context);
    return read.known && this.#isOurs(read.message, value, place) ? undefined : read;
  }

  /** The first failure is the cause of those after it. */
  fail(failure: Failure, place: Pointer): void {
    this.#failure ??= { ...failure, pointer: place };
  }

  /** The text ended before it was complete (R70). */
  cut(within: string): void {
    this.#cutWithin = within;
  }

  /** With the place of the call, the texts of its content, joined, and the ids of its blobs without a last chunk. */
  end(place: Pointer, texts: () => string, openBlobs: readonly string[]): Ending {
    const carry = this.#carry === undefined ? {} : { carry: this.#carry };
    const failure = this.#failureAtEnd(place, texts, openBlobs);
    if (failure !== undefined) return { ...carry, status: "error", failure };
    const status = this.#isError ? ({ status: "error" } as const) : {};
    return { ...carry, ...status, ...(this.#inband === undefined ? {} : { failure: this.#inband }) };
  }

  #failureAtEnd(place: Pointer, texts: () => string, openBlobs: readonly string[]): Ending["failure"] {
    if (this.#failure !== undefined) {
      return { ...withoutRepeated(this.#failure, texts()), pointer: this.#failure.pointer };
    }
    // An error that is stated is why a blob has no end.
    const isOpen = openBlobs.length > 0 && !this.#isError;
    const blobs = openBlobs.map((id) => JSON.stringify(id)).join(", ");
    const within = isOpen ? `the blob ${blobs}` : this.#cutWithin;
    if (within === undefined) return undefined;
    return { message: `the stream ended within ${within}`, code: "truncated", pointer: place };
  }

  #withoutCarry(value: JsonObject, place: Pointer): JsonObject {
    if (!isObject(value.meta) || !Object.hasOwn(value.meta, carryKey)) return value;
    const at = pointer(place, "meta", carryKey);
    const carry = value.meta[carryKey] as JsonValue;
    if (isObject(carry)) this.#context.at(carry, at);
    this.#carry = { value: this.#context.payload(carry, at), pointer: at };
    return { ...value, meta: without(value.meta, [carryKey]) };
  }

  /** The message that only held the carry, user-only copies, and the in-band error (R30, R40, R50a). */
  #isOurs(message: Message, original: JsonObject, place: Pointer): boolean {
    const hadCarry = isObject(original.meta) && Object.hasOwn(original.meta, carryKey);
    if (hadCarry && message.type === "text" && message.message.text === "" && message.meta === undefined)
      return true;
    const mark = message.meta?.[markKey];
    if (!isObject(mark)) return false;
    // A mark on anything else is the tool's own affair: nothing that it says is hidden.
    if (message.type !== "variable") return false;
    const { variable_name: name, variable_value: value } = message.message;
    if (mark.user === true && isTexts(value)) return true;
    if (mark.error !== true) return false;
    if (name === "is_error" && value === true) this.#isError = true;
    else if (name === "error_message" && typeof value === "string")
      this.#inband = { message: value, pointer: place };
    else return false;
    return true;
  }
}

/** The chunk that a message of this type is, its bytes as padded standard base64, and what it says about its blob. */
export function readChunk(
  { message, meta, ...rest }: Message,
  place: Pointer,
  context: ParseContext,
): { readonly chunk: Chunk; readonly about: Message } {
  const { id, sequence, total_length, blob, end, ...more } = message;
  const at = pointer(place, "message");
  // A message of this type has an id and bytes.
  const { data, mimeType } = context.base64(blob as string, pointer(at, "blob"));
  const chunk = {
    id: id as string,
    sequence: readCount(sequence, pointer(at, "sequence"), context),
    total: readCount(total_length, pointer(at, "total_length"), context),
    data,
    end: end === true,
  };
  const known = blobMeta(meta, mimeType);
  const about = { ...rest, type: "blob", message: more, ...(known === undefined ? {} : { meta: known }) };
  return { chunk, about };
}

function readCount(value: JsonValue | undefined, place: Pointer, context: ParseContext): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  return context.fail("invalid-payload", place, "expected a count from 0");
}
