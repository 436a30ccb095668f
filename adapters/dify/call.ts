import { type CallFormat, calledName, calledWith, type ReadCallContext } from "../../src/call.ts";
import { isJsonObject } from "../../src/json/json-kind.ts";
import type { JsonObject } from "../../src/json/json-value.ts";
import { type Pointer, pointer, rootPointer } from "../../src/pointer.ts";

/** Who calls and from where; the same keys at the top of every body of the daemon. */
const callerKeys = ["user_id", "conversation_id", "app_id", "message_id"] as const;
/** Which of a plugin's tools is meant. `credentials` stand beside them and are never read: they are not ours. */
const toolKeys = ["provider", "credential_type"] as const;

/**
 * The body of `POST /plugin/{tenant}/dispatch/tool/invoke` of the plugin daemon, whose shorter route adds `tenant_id`
 * (langgenius/dify-plugin-daemon, `pkg/entities/plugin_entities/request.go` and `pkg/entities/requests/tool.go`).
 * `provider` and `credential_type` are written only where the call's context says them: only who knows the plugin can
 * name them, with its credentials.
 */
export const difyCall: CallFormat = {
  hasId: false,
  read: (document, context) => {
    if (!isJsonObject(document) || !isJsonObject(document.data)) {
      return context.fail(
        "invalid-payload",
        rootPointer,
        'expected the body of an invocation, {"data": {"provider": ..., "tool": ..., "tool_parameters": {...}}}; a bare object of arguments is the call format `arguments`',
      );
    }
    const { data } = document;
    const place = pointer(rootPointer, "data");
    const fields = {
      ...textsOf(document, callerKeys, rootPointer, context),
      ...textsOf(data, toolKeys, place, context),
    };
    return {
      name: calledName(data.tool, pointer(place, "tool"), context),
      arguments: calledWith(data.tool_parameters, pointer(place, "tool_parameters"), context),
      ...(Object.keys(fields).length > 0 && { context: { format: "dify", fields } }),
    };
  },
  write: ({ name, arguments: given, context }) => {
    const fields = context?.format === "dify" ? context.fields : {};
    return {
      ...Object.fromEntries(callerKeys.map((key) => [key, fields[key] ?? null])),
      data: {
        ...Object.fromEntries(
          toolKeys.flatMap((key) => (fields[key] === undefined ? [] : [[key, fields[key]]])),
        ),
        tool: name,
        credentials: {},
        tool_parameters: given,
      },
    };
  },
};

/** The texts that an object has under these keys, where `null` is the same as none. */
function textsOf(
  object: JsonObject,
  keys: readonly string[],
  place: Pointer,
  { fail }: ReadCallContext,
): JsonObject {
  const found: Record<string, string> = {};
  for (const key of keys) {
    const value = object[key];
    if (value === undefined || value === null) continue;
    if (typeof value !== "string") return fail("invalid-payload", pointer(place, key), "expected a text");
    found[key] = value;
  }
  return found;
}
