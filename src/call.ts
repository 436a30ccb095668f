import type { Fail } from "./adapter.ts";
import { isJsonObject } from "./json/json-kind.ts";
import type { JsonObject, JsonValue } from "./json/json-value.ts";
import { type Pointer, rootPointer } from "./pointer.ts";

/** One call of a tool, whatever platform makes it: as small as the result. */
export interface ToolCall {
  /** The caller's id of the call, which becomes the id of the result. */
  readonly toolCallId?: string;
  readonly name: string;
  readonly arguments: JsonObject;
  /**
   * What a platform says around a call (user, conversation, app), in its own words. It goes to an upstream of the same
   * format and nowhere else: never to a result, a carry or a log (R27). Credentials are never in it.
   */
  readonly context?: CallContext;
}

/** The words of one format around a call. */
export interface CallContext {
  /** Id of the adapter whose words these are. */
  readonly format: string;
  readonly fields: JsonObject;
}

/** How a format spells a call of a tool; beside the adapter of its results. */
export interface CallFormat {
  /** Whether a call of this format has an id, which its result must have, too. */
  readonly hasId: boolean;
  /**
   * Wire to call. Reads every spelling, fails through the context. `name` is what the address of the call says, for
   * spellings that name no tool.
   */
  read(document: JsonValue, context: ReadCallContext): ToolCall;
  /** Call to wire, in the spelling of a dialect of the format. */
  write(call: ToolCall, dialect: string): JsonValue;
}

export interface ReadCallContext {
  readonly fail: Fail;
  /** The tool that the address of the call names, where it names one. */
  readonly name: string | undefined;
}

/**
 * A call as nothing but its object of arguments, the way an OpenAPI tool is called: the address names the tool, and
 * there is no place for an id.
 */
export const argumentsCall: CallFormat = {
  hasId: false,
  read: (document, context) => ({
    name: calledName(undefined, rootPointer, context),
    arguments: calledWith(document, rootPointer, context),
  }),
  write: ({ arguments: given }) => given,
};

/** The tool that a call names at `place`, or that its address names; they must not contradict each other. */
export function calledName(
  given: JsonValue | undefined,
  place: Pointer,
  { name, fail }: ReadCallContext,
): string {
  if (given === undefined || given === null) {
    return name ?? fail("invalid-payload", place, "expected the name of a tool");
  }
  if (typeof given !== "string" || given === "") return fail("invalid-payload", place, "expected a name");
  if (name !== undefined && name !== given) {
    return fail("invalid-payload", place, "the call is for another tool than its address names");
  }
  return given;
}

/** The arguments at `place`. */
export function calledWith(
  given: JsonValue | undefined,
  place: Pointer,
  { fail }: ReadCallContext,
): JsonObject {
  return isJsonObject(given) ? given : fail("invalid-payload", place, "expected an object of arguments");
}

/** The id of a call at `place`, where it has one. */
export function calledId(
  given: JsonValue | undefined,
  place: Pointer,
  { fail }: ReadCallContext,
): string | undefined {
  if (given === undefined || given === null) return undefined;
  return typeof given === "string" && given !== ""
    ? given
    : fail("invalid-payload", place, "expected an id, a text");
}
