import * as z from "zod";
import { mediaPartSchema, resourcePartSchema, toolCallSchema, toolResultSchema } from "./ir.ts";

/** The IR as a document of its own: a result that says which version of the IR it is, and which format it came from. */
export const irDocumentSchema = toolResultSchema.extend({
  /** The version; a result of an older one is not read. */
  toolResultIr: z.literal(1),
  /** The format and dialect that the result was read from first, where it was not made as IR. */
  origin: z.strictObject({ format: z.string(), dialect: z.string().exactOptional() }).exactOptional(),
});

/** The JSON Schema (2020-12) of an IR document, generated from the zod schema; that of a call is its `$defs/toolCall`. */
export function irJsonSchema(): z.core.JSONSchema.BaseSchema {
  const schema = z.toJSONSchema(irDocumentSchema, {
    unrepresentable: "any",
    // Refinements have no JSON Schema of their own.
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema === mediaPartSchema) jsonSchema.oneOf = oneOf("data", "text", "texts", "stored");
      if (zodSchema === resourcePartSchema) jsonSchema.oneOf = oneOf("text", "data");
    },
  });
  const { $schema: _, ...toolCall } = z.toJSONSchema(toolCallSchema, { unrepresentable: "any" });
  return {
    $id: "urn:tool-result-gateway:ir:1",
    title: "Tool result, canonical intermediate representation, version 1",
    ...schema,
    $defs: { toolCall },
  };
}

function oneOf(...keys: readonly string[]): z.core.JSONSchema.BaseSchema[] {
  return keys.map((key) => ({ required: [key] }));
}
