import { type CallContext, type CallFormat, calledId, calledName, calledWith } from "../../src/call.ts";
import { isJsonObject } from "../../src/json/json-kind.ts";
import { pointer, rootPointer } from "../../src/pointer.ts";

/** The canonical call itself: `{ toolCallId?, name, arguments, context? }`. */
export const irCall: CallFormat = {
  hasId: true,
  read: (document, context) => {
    if (!isJsonObject(document)) {
      return context.fail("invalid-payload", rootPointer, "expected a call: { name, arguments }");
    }
    const toolCallId = calledId(document.toolCallId, pointer(rootPointer, "toolCallId"), context);
    const around = document.context;
    if (around !== undefined && !isContext(around)) {
      return context.fail("invalid-payload", pointer(rootPointer, "context"), "expected { format, fields }");
    }
    return {
      ...(toolCallId !== undefined && { toolCallId }),
      name: calledName(document.name, pointer(rootPointer, "name"), context),
      arguments: calledWith(document.arguments, pointer(rootPointer, "arguments"), context),
      ...(around !== undefined && { context: around }),
    };
  },
  write: ({ toolCallId, name, arguments: given, context }) => ({
    ...(toolCallId !== undefined && { toolCallId }),
    name,
    arguments: given,
    ...(context !== undefined && { context: { format: context.format, fields: context.fields } }),
  }),
};

function isContext(value: unknown): value is CallContext & { readonly [key: string]: never } {
  return isJsonObject(value) && typeof value.format === "string" && isJsonObject(value.fields);
}
