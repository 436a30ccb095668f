import type { ParseContext } from "../../src/adapter.ts";
import { isJsonObject } from "../../src/json/json-kind.ts";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import { type Pointer, pointer, rootPointer } from "../../src/pointer.ts";
import type { Located } from "./wire.ts";

/**
 * A thread's history: messages with `step_history`, steps with `step_details`, and among these details one
 * `{"type": "tool_response", "name", "tool_call_id", "content"}` for each call, the result being a JSON text.
 */
export interface ToolStep {
  readonly content: Located<JsonValue>;
  readonly toolCallId?: Located<string>;
  /** What else the step says, its `name` among it. */
  readonly rest: JsonObject;
}

/** The tool steps of a history, in order; `undefined` for a document that is none. */
export function toolSteps(document: JsonValue, context: ParseContext): readonly ToolStep[] | undefined {
  return detailsOf(document, rootPointer)?.flatMap(({ value, place }) =>
    isJsonObject(value) && value.type === "tool_response" ? [readStep(value, place, context)] : [],
  );
}

/** Whether a document holds a step that is a tool's response. */
export function hasToolStep(document: JsonValue): boolean {
  return detailsOf(document, rootPointer)?.some(({ value }) => isToolStep(value)) === true;
}

function detailsOf(value: JsonValue, place: Pointer): readonly Located<JsonValue>[] | undefined {
  if (Array.isArray(value)) return value.some(isToolStep) ? located(value, place) : undefined;
  if (!isJsonObject(value)) return undefined;
  if (isToolStep(value)) return [{ value, place }];
  if (isListOfObjects(value.step_details)) return located(value.step_details, pointer(place, "step_details"));
  if (!isListOfObjects(value.step_history)) return undefined;
  return located(value.step_history, pointer(place, "step_history")).flatMap(
    (step) => detailsOf(step.value, step.place) ?? [],
  );
}

function isListOfObjects(value: JsonValue | undefined): value is readonly JsonObject[] {
  return Array.isArray(value) && value.every(isJsonObject);
}

function isToolStep(value: JsonValue): boolean {
  return isJsonObject(value) && value.type === "tool_response" && value.content !== undefined;
}

function located(items: readonly JsonValue[], place: Pointer): readonly Located<JsonValue>[] {
  return items.map((value, index) => ({ value, place: pointer(place, index) }));
}

function readStep(step: JsonObject, place: Pointer, context: ParseContext): ToolStep {
  const { type: _, content = null, tool_call_id: id = null, ...rest } = step;
  const idPlace = pointer(place, "tool_call_id");
  if (id !== null && typeof id !== "string") {
    return context.fail("invalid-payload", idPlace, "`tool_call_id` must be a string");
  }
  return {
    content: readContent({ value: content, place: pointer(place, "content") }, context),
    ...(id === null ? {} : { toolCallId: { value: id, place: idPlace } }),
    rest,
  };
}

/** Some histories hold Python's notation of an object, which is no JSON: a text, then. */
function readContent(content: Located<JsonValue>, context: ParseContext): Located<JsonValue> {
  const { value, place } = content;
  const read = typeof value === "string" ? context.tryJson(value, place) : undefined;
  return read === undefined ? content : { value: read, place };
}
