import type { Fail } from "./adapter.ts";
import type { ToolCall } from "./ir.ts";
import { isJsonObject } from "./json/json-kind.ts";
import type { JsonObject, JsonValue } from "./json/json-value.ts";
import { type Pointer, rootPointer } from "./pointer.ts";

export type { CallContext, ToolCall } from "./ir.ts";

/** How a format spells a call of a tool; beside the adapter of its results. */
export interface CallFormat {
  /** Whether a call of this format has an id, which its result must have, too. */
  readonly hasId: boolean;
  /** Wire to call. Reads every spelling; fails through the context, with `invalid-payload` where there is no call. */
  read(document: JsonValue, context: ReadCallContext): ToolCall;
  /** Call to wire, in the spelling of a dialect of the format. What the format has no place for is left out. */
  write(call: ToolCall, dialect: string): JsonValue;
}

export interface ReadCallContext {
  readonly fail: Fail;
  /** The tool that the address of the call names, where it names one; some spellings name none. */
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
