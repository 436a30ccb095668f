import type { ParseContext } from "../../src/adapter.ts";
import { equalJson } from "../../src/json/equal-json.ts";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import { type Pointer, pointer, rootPointer } from "../../src/pointer.ts";
import { type Failure, readServiceError } from "./failure.ts";
import { type Item, isObject, stringAt } from "./shapes.ts";
import { aboutOf, type Stream, streamOf } from "./stream.ts";

/** Events of `POST /workflows/run` in streaming mode. */
const workflowEvents: ReadonlySet<JsonValue> = new Set<JsonValue>([
  "workflow_started",
  "workflow_finished",
  "workflow_paused",
  "node_started",
  "node_finished",
  "node_retry",
  "iteration_started",
  "iteration_next",
  "iteration_completed",
  "loop_started",
  "loop_next",
  "loop_completed",
  "text_chunk",
  "text_replace",
  "agent_log",
]);

export function isWorkflowItem(value: JsonObject): boolean {
  return workflowEvents.has(value.event ?? null) || (value.event === undefined && runOf(value) !== undefined);
}

/** What was run: the body of a blocking call, `data` of its last event, or a run by its id. */
interface Run {
  readonly value: JsonObject;
  readonly segments: readonly string[];
}

function runOf(value: JsonObject): Run | undefined {
  const isRun = (run: JsonObject) =>
    typeof run.status === "string" && (Object.hasOwn(run, "outputs") || Object.hasOwn(run, "workflow_id"));
  if (isObject(value.data) && isRun(value.data)) return { value: value.data, segments: ["data"] };
  return isRun(value) ? { value, segments: [] } : undefined;
}

/** A run body, or the events of a run, as one stream of messages with outputs (R25, R51). */
export function workflowStream(items: readonly Item[], context: ParseContext): Stream {
  const logs = items.flatMap(logOf);
  const finished = lastFinished(items);
  const ends = items.filter(({ value }) => value.event === "workflow_finished");
  // A failure among them would disappear behind the last one.
  if (ends.some(({ value }) => !equalJson(value, finished?.value ?? null))) {
    return context.fail(
      "many-results",
      rootPointer,
      `the run has ended ${ends.length} times, each time otherwise`,
    );
  }
  if (finished !== undefined)
    return finishedStream(finished, [...textsBefore(items, finished), ...logs], context);
  const failed = items.find(({ value }) => value.event === "error");
  const paused = items.find(({ value }) => value.event === "workflow_paused");
  if (paused !== undefined) return context.fail("not-a-result", paused.pointer, "the workflow is paused");
  const failure: Failure =
    failed === undefined
      ? { message: "the stream ended before the event workflow_finished", code: "truncated" }
      : readServiceError(failed.value);
  const place = failed?.pointer ?? rootPointer;
  const stream = streamOf([...textOf(items), ...logs], rootPointer, context);
  return { ...stream, status: "error", failure: { ...failure, pointer: place } };
}

/** The end of the run; a tool node's end where the document is that event alone. */
function lastFinished(items: readonly Item[]): Item | undefined {
  const isAlone = items.length === 1;
  return items.findLast(({ value }) => {
    if (value.event === undefined) return runOf(value) !== undefined;
    return value.event === "workflow_finished" || (isAlone && value.event === "node_finished");
  });
}

function finishedStream(item: Item, messages: readonly Item[], context: ParseContext): Stream {
  const run = runOf(item.value);
  if (run === undefined)
    return context.fail("invalid-payload", item.pointer, "expected a status and outputs");
  const { value } = run;
  const place = pointer(item.pointer, ...run.segments);
  const { status, error, outputs } = value;
  const at = pointer(place, "outputs");
  const about = aboutOf(value, ["outputs", "error"]);
  const stream: Stream = {
    ...streamOf(messages, rootPointer, context),
    ...(outputs === null || outputs === undefined
      ? {}
      : { outputs: { value: context.payload(outputs, at), pointer: at } }),
    ...(about === undefined ? {} : { about: context.payload(about, place) }),
  };
  switch (status) {
    case "succeeded":
      return { ...stream, status: "success" };
    case "partial-succeeded":
      context.lose("partial-success", pointer(place, "status"), "some nodes failed");
      return { ...stream, status: "success" };
    case "failed":
    case "stopped":
    case "exception": {
      const message = typeof error === "string" && error !== "" ? error : `the workflow run is ${status}`;
      return { ...stream, status: "error", failure: { message, pointer: pointer(place, "error") } };
    }
    case "running":
    case "paused":
      return context.fail("not-a-result", pointer(place, "status"), `the workflow is ${status}`);
    default:
      return context.fail(
        "invalid-status",
        pointer(place, "status"),
        "expected the status of a workflow run",
      );
  }
}

/** Pieces of the answer stand for it only where the end of the run brings no outputs. */
function textsBefore(items: readonly Item[], finished: Item): readonly Item[] {
  const outputs = runOf(finished.value)?.value.outputs;
  return outputs === null || outputs === undefined ? textOf(items) : [];
}

function textOf(items: readonly Item[]): readonly Item[] {
  const pieces = items.filter(({ value }) => value.event === "text_chunk" && isObject(value.data));
  const [first] = pieces;
  if (first === undefined) return [];
  const text = pieces.map(({ value }) => stringAt(value.data as JsonObject, "text") ?? "").join("");
  return [messageAt({ type: "text", message: { text } }, pointer(first.pointer, "data"))];
}

/** `agent_log` repeats a log message with the node it ran in. */
function logOf({ value, pointer: place }: Item): readonly Item[] {
  if (value.event !== "agent_log" || !isObject(value.data)) return [];
  return [messageAt({ type: "log", message: value.data }, pointer(place, "data"))];
}

function messageAt(value: JsonObject, place: Pointer): Item {
  return { value, pointer: place };
}
