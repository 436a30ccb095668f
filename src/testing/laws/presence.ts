import { showResult } from "../arbitraries/ir.ts";
import { base64OfText, type Marked, markedResults } from "../arbitraries/marked.ts";
import { type Law, law } from "../law.ts";
import { type LawSubject, type Place, targetsOf, textOf } from "../subject.ts";

/** R6 and section 3: every part that the model may read stands in the target, in whatever form. */
export function presenceLaws(subject: LawSubject): readonly Law[] {
  return targetsOf(subject.adapter).map((place) =>
    law(
      `section 3: ${place.name} shows every part`,
      markedResults,
      ({ result }) => showResult(result),
      (marked) => {
        checkShown(subject, place, marked);
      },
    ),
  );
}

function checkShown({ converter }: LawSubject, place: Place, { result, marks }: Marked): void {
  const { output } = converter.render(result, { to: place.name, carry: "off" });
  const text = textOf(output);
  // A text may have become the bytes of a file.
  const missing = marks.filter((mark) => ![mark, base64OfText(mark)].some((form) => text.includes(form)));
  if (missing.length > 0) throw new Error(`the output does not show ${missing.join(", ")}: ${text}`);
}
