import type { RenderContext } from "../../src/adapter.ts";
import type { ToolResult } from "../../src/ir.ts";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";

/** IR to wire: the result itself, with its version and where it came from. */
export function render(result: ToolResult, context: RenderContext): JsonValue {
  const { format, dialect } = context.origin;
  if (format === "ir") return { toolResultIr: 1, ...withoutSuccess(result) };
  const origin = { format, ...(dialect === undefined ? {} : { dialect }) };
  return { toolResultIr: 1, origin, ...result };
}

/** Not stated and `success` are the same (R50); within this format one spelling is written. */
export function withoutSuccess(fields: JsonObject): JsonObject {
  const { status, ...rest } = fields;
  return status === "success" ? rest : fields;
}
