import type { ParseContext } from "../../src/adapter.ts";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import type { Pointer } from "../../src/pointer.ts";
import { Base64Joiner, BlobAssembler } from "./chunks.ts";
import { type Failure, joinedTexts } from "./failure.ts";
import type { ReadMessage } from "./message.ts";
import { type Ending, MessageReader, readChunk } from "./message-reader.ts";
import { isObject, type Message, orAbsent } from "./shapes.ts";
import { VariableNames } from "./variables.ts";

/** A message in the one spelling, with the place of its item; of a blob, of its first chunk (R20). */
export type Entry = ReadMessage & { readonly pointer: Pointer };

/** What one call gave back, before it is lifted into the IR or written as the canonical list. */
export interface Stream extends Ending {
  readonly pointer: Pointer;
  readonly entries: readonly Entry[];
  /** The outputs of a workflow: structured content that no message says. */
  readonly outputs?: { readonly value: JsonValue; readonly pointer: Pointer };
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
  readonly #messages: MessageReader;
  readonly #blobs: BlobAssembler<Base64Joiner>;
  readonly #names: VariableNames;
  readonly #entries: Entry[] = [];
  readonly #variables = new Map<string, number>();
  readonly #logs = new Map<string, number>();

  constructor(place: Pointer, context: ParseContext) {
    this.#place = place;
    this.#context = context;
    this.#messages = new MessageReader(context);
    this.#blobs = new BlobAssembler(context, () => new Base64Joiner());
    this.#names = new VariableNames(context);
  }

  add(value: JsonObject, place: Pointer): void {
    const read = this.#messages.read(value, place);
    if (read === undefined) return;
    if (!read.known) {
      this.#entries.push({ ...read, pointer: place });
      return;
    }
    const { message } = read;
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
    this.#messages.fail(failure, place);
  }

  /** The text ended before it was complete (R70). */
  cut(within: string): void {
    this.#messages.cut(within);
  }

  end(): Stream {
    const texts = () => joinedTexts(this.#entries.map(({ message }) => message));
    const ending = this.#messages.end(this.#place, texts, this.#blobs.openIds);
    return { pointer: this.#place, entries: this.#entries, ...ending };
  }

  #addChunk(message: Message, place: Pointer): void {
    const { chunk, about } = readChunk(message, place, this.#context);
    const blob = this.#blobs.add(chunk, place);
    if (!blob.isWhole) return;
    const joined: Message = { ...about, message: { ...about.message, blob: blob.bytes.end() } };
    this.#entries.push({ known: true, message: joined, pointer: blob.pointer });
  }

  #addVariable(message: Message, place: Pointer): void {
    const name = message.message.variable_name as string;
    const change = this.#names.add(message, place);
    const at = this.#variables.get(name);
    const before = at === undefined ? undefined : this.#entries[at];
    if (at === undefined || before === undefined) {
      this.#variables.set(name, this.#entries.length);
      this.#entries.push({ known: true, message, pointer: place });
      return;
    }
    const sofar = isObject(before.message.message) ? before.message.message.variable_value : undefined;
    const { variable_value: piece } = message.message;
    // Both are texts where one continues the other.
    const value = change === "continues" ? `${sofar as string}${piece as string}` : (piece as JsonValue);
    this.#entries[at] = {
      known: true,
      message: { ...message, message: { ...message.message, variable_value: value } },
      pointer: before.pointer,
    };
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
