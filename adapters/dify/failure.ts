import { markKey, type ParseContext } from "../../src/adapter.ts";
import type { ResultError } from "../../src/ir.ts";
import { isJsonNumber } from "../../src/json/json-number.ts";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import { readJson } from "../../src/json/read-json.ts";
import { compact, stableStringify } from "../../src/json/stringify.ts";
import { type Pointer, pointer } from "../../src/pointer.ts";
import { isObject, type Message, orAbsent, stringAt, without } from "./shapes.ts";

/** What a payload says about an error, in whatever spelling. */
export interface Failure {
  /** Absent where a frame only repeats the texts of the content (R55). */
  readonly message?: string;
  readonly type?: string;
  readonly code?: NonNullable<ResultError["code"]>;
  /** What the innermost object says beyond it, without the traceback (R51). */
  readonly args?: JsonObject;
  /** The frame says by our mark that its message is one, although it reads as the texts of the content. */
  readonly isStated?: true;
}

/** The code of any exception in a plugin; it says no more than that, so it is none in the IR. */
const pluginError = -500;

/** Codes of the daemon's own, which the API server knows. */
const daemonCodes: ReadonlySet<JsonValue> = new Set<JsonValue>([-400, -401, -403, -404]);

/** What is said where nothing is known (R55). */
const unknownFailure = "tool failed";

/** An envelope whose code is not 0: its message is text, or JSON in a string, or JSON in a string in JSON. */
export function readFrame(frame: JsonObject, place: Pointer, context: ParseContext): Failure {
  const text = stringAt(frame, "message") ?? "";
  const { code: own, ...failure } = innermost(text, pointer(place, "message"), context);
  const code = frame.code === pluginError ? own : codeOf(frame.code);
  // Under another code than that of plugins, `args.code` is the plugin's own affair and stays where it was.
  const args = code === own || own === undefined ? failure.args : { ...failure.args, code: own };
  return { ...failure, ...(args === undefined ? {} : { args }), ...(code === undefined ? {} : { code }) };
}

/** An error object by itself: a plugin's session error. */
export function readErrorObject(
  value: JsonValue | undefined,
  place: Pointer,
  context: ParseContext,
): Failure {
  if (!isObject(value)) return { message: typeof value === "string" ? value : unknownFailure };
  if (stringAt(value, "message") === undefined) return { message: unknownFailure };
  return innermost(compact(value), place, context);
}

/** The HTTP error body and the `error` event of the Service API: `{code, message, status}`. */
export function readServiceError(value: JsonObject): Failure {
  const code = codeOf(value.code);
  return { message: stringAt(value, "message") ?? unknownFailure, ...(code === undefined ? {} : { code }) };
}

function codeOf(value: JsonValue | undefined): Failure["code"] | undefined {
  return typeof value === "string" || typeof value === "number" || isJsonNumber(value) ? value : undefined;
}

function innermost(text: string, place: Pointer, context: ParseContext): Failure {
  let object = errorObject(text);
  if (object === undefined) return { message: text };
  let hasTraceback = tracebackIn(object);
  while (markOf(object).verbatim !== true) {
    const inner = errorObject(stringAt(object, "message") ?? "");
    if (inner === undefined) break;
    object = inner;
    hasTraceback ||= tracebackIn(object);
  }
  if (hasTraceback) context.lose("traceback-removed", place, "the traceback of the tool is left out");
  const type = stringAt(object, "error_type");
  const args = isObject(object.args) ? without(object.args, ["traceback", markKey]) : {};
  const code = codeOf(args.code);
  const rest = orAbsent(code === undefined ? args : without(args, ["code"]));
  return {
    message: stringAt(object, "message") ?? text,
    ...(type === undefined ? {} : { type }),
    ...(code === undefined ? {} : { code }),
    ...(rest === undefined ? {} : { args: rest }),
    ...(markOf(object).stated === true ? { isStated: true } : {}),
  };
}

/** The object that a text reads as, where it is an error's: then the text is not meant for people. */
function errorObject(text: string): JsonObject | undefined {
  if (!text.trimStart().startsWith("{")) return undefined;
  try {
    const { value } = readJson(text);
    return isObject(value) && typeof value.message === "string" ? value : undefined;
  } catch {
    // No JSON: then it is the message.
    return undefined;
  }
}

const tracebackIn = (object: JsonObject): boolean =>
  isObject(object.args) && Object.hasOwn(object.args, "traceback");

/**
 * Our mark on a message that would else be read as something else: `verbatim` on one that looks like an error object,
 * `stated` on one that reads as the texts of the content and yet stands for itself.
 */
function markOf(object: JsonObject): JsonObject {
  const mark = isObject(object.args) ? object.args[markKey] : undefined;
  return isObject(mark) ? mark : {};
}

/**
 * The last frame of a failed stream as the daemon writes it: the plugin's error object as JSON in the message of a
 * `PluginInvokeError`, which is JSON in the message of the envelope. Where there is no message it repeats `texts`
 * (R55). A code that Dify has no envelope for stands in `args.code`.
 */
export function frameOf(failure: Failure, texts: string): JsonObject {
  const message = failure.message ?? (texts === "" ? unknownFailure : texts);
  const isEnvelopeCode = failure.code !== undefined && belongsInEnvelope(failure);
  const mark = orAbsent({
    ...(errorObject(message) === undefined ? {} : { verbatim: true }),
    ...(repeats(failure, texts) ? { stated: true } : {}),
  });
  const args = {
    ...failure.args,
    ...(failure.code === undefined || isEnvelopeCode ? {} : { code: failure.code }),
    ...(mark === undefined ? {} : { [markKey]: mark }),
  };
  const type = failure.type === undefined ? {} : { error_type: failure.type };
  const inner = stableStringify({ args, ...type, message });
  const outer = { message: inner, error_type: "PluginInvokeError", args: null };
  return { code: isEnvelopeCode ? failure.code : pluginError, message: compact(outer), data: null };
}

/** Whether a reader takes the message for the texts of the content, which a frame repeats where there is none. */
function repeats({ message, type, code, args }: Failure, texts: string): boolean {
  const saysMore = type !== undefined || code !== undefined || args !== undefined;
  return !saysMore && message === texts && texts !== "";
}

function belongsInEnvelope({ code, args }: Failure): boolean {
  if (daemonCodes.has(code as JsonValue)) return true;
  const isTaken = args !== undefined && Object.hasOwn(args, "code");
  return isTaken && Number.isSafeInteger(code) && code !== 0 && code !== pluginError;
}

/** Drops a frame's message that only repeats the texts of the content (R55). */
export function withoutRepeated(failure: Failure, texts: string): Failure {
  if (failure.isStated === true || !repeats(failure, texts)) return failure;
  const { message: _, ...rest } = failure;
  return rest;
}

const errorMark: JsonObject = { [markKey]: { error: true } };

/** The two variables that say in-band that a call failed (R50a). */
export function inbandOf(isError: boolean, message: string | undefined): readonly Message[] {
  const variable = (name: string, value: JsonValue): Message => ({
    type: "variable",
    message: { variable_name: name, variable_value: value },
    meta: errorMark,
  });
  return [
    ...(isError ? [variable("is_error", true)] : []),
    ...(message === undefined ? [] : [variable("error_message", message)]),
  ];
}

/** The texts of the content, which stand for a message where there is none. */
export function joinedTexts(messages: readonly JsonObject[]): string {
  return messages
    .filter(({ type }) => type === "text")
    .map(({ message }) => (isObject(message) ? (stringAt(message, "text") ?? "") : ""))
    .join("\n");
}
