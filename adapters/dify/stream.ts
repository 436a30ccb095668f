import { carryKey, markKey, type ParseContext } from "../../src/adapter.ts";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import { type Pointer, pointer } from "../../src/pointer.ts";
import { type Blob, BlobAssembler } from "./chunks.ts";
import { type Failure, joinedTexts, withoutRepeated } from "./failure.ts";
import { blobMeta, type ReadMessage, readMessage } from "./message.ts";
import { isObject, isTexts, type Message, orAbsent, without } from "./shapes.ts";

/** A message in the one spelling, with the place of its item; of a blob, of its first chunk (R20). */
export type Entry = ReadMessage & { readonly pointer: Pointer };

/** What one call gave back, before it is lifted into the IR or written as the canonical list. */
export interface Stream {
  readonly pointer: Pointer;
  readonly entries: readonly Entry[];
  readonly status?: "success" | "error";
  readonly failure?: Failure & { readonly pointer: Pointer };
  /** The outputs of a workflow: structured content that no message says. */
  readonly outputs?: { readonly value: JsonValue; readonly pointer: Pointer };
  readonly carry?: { readonly value: JsonValue; readonly pointer: Pointer };
  readonly toolCallId?: string;
  /** What the Service API says about the run or the thought around the result. */
  readonly about?: JsonObject;
}

/**
 * Folds the messages of one call (R10): chunks to a blob at the place of the last chunk, variables to one per name at
 * the place of the first message with the last value, log entries to one per id. Takes the carry and our marks out.
 */
export class StreamFolder {
  readonly #context: ParseContext;
  readonly #place: Pointer;
  readonly #blobs: BlobAssembler;
  readonly #entries: Entry[] = [];
  readonly #variables = new Map<string, number>();
  readonly #logs = new Map<string, number>();
  readonly #folded = new Set<string>();
  #carry: Stream["carry"];
  #isError = false;
  #inband: { readonly message: string; readonly pointer: Pointer } | undefined;
  #failure: Stream["failure"];
  #cutWithin: string | undefined;

  constructor(place: Pointer, context: ParseContext) {
    this.#place = place;
    this.#context = context;
    this.#blobs = new BlobAssembler(context);
  }

  add(value: JsonObject, place: Pointer): void {
    const read = readMessage(this.#withoutCarry(value, place), place, this.#context);
    if (!read.known) {
      this.#entries.push({ ...read, pointer: place });
      return;
    }
    const { message } = read;
    if (this.#isOurs(message, value, place)) return;
    switch (message.type) {
      case "blob_chunk":
        this.#addChunk(message, place);
        return;
      case "variable":
        this.#addVariable(message, place);
        return;
      case "log":
        this.#addLog(message, place);
        return;
      default:
        this.#entries.push({ known: true, message, pointer: place });
    }
  }

  /** The first failure is the cause of those after it. */
  fail(failure: Failure, place: Pointer): void {
    this.#failure ??= { ...failure, pointer: place };
  }

  /** The text ended before it was complete (R70). */
  cut(within: string): void {
    this.#cutWithin = within;
  }

  end(): Stream {
    const carry = this.#carry === undefined ? {} : { carry: this.#carry };
    const stream = { pointer: this.#place, entries: this.#entries, ...carry };
    const failure = this.#failureAtEnd();
    if (failure !== undefined) return { ...stream, status: "error", failure };
    const status = this.#isError ? ({ status: "error" } as const) : {};
    return { ...stream, ...status, ...(this.#inband === undefined ? {} : { failure: this.#inband }) };
  }

  #failureAtEnd(): Stream["failure"] {
    if (this.#failure !== undefined) {
      const texts = joinedTexts(this.#entries.map(({ message }) => message));
      const { pointer: place } = this.#failure;
      return { ...withoutRepeated(this.#failure, texts), pointer: place };
    }
    const open = this.#blobs.openIds.map((id) => JSON.stringify(id)).join(", ");
    const within = open === "" ? this.#cutWithin : `the blob ${open}`;
    if (within === undefined) return undefined;
    return { message: `the stream ended within ${within}`, code: "truncated", pointer: this.#place };
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

  #addChunk({ message, meta, ...rest }: Message, place: Pointer): void {
    const { id, sequence, total_length, blob, end, ...more } = message;
    const at = pointer(place, "message");
    const { data, mimeType } = this.#context.base64(blob as string, pointer(at, "blob"));
    const chunk = {
      id: id as string,
      sequence: this.#count(sequence, pointer(at, "sequence")),
      total: this.#count(total_length, pointer(at, "total_length")),
      data,
      end: end === true,
    };
    const whole: Blob | undefined = this.#blobs.add(chunk, place);
    if (whole === undefined) return;
    const about = blobMeta(meta, mimeType);
    const joined: Message = {
      ...rest,
      type: "blob",
      message: { ...more, blob: whole.data },
      ...(about === undefined ? {} : { meta: about }),
    };
    this.#entries.push({ known: true, message: joined, pointer: whole.pointer });
  }

  #count(value: JsonValue | undefined, place: Pointer): number | undefined {
    if (value === undefined || value === null) return undefined;
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
    return this.#context.fail("invalid-payload", place, "expected a count from 0");
  }

  #addVariable(message: Message, place: Pointer): void {
    const name = message.message.variable_name as string;
    const at = this.#variables.get(name);
    const before = at === undefined ? undefined : this.#entries[at];
    if (at === undefined || before === undefined) {
      this.#variables.set(name, this.#entries.length);
      this.#entries.push({ known: true, message, pointer: place });
      return;
    }
    const value = this.#joinedValue(before.message, message, place);
    this.#entries[at] = {
      known: true,
      message: { ...message, message: { ...message.message, variable_value: value } },
      pointer: before.pointer,
    };
    if (this.#folded.has(name)) return;
    this.#folded.add(name);
    this.#context.lose("variable-folded", before.pointer, "several messages of this name are one variable");
  }

  /** A streamed text goes on where the value so far is one; anything else replaces it. */
  #joinedValue(before: JsonObject, { message }: Message, place: Pointer): JsonValue {
    const value = message.variable_value as JsonValue;
    const sofar = isObject(before.message) ? before.message.variable_value : undefined;
    if (message.stream !== true || typeof value !== "string") return value;
    if (typeof sofar === "string") return sofar + value;
    return this.#context.fail("invalid-payload", place, "a streamed text continues a value that is none");
  }

  #addLog(message: Message, place: Pointer): void {
    const { id } = message.message;
    const at = typeof id === "string" ? this.#logs.get(id) : undefined;
    const before = at === undefined ? undefined : this.#entries[at];
    if (at === undefined || before === undefined) {
      if (typeof id === "string") this.#logs.set(id, this.#entries.length);
      this.#entries.push({ known: true, message, pointer: place });
      return;
    }
    this.#entries[at] = { known: true, message, pointer: before.pointer };
  }
}

/** The stream of messages that are made up from another document of Dify's. */
export function streamOf(
  messages: readonly { readonly value: JsonObject; readonly pointer: Pointer }[],
  place: Pointer,
  context: ParseContext,
): Stream {
  const folder = new StreamFolder(place, context);
  for (const { value, pointer: at } of messages) folder.add(value, at);
  return folder.end();
}

/** The members of an object that say something, for `about`. */
export function aboutOf(value: JsonObject, leftOut: readonly string[]): JsonObject | undefined {
  const isSaid = ([key, member]: readonly [string, JsonValue]) => member !== null && !leftOut.includes(key);
  return orAbsent(Object.fromEntries(Object.entries(value).filter(isSaid)));
}
