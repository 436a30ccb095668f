import { stableStringify } from "../../json/stringify.ts";
import { demandEqual, type Law, law } from "../law.ts";
import { type LawSubject, type Payload, type Place, pairsOf, signing, textOf } from "../subject.ts";

/** R11: there and back with the carry gives the original in canonical form, for every ordered pair. */
export function roundTripLaws(subject: LawSubject): readonly Law[] {
  const pairs = pairsOf(subject).filter(([from]) => from.dialect.output);
  return pairs.flatMap(([from, to]) => {
    const modes =
      to.dialect.embedCarry === undefined ? (["detached"] as const) : (["inline", "detached"] as const);
    return modes.map((mode) =>
      law(`R11 ${from.name} -> ${to.name} and back, ${mode}`, from.payloads, textOf, (payload) => {
        checkRoundTrip(subject, from, to, mode, payload);
      }),
    );
  });
}

function checkRoundTrip(
  subject: LawSubject,
  from: Place,
  to: Place,
  mode: "inline" | "detached",
  payload: Payload,
): void {
  const { converter } = subject;
  const text = textOf(payload);
  const key = signing(subject, from, payload);
  const there = converter.convert(text, { from: from.name, to: to.name, carry: mode, ...key });
  const carried = there.carry === undefined ? {} : { carried: there.carry };
  const way = textOf(there.output);
  const back = converter.convert(way, { from: to.name, to: from.name, ...carried, ...key });
  demandEqual(
    converter.canonical(textOf(back.output), { from: from.name }),
    converter.canonical(text, { from: from.name }),
    `the way back differs; between, it was ${way}${mode === "detached" ? `\n  with the carry ${stableStringify(there.carry ?? null)}` : ""}\n  and on the way back the losses were ${back.losses.map(({ code, detail }) => `${code} (${detail})`).join(", ")}`,
  );
}
