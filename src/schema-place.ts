import type * as z from "zod";
import { type Pointer, pointer, rootPointer } from "./pointer.ts";

/** The place of a schema's fault in the value; the key itself, where one stands that does not belong there. */
export function placeOfIssue(issue: z.core.$ZodIssue): Pointer {
  const unknown = issue.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : [];
  const path = [...issue.path, ...unknown];
  return pointer(rootPointer, ...path.map((key) => (typeof key === "number" ? key : String(key))));
}
