import type { ParseContext } from "../../src/adapter.ts";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import { compact } from "../../src/json/stringify.ts";
import { type Pointer, pointer, rootPointer } from "../../src/pointer.ts";
import { readServiceError } from "./failure.ts";
import { isTruncatedItem } from "./frames.ts";
import { type Item, isObject, stringAt } from "./shapes.ts";
import { aboutOf, type Stream, streamOf } from "./stream.ts";

/** Whether the document is about an agent's chat: its events, or a message of the history. */
export function isAgentItem(value: JsonObject): boolean {
  if (value.event === "agent_thought" || value.event === "agent_message") return true;
  return value.event === undefined && historyOf(value).length > 0;
}

interface Thought extends Item {
  readonly files: readonly Item[];
  /** Whether its tools have run; before that it says of them what is empty afterwards too. */
  readonly isOver: boolean;
}

/**
 * One stream per tool of each thought (R24). A thought is sent before and after its tools run and names them by
 * joined names; what they gave back is JSON in a string, by name.
 */
export function agentStreams(items: readonly Item[], context: ParseContext): readonly Stream[] {
  const thoughts = [...thoughtsOfEvents(items), ...items.flatMap(thoughtsOfHistory)];
  const streams = thoughts.flatMap((thought) => toolStreams(thought, context));
  const several = streams.length > 1;
  const results = streams.map(({ stream, id }) => (several ? { ...stream, toolCallId: id } : stream));
  const failed = items.find(({ value }) => value.event === "error");
  const failure =
    failed !== undefined
      ? { ...readServiceError(failed.value), pointer: failed.pointer }
      : items.some(({ value }) => isTruncatedItem(value))
        ? { message: "the stream ended within an event", code: "truncated", pointer: rootPointer }
        : undefined;
  if (failure !== undefined) {
    // The call that came last is the one that was interrupted.
    const last: Stream = results.at(-1) ?? { pointer: rootPointer, entries: [] };
    return [...results.slice(0, -1), { ...last, status: "error", failure }];
  }
  if (results.length === 0)
    return context.fail("not-a-result", rootPointer, "no tool of the agent has answered");
  return results;
}

/** The last state of each thought, with the files that were announced after its beginning. */
function thoughtsOfEvents(items: readonly Item[]): readonly Thought[] {
  const thoughts: Item[] = [];
  const positions = new Map<JsonValue, number>();
  const files: File[] = [];
  for (const item of items) {
    const { event, id = null } = item.value;
    if (event === "message_file") files.push({ ...item, near: thoughts.length - 1 });
    if (event !== "agent_thought") continue;
    const position = positions.get(id);
    if (position === undefined) positions.set(id, thoughts.push(item) - 1);
    else thoughts[position] = item;
  }
  const isOver = items.some(({ value }) => value.event === "message_end");
  return withFiles(thoughts, files, isOver);
}

/** A file, with the position of the thought that it belongs to where none names it. */
interface File extends Item {
  readonly near: number;
}

/** `GET /messages`, and one message of it. */
function historyOf(
  value: JsonObject,
): readonly (readonly [message: JsonObject, segments: readonly (string | number)[]])[] {
  if (Array.isArray(value.agent_thoughts)) return [[value, []]];
  const list: readonly JsonValue[] = Array.isArray(value.data) ? value.data : [];
  return list.flatMap((message, index) =>
    isObject(message) && Array.isArray(message.agent_thoughts) ? [[message, ["data", index]] as const] : [],
  );
}

function thoughtsOfHistory(item: Item): readonly Thought[] {
  return historyOf(item.value).flatMap(([message, segments]) => {
    const place = pointer(item.pointer, ...segments);
    const thoughts = objectsOf(message.agent_thoughts, pointer(place, "agent_thoughts"));
    const files = objectsOf(message.message_files, pointer(place, "message_files"));
    const placed = files.map((file) => ({ ...file, near: thoughts.length - 1 }));
    return withFiles(thoughts, placed, true);
  });
}

/** A thought names its files by id, or repeats them whole. */
function withFiles(thoughts: readonly Item[], files: readonly File[], isOver: boolean): readonly Thought[] {
  const owners = new Map<JsonValue, number>();
  for (const [position, { value }] of thoughts.entries()) {
    const named: readonly JsonValue[] = Array.isArray(value.message_files) ? value.message_files : [];
    for (const one of named) owners.set(isObject(one) ? (one.id ?? null) : one, position);
  }
  const own: Item[][] = thoughts.map(() => []);
  for (const file of files) own[owners.get(file.value.id ?? null) ?? Math.max(file.near, 0)]?.push(file);
  return thoughts.map((thought, position) => ({ ...thought, files: own[position] ?? [], isOver }));
}

function objectsOf(value: JsonValue | undefined, place: Pointer): readonly Item[] {
  const list: readonly JsonValue[] = Array.isArray(value) ? value : [];
  return list.flatMap((one, index) =>
    isObject(one) ? [{ value: one, pointer: pointer(place, index) }] : [],
  );
}

function toolStreams(
  thought: Thought,
  context: ParseContext,
): readonly { readonly stream: Stream; readonly id: string }[] {
  const { value, pointer: place } = thought;
  const names = (stringAt(value, "tool") ?? "").split(";").filter((name) => name !== "");
  const observation = stringAt(value, "observation") ?? "";
  if (names.length === 0 || (observation === "" && !thought.isOver)) return [];
  const distinct = [...new Set(names)];
  if (distinct.length < names.length) {
    context.lose("calls-merged", pointer(place, "tool"), "a tool was called twice in this round");
  }
  const at = pointer(place, "observation");
  const read = context.tryJson(observation, at);
  const about = aboutOf(value, ["event", "observation", "message_files"]);
  return distinct.map((name, index) => {
    const answer = isObject(read) && Object.hasOwn(read, name) ? (read[name] as JsonValue) : observation;
    // Nothing says which of several tools made a file; the last one is done when it is announced.
    const files = index === distinct.length - 1 ? thought.files : [];
    const stream = streamOf([answerMessage(answer, at), ...files.map(fileMessage)], place, context);
    return {
      stream:
        about === undefined ? stream : { ...stream, about: { ...context.payload(about, place), tool: name } },
      id: `${stringAt(value, "id") ?? ""}:${name}`,
    };
  });
}

/** A string is a text and stays one (R5); a scalar is one to every reader of Dify. */
function answerMessage(answer: JsonValue, place: Pointer): Item {
  if (isObject(answer) || Array.isArray(answer)) {
    return { value: { type: "json", message: { json_object: answer } }, pointer: place };
  }
  return {
    value: { type: "text", message: { text: typeof answer === "string" ? answer : compact(answer) } },
    pointer: place,
  };
}

/** A file that the agent's answer shows; its URL is Dify's own and expires. */
function fileMessage({ value, pointer: place }: Item): Item {
  const type = value.type === "image" ? "image_link" : "binary_link";
  return { value: { type, message: { text: stringAt(value, "url") ?? "" } }, pointer: place };
}
