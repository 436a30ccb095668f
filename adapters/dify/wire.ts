import type { ParseContext } from "../../src/adapter.ts";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import { type Pointer, pointer, rootPointer } from "../../src/pointer.ts";
import { agentStreams, isAgentItem } from "./agent.ts";
import {
  type Failure,
  frameOf,
  inbandOf,
  joinedTexts,
  readErrorObject,
  readFrame,
  readServiceError,
} from "./failure.ts";
import { isManifest, isTruncatedItem } from "./frames.ts";
import { type Item, isObject, type Message } from "./shapes.ts";
import { type Stream, StreamFolder } from "./stream.ts";
import { structuredMessages } from "./structured.ts";
import { isWorkflowItem, workflowStream } from "./workflow.ts";

/**
 * Every spelling of the documents that hold Dify tool results, read as streams of messages in one spelling: lists of
 * messages, the daemon's envelopes, plugin lines, run bodies and events of the Service API. Several streams are
 * several results (R24).
 */
export function readStreams(document: JsonValue, context: ParseContext): readonly Stream[] {
  const items = itemsOf(document, context);
  const values = items.map(({ value }) => value);
  if (values.some(isAgentItem)) return agentStreams(items, context);
  if (values.some(isWorkflowItem)) return [workflowStream(items, context)];
  return sessionStreams(items, context);
}

function itemsOf(document: JsonValue, context: ParseContext): readonly Item[] {
  if (isObject(document)) return [{ value: document, pointer: rootPointer }];
  if (!Array.isArray(document))
    return context.fail("invalid-payload", rootPointer, "expected messages or one message");
  const list: readonly JsonValue[] = document;
  return list.map((value, index) => {
    const place = pointer(rootPointer, index);
    return isObject(value)
      ? { value, pointer: place }
      : context.fail("invalid-payload", place, "expected an object");
  });
}

/** Messages of one call, or of the sessions of a plugin process, which interleave. */
function sessionStreams(items: readonly Item[], context: ParseContext): readonly Stream[] {
  const isSession = items.some(({ value }) => value.event === "session");
  const folders = new Map<string | undefined, StreamFolder>();
  const ended = new Set<string | undefined>();
  const folderOf = (session: string | undefined, place: Pointer): StreamFolder => {
    const known = folders.get(session);
    if (known !== undefined) return known;
    const folder = new StreamFolder(place, context);
    folders.set(session, folder);
    return folder;
  };
  for (const item of items) {
    const session =
      isSession && typeof item.value.session_id === "string" ? item.value.session_id : undefined;
    const found = unwrap(item, isSession, context);
    // The document as a whole is the place of its only result.
    const folder = () => folderOf(session, isSession ? item.pointer : rootPointer);
    switch (found.kind) {
      case "message":
        folder().add(found.value, found.pointer);
        break;
      case "failure":
        folder().fail(found.failure, found.pointer);
        break;
      case "cut":
        if (!isSession) folder().cut("a message");
        break;
      case "end":
        folder();
        ended.add(session);
        break;
      case "nothing":
        break;
    }
  }
  if (folders.size === 0) folderOf(undefined, rootPointer);
  for (const [session, folder] of folders) {
    // The line `end` follows in any case, after an error too.
    if (isSession && !ended.has(session)) folder.cut("the session");
  }
  const several = folders.size > 1;
  return [...folders].map(([session, folder]) => ({
    ...folder.end(),
    ...(several && session !== undefined ? { toolCallId: session } : {}),
  }));
}

export type Unwrapped =
  | { readonly kind: "message"; readonly value: JsonObject; readonly pointer: Pointer }
  | { readonly kind: "failure"; readonly failure: Failure; readonly pointer: Pointer }
  | { readonly kind: "cut" | "end" | "nothing" };

const nothing: Unwrapped = { kind: "nothing" };

/** Takes a message out of the daemon's envelope, a plugin line, or a line of the `slim` command. */
export function unwrap(item: Item, isSession: boolean, context: ParseContext): Unwrapped {
  const { value, pointer: place } = item;
  if (isTruncatedItem(value)) return { kind: "cut" };
  if (typeof value.type === "string" && Object.hasOwn(value, "message"))
    return { kind: "message", value, pointer: place };
  if (typeof value.event === "string") return unwrapEvent(value.event, item, isSession, context);
  if (isManifest(value)) return nothing;
  if (isEnvelope(value)) return unwrapEnvelope(item, context);
  if (isServiceError(value)) return { kind: "failure", failure: readServiceError(value), pointer: place };
  if (Object.hasOwn(value, "message") || typeof value.type === "string")
    return { kind: "message", value, pointer: place };
  if (typeof value.error === "string") return unwrapBackwards(item, isSession, context);
  if (!isSession)
    return context.fail("invalid-payload", place, "expected a message, an envelope or an event");
  context.lose("line-skipped", place, "the line is no message");
  return nothing;
}

function unwrapEvent(event: string, item: Item, isSession: boolean, context: ParseContext): Unwrapped {
  const { value, pointer: place } = item;
  const at = pointer(place, "data");
  switch (event) {
    case "session":
      return unwrapSession(value.data, at, context);
    case "chunk":
      return isObject(value.data) ? unwrap({ value: value.data, pointer: at }, isSession, context) : nothing;
    case "error":
      return { kind: "failure", failure: readErrorEvent(value, at, context), pointer: place };
    case "ping":
    case "log":
    case "heartbeat":
    case "message":
    case "done":
      return nothing;
    default:
      return context.fail(
        "invalid-payload",
        place,
        `an event that brings no tool result: ${event.slice(0, 64)}`,
      );
  }
}

/** The Service API puts code and message beside `event`, the `slim` command into `data`, the plugin an error object. */
function readErrorEvent(value: JsonObject, at: Pointer, context: ParseContext): Failure {
  const { data } = value;
  if (data === undefined) return readServiceError(value);
  return isObject(data) && Object.hasOwn(data, "code")
    ? readServiceError(data)
    : readErrorObject(data, at, context);
}

function unwrapSession(data: JsonValue | undefined, place: Pointer, context: ParseContext): Unwrapped {
  if (!isObject(data)) return context.fail("invalid-payload", place, "expected an object");
  const at = pointer(place, "data");
  switch (data.type) {
    case "stream":
      return isObject(data.data)
        ? { kind: "message", value: data.data, pointer: at }
        : context.fail("invalid-payload", at, "expected a message");
    case "error":
      return { kind: "failure", failure: readErrorObject(data.data, at, context), pointer: place };
    case "end":
      return { kind: "end" };
    case "invoke":
      // The plugin asks Dify for something; that is no part of its result.
      return nothing;
    default:
      // The daemon fails on it in these words.
      return { kind: "failure", failure: { message: "unknown_stream_message_type" }, pointer: place };
  }
}

function isEnvelope(value: JsonObject): boolean {
  return (
    typeof value.code === "number" &&
    typeof value.message === "string" &&
    !Object.hasOwn(value, "type") &&
    !Object.hasOwn(value, "status")
  );
}

function unwrapEnvelope({ value, pointer: place }: Item, context: ParseContext): Unwrapped {
  if (value.code !== 0) return { kind: "failure", failure: readFrame(value, place, context), pointer: place };
  const at = pointer(place, "data");
  if (isObject(value.data)) return { kind: "message", value: value.data, pointer: at };
  if (value.data !== null && value.data !== undefined)
    return context.fail("invalid-payload", at, "expected a message");
  context.lose("message-empty", place, "an envelope without a message");
  return nothing;
}

function isServiceError(value: JsonObject): boolean {
  const { code, message, status } = value;
  return (
    (typeof code === "string" || typeof code === "number") &&
    typeof message === "string" &&
    typeof status === "number"
  );
}

/** `{"data": message, "error": ""}` of a backwards invocation; the daemon's client reads a bare `error` too. */
function unwrapBackwards(
  { value, pointer: place }: Item,
  isSession: boolean,
  context: ParseContext,
): Unwrapped {
  if (value.error !== "")
    return { kind: "failure", failure: { message: value.error as string }, pointer: place };
  return isObject(value.data)
    ? unwrap({ value: value.data, pointer: pointer(place, "data") }, isSession, context)
    : nothing;
}

/** The messages of a stream, outputs in the kernel's form, and logs after those. */
export function messagesOf({ entries, outputs }: Stream): readonly JsonObject[] {
  if (outputs === undefined) return entries.map(({ message }) => message);
  const isLog = (message: JsonObject) => message.type === "log";
  const messages = entries.map(({ message }) => message);
  const content = messages.filter((message) => !isLog(message));
  const { whole, variables } = structuredMessages(outputs.value, content as readonly Message[]);
  return [...content, ...whole, ...variables, ...messages.filter(isLog)];
}

/** Status and error in the way of a dialect, after the messages (R50a, section 3 of the contract). */
export function withStatus(
  messages: readonly JsonObject[],
  status: "success" | "error" | undefined,
  failure: Failure | undefined,
  dialect: string,
): readonly JsonObject[] {
  if (dialect === "sse" && status === "error")
    return [...messages, frameOf(failure ?? {}, joinedTexts(messages))];
  return [...messages, ...inbandOf(status === "error", failure?.message)];
}
