import { type CallFormat, calledName, calledWith } from "../../src/call.ts";
import { isJsonObject } from "../../src/json/json-kind.ts";
import type { JsonObject } from "../../src/json/json-value.ts";
import { pointer, rootPointer } from "../../src/pointer.ts";

/** Who calls and from where; the same keys at the top of every body of the daemon. */
const callerKeys = ["user_id", "conversation_id", "app_id", "message_id"] as const;
/** Which of a plugin's tools is meant. `credentials` stand beside them and are never read: they are not ours. */
const toolKeys = ["provider", "credential_type"] as const;

/**
 * The body of `POST /plugin/{tenant}/dispatch/tool/invoke` of the plugin daemon, whose shorter route adds `tenant_id`
 * (langgenius/dify-plugin-daemon, `pkg/entities/requests`). It has no place for the id of a call.
 */
export const difyCall: CallFormat = {
  hasId: false,
  read: (document, context) => {
    if (!isJsonObject(document) || !isJsonObject(document.data)) {
      return context.fail(
        "invalid-payload",
        rootPointer,
        'expected the body of an invocation, {"data": {"provider": ..., "tool": ..., "tool_parameters": {...}}}',
      );
    }
    const { data } = document;
    const place = pointer(rootPointer, "data");
    const fields = { ...stated(document, callerKeys), ...stated(data, toolKeys) };
    return {
      name: calledName(data.tool, pointer(place, "tool"), context),
      arguments: calledWith(data.tool_parameters, pointer(place, "tool_parameters"), context),
      ...(Object.keys(fields).length > 0 && { context: { format: "dify", fields } }),
    };
  },
  write: ({ name, arguments: given, context }) => {
    const fields = context?.format === "dify" ? context.fields : {};
    return {
      user_id: null,
      conversation_id: null,
      app_id: null,
      message_id: null,
      ...stated(fields, callerKeys),
      data: {
        provider: "",
        credential_type: "unauthorized",
        ...stated(fields, toolKeys),
        tool: name,
        credentials: {},
        tool_parameters: given,
      },
    };
  },
};

/** The texts that an object has under these keys. */
function stated(object: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(
    keys.flatMap((key) => {
      const value = Object.hasOwn(object, key) ? object[key] : undefined;
      return typeof value === "string" ? [[key, value]] : [];
    }),
  );
}
