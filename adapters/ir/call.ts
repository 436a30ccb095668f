import type * as z from "zod";
import { type CallFormat, calledName } from "../../src/call.ts";
import { toolCallSchema } from "../../src/ir.ts";
import { pointer, rootPointer } from "../../src/pointer.ts";
import { placeOfIssue } from "../../src/schema-place.ts";

/** The address of a call may name the tool instead. */
const documentSchema = toolCallSchema.partial({ name: true });

/** The canonical call itself: `{ toolCallId?, name, arguments, context? }`, and nothing else. */
export const irCall: CallFormat = {
  hasId: true,
  read: (document, context) => {
    const issue = documentSchema.safeParse(document).error?.issues[0];
    if (issue !== undefined) {
      return context.fail("invalid-payload", placeOfIssue(issue), issue.message.slice(0, 200));
    }
    // The schema has just said that it is one.
    const { name, ...rest } = document as z.infer<typeof documentSchema>;
    return { ...rest, name: calledName(name, pointer(rootPointer, "name"), context) };
  },
  write: (call) => ({ ...call }),
};
