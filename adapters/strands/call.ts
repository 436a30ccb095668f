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
 * `toolUse` of Strands and Bedrock Converse: bare (what a tool is handed), wrapped (a content block), the class of the
 * TypeScript SDK, or a message that holds one, itself or in an event. `input` is an object: text there is a piece of a
 * model's stream, which the SDKs join and read before a tool sees it (strands-agents, `event_loop/streaming.py`).
 */
export const strandsCall: CallFormat = {
  hasId: true,
  read: (document, context) => {
    const [only, ...others] = usesIn(document);
    if (only === undefined) {
      return context.fail(
        "invalid-payload",
        rootPointer,
        'expected a tool use, {"toolUseId": ..., "name": ..., "input": {...}}; a bare object of arguments is the call format `arguments`',
      );
    }
    if (others.length > 0) {
      const ids = [only, ...others].map(({ use }) =>
        typeof use.toolUseId === "string" ? use.toolUseId : "(no id)",
      );
      return context.fail(
        "invalid-payload",
        rootPointer,
        `expected one tool use, received ${ids.length}: ${ids.join(", ")}; send each as a call of its own`,
      );
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

function usesIn(document: JsonValue): readonly FoundUse[] {
  const alone = useOf(document, rootPointer);
  if (alone !== undefined) return [alone];
  if (!isJsonObject(document)) return [];
  const [message, place] = isJsonObject(document.message)
    ? [document.message, pointer(rootPointer, "message")]
    : [document, rootPointer];
  if (!Array.isArray(message.content)) return [];
  const blocks: readonly JsonValue[] = message.content;
  return blocks.flatMap((block, index) => useOf(block, pointer(place, "content", index)) ?? []);
}

/** A bare use has an id or a name beside its input; an object with `input` alone is somebody's arguments. */
function useOf(value: JsonValue, place: Pointer): FoundUse | undefined {
  if (!isJsonObject(value)) return undefined;
  if (isJsonObject(value.toolUse)) return { use: value.toolUse, place: pointer(place, "toolUse") };
  const isBare = Object.hasOwn(value, "input") && ("toolUseId" in value || "name" in value);
  return isBare ? { use: value, place } : undefined;
}
