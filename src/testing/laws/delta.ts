import type { ToolResult } from "../../ir.ts";
import { stableStringify } from "../../json/stringify.ts";
import { showResult, toolResults } from "../arbitraries/ir.ts";
import { type Marked, markedResults } from "../arbitraries/marked.ts";
import { demandEqual, type Law, law } from "../law.ts";
import { type LawSubject, type Place, targetsOf, textOf } from "../subject.ts";

/** R31 and R32: what is read of a payload with its carry is the result it was made of, and edits on the way are kept. */
export function deltaLaws(subject: LawSubject): readonly Law[] {
  return targetsOf(subject.adapter).flatMap((place) => [
    law(`R31 ${place.name} and its carry give the result`, toolResults, showResult, (result) => {
      checkDelta(subject, place, result);
    }),
    law(
      `R32 ${place.name} keeps an edit made on the way`,
      markedResults,
      ({ result }) => showResult(result),
      (marked) => {
        checkEdit(subject, place, marked);
      },
    ),
  ]);
}

function checkDelta({ converter }: LawSubject, { name }: Place, result: ToolResult): void {
  const { output, carry } = converter.render(result, { to: name, carry: "detached" });
  const text = textOf(output);
  const [back] = converter.parse(text, { from: name, ...(carry === undefined ? {} : { carried: carry }) });
  demandEqual(
    back === undefined ? "nothing" : stateOf(back.result),
    stateOf(result),
    `the payload and its carry give another result; the payload was ${text}`,
  );
}

/** Not stated and success are the same (R50). */
function stateOf({ status, ...result }: ToolResult): string {
  return stableStringify(status === "error" ? { ...result, status } : result);
}

function checkEdit({ converter }: LawSubject, { name }: Place, { result, marks }: Marked): void {
  const { output, carry } = converter.render(result, { to: name, carry: "detached" });
  const text = textOf(output);
  const mark = marks.find((one) => text.includes(one));
  if (mark === undefined || carry === undefined) return;
  const edit = mark.replace("mark", "edit");
  const [back] = converter.parse(text.replaceAll(mark, edit), { from: name, carried: carry });
  const read = back === undefined ? "nothing" : showResult(back.result);
  if (!read.includes(edit)) throw new Error(`the edit of ${mark} is not in ${read}`);
  if (read.includes(mark)) throw new Error(`the carry brought ${mark} back, which was edited: ${read}`);
}
