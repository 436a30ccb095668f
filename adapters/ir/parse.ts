import type * as z from "zod";
import type { ParseContext, Reading } from "../../src/adapter.ts";
import type { Part, ToolResult } from "../../src/ir.ts";
import { irDocumentSchema } from "../../src/ir-json-schema.ts";
import type { JsonValue } from "../../src/json/json-value.ts";
import { type Pointer, pointer, rootPointer } from "../../src/pointer.ts";
import { placeOfIssue } from "../../src/schema-place.ts";

/** An IR document that was checked. */
export type IrDocument = z.infer<typeof irDocumentSchema>;

/** Wire to IR: the document holds the result's own fields. */
export function parse(document: JsonValue, context: ParseContext): readonly Reading[] {
  const { toolResultIr: _, origin, ...fields } = checked(document, context);
  const result: ToolResult = fields;
  context.at(result, rootPointer);
  for (const field of Object.keys(result)) context.at(result, pointer(rootPointer, field), field);
  for (const field of ["structuredContent", "widget", "meta", "logs", "extensions"] as const) {
    const value = result[field];
    if (value !== undefined) context.payload(value as JsonValue, pointer(rootPointer, field));
  }
  for (const [index, part] of result.content.entries()) {
    readPart(part, pointer(rootPointer, "content", index), context);
  }
  return [origin === undefined ? { result } : { result, origin }];
}

/** Fails where the document is not an IR document; answers the object itself, since a schema's output is a copy. */
function checked(document: JsonValue, context: ParseContext): IrDocument {
  const { error } = irDocumentSchema.safeParse(document);
  const issue = error?.issues[0];
  // The schema has just said that it is one.
  if (issue === undefined) return document as IrDocument;
  const code = issue.path[0] === "status" ? "invalid-status" : "invalid-payload";
  return context.fail(code, placeOfIssue(issue), issue.message.slice(0, 200));
}

function readPart(part: Part, place: Pointer, context: ParseContext): void {
  context.at(part, place);
  for (const [field, value] of Object.entries(part)) {
    const fieldPlace = pointer(place, field);
    context.at(part, fieldPlace, field);
    if (["value", "sources", "meta", "extensions"].includes(field)) context.payload(value, fieldPlace);
  }
  if (!("data" in part) || part.data === undefined) return;
  const dataPlace = pointer(place, "data");
  if (context.base64(part.data, dataPlace).data !== part.data) {
    context.fail("invalid-base64", dataPlace, "the IR holds padded standard base64");
  }
}
