import { isJsonObject } from "../../src/json/json-kind.ts";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import { type Pointer, pointer } from "../../src/pointer.ts";

/** What a result stood in; says in which spelling it probably is. */
export type Envelope = "bare" | "wrapped" | "class" | "message" | "event";

export interface Found {
  /** The object with `toolUseId`, `status` and `content`; not checked yet. */
  readonly value: JsonObject;
  readonly place: Pointer;
  readonly envelope: Envelope;
}

/**
 * The results in a document, in its order: a bare result, `{"toolResult": ...}`, the class form with its `type`, a
 * message, an event or session record around one, a Converse request or a session snapshot, or a list of any of these.
 * Values in between that hold no result (texts of a message, other events) are passed over.
 */
export function* resultsIn(document: JsonValue, place: Pointer): Generator<Found> {
  if (!Array.isArray(document)) {
    yield* resultsInItem(document, place);
    return;
  }
  for (const [index, item] of document.entries()) yield* resultsInItem(item, pointer(place, index));
}

/** Whether a document is an envelope that may hold no result at all, such as a message of texts or another event. */
export function isEnvelope(document: JsonValue): boolean {
  if (Array.isArray(document)) return document.every(isJsonObject);
  if (!isJsonObject(document)) return false;
  return (
    isMessage(document) ||
    messagesOf(document) !== undefined ||
    isMessage(document.message) ||
    isEvent(document)
  );
}

function* resultsInItem(item: JsonValue, place: Pointer): Generator<Found> {
  if (!isJsonObject(item)) return;
  if (isBare(item)) {
    yield { value: item, place, envelope: item.type === classType ? "class" : "bare" };
  } else if (isJsonObject(item.toolResult)) {
    yield { value: item.toolResult, place: pointer(place, "toolResult"), envelope: "wrapped" };
  } else if (isMessage(item)) {
    yield* resultsInMessage(item, place, "message");
  } else if (isMessage(item.message)) {
    yield* resultsInMessage(item.message, pointer(place, "message"), "event");
  } else if (isEvent(item)) {
    for (const found of resultsInItem(item.result ?? null, pointer(place, "result")))
      yield { ...found, envelope: "event" };
  } else {
    yield* resultsInMessages(item, place);
  }
}

/** `messages` of a Converse request, or those of the session snapshots of both SDKs. */
function* resultsInMessages(item: JsonObject, place: Pointer): Generator<Found> {
  const messages = messagesOf(item);
  if (messages !== undefined) {
    for (const [index, message] of messages.entries()) {
      const at = pointer(place, ...(item.messages === messages ? ["messages"] : ["data", "messages"]), index);
      if (isMessage(message)) yield* resultsInMessage(message, at, "message");
    }
  } else if (Array.isArray(item.content) && item.role === undefined) {
    yield { value: item, place, envelope: "bare" };
  }
}

function* resultsInMessage(message: Message, place: Pointer, envelope: Envelope): Generator<Found> {
  for (const [index, block] of message.content.entries()) {
    const at = pointer(place, "content", index);
    if (!isJsonObject(block)) continue;
    if (block.type === classType) yield { value: block, place: at, envelope };
    else if (isJsonObject(block.toolResult))
      yield { value: block.toolResult, place: pointer(at, "toolResult"), envelope };
  }
}

export const classType = "toolResultBlock";

const resultKeys = ["toolUseId", "status"] as const;

function isBare(item: JsonObject): boolean {
  if (item.type === classType) return true;
  return Object.hasOwn(item, "content") && resultKeys.some((key) => Object.hasOwn(item, key));
}

interface Message extends JsonObject {
  readonly role: string;
  readonly content: readonly JsonValue[];
}

function isMessage(value: JsonValue | undefined): value is Message {
  return isJsonObject(value) && typeof value.role === "string" && Array.isArray(value.content);
}

function messagesOf(item: JsonObject): readonly JsonValue[] | undefined {
  if (Array.isArray(item.messages)) return item.messages;
  return isJsonObject(item.data) && Array.isArray(item.data.messages) ? item.data.messages : undefined;
}

/** Events of the TypeScript agent's stream; those of its messages are found by their `message`. */
function isEvent(item: JsonObject): boolean {
  return (
    item.type === "afterToolCallEvent" ||
    item.type === "toolResultEvent" ||
    item.type === "toolStreamUpdateEvent"
  );
}

/** One result per call: a stream repeats each up to four times, and the last copy counts (R24). */
export function withoutCopies(found: Iterable<Found>): readonly Found[] {
  const latest = new Map<string | Found, Found>();
  for (const item of found) {
    const id = item.value.toolUseId;
    latest.set(typeof id === "string" && id !== "" ? id : item, item);
  }
  return [...latest.values()];
}
