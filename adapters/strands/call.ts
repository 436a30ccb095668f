import { type CallFormat, calledId, calledName, calledWith, type ReadCallContext } from "../../src/call.ts";
import { isJsonObject } from "../../src/json/json-kind.ts";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import { type Pointer, pointer, rootPointer } from "../../src/pointer.ts";

/** A tool use, and where it stands. */
interface FoundUse {
  readonly use: JsonObject;
  readonly place: Pointer;
}

/**
 * `toolUse` of Strands and Bedrock Converse: bare (`{toolUseId, name, input}`, what a tool is handed), wrapped (a
 * content block), the class of the TypeScript SDK, or a message that holds one.
 */
export const strandsCall: CallFormat = {
  hasId: true,
  read: (document, context) => {
    const found = usesIn(document, rootPointer);
    const [only, ...others] = found;
    if (only === undefined) {
      return context.fail(
        "invalid-payload",
        rootPointer,
        'expected a tool use, {"toolUseId": ..., "name": ..., "input": {...}}; a bare object of arguments is the call format `arguments`',
      );
    }
    if (others.length > 0) {
      return context.fail("invalid-payload", rootPointer, `expected one tool use, received ${found.length}`);
    }
    return readUse(only, context);
  },
  write: ({ toolCallId, name, arguments: input }, dialect) => {
    const use = { ...(toolCallId !== undefined && { toolUseId: toolCallId }), name, input };
    return dialect === "python" ? use : { toolUse: use };
  },
};

function readUse({ use, place }: FoundUse, context: ReadCallContext) {
  const toolCallId = calledId(use.toolUseId, pointer(place, "toolUseId"), context);
  return {
    ...(toolCallId !== undefined && { toolCallId }),
    name: calledName(use.name, pointer(place, "name"), context),
    arguments: calledWith(use.input, pointer(place, "input"), context),
  };
}

function usesIn(value: JsonValue, place: Pointer): readonly FoundUse[] {
  if (!isJsonObject(value)) return [];
  if (isJsonObject(value.toolUse)) return [{ use: value.toolUse, place: pointer(place, "toolUse") }];
  if (isJsonObject(value.message)) return usesIn(value.message, pointer(place, "message"));
  if (Array.isArray(value.content) && value.input === undefined) {
    const blocks: readonly JsonValue[] = value.content;
    return blocks.flatMap((block, index) => usesIn(block, pointer(place, "content", index)));
  }
  return Object.hasOwn(value, "input") ? [{ use: value, place }] : [];
}
