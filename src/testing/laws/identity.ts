import type { JsonValue } from "../../json/json-value.ts";
import { stableStringify } from "../../json/stringify.ts";
import { type LossCode, lossEntry } from "../../losses.ts";
import { demandEqual, type Law, law } from "../law.ts";
import { type LawSubject, type Payload, type Place, sourcesOf, textOf } from "../subject.ts";

/** R10 and R13: a format and dialect to itself is its canonical form, always the same, and the input stays as it was. */
export function identityLaws(subject: LawSubject): readonly Law[] {
  return sourcesOf(subject)
    .filter(({ dialect }) => dialect.output)
    .flatMap((source) => [
      law(`R10 ${source.name} to itself is canonical`, source.payloads, textOf, (payload) => {
        checkIdentity(subject, source, payload);
      }),
      law(`R13 ${source.name} is pure`, source.payloads, textOf, (payload) => {
        checkPurity(subject, source, payload);
      }),
    ]);
}

function checkIdentity({ converter }: LawSubject, { name, dialect }: Place, payload: Payload): void {
  const text = textOf(payload);
  const canonical = converter.canonical(text, { from: name });
  const { output, losses } = converter.convert(text, { from: name, to: name });
  // Lines and events have no sorted form of their own; their own reader gives the document.
  const written =
    dialect.encode === undefined
      ? stableStringify(output)
      : converter.canonical(textOf(output), { from: name });
  demandEqual(written, canonical, "render(parse(wire)) is not canonical(wire)");
  const unexpected = losses.filter(({ code }) => !isCorrection(code));
  if (unexpected.length > 0)
    throw new Error(`losses: ${unexpected.map(({ code, pointer }) => `${code} at "${pointer}"`).join(", ")}`);
  if (dialect.encode === undefined) {
    demandEqual(converter.canonical(canonical, { from: name }), canonical, "canonical is not idempotent");
  }
}

/** What reading mends, and so is in no canonical form. */
function isCorrection(code: LossCode): boolean {
  const { returns, covers } = lossEntry(code);
  return !returns || covers.length === 0;
}

function checkPurity({ converter }: LawSubject, { name }: Place, payload: Payload): void {
  const options = { from: name, to: name } as const;
  const text = textOf(payload);
  const first = converter.convert(text, options);
  demandEqual(
    stableStringify(converter.convert(text, options).output),
    stableStringify(first.output),
    "a second run gives another output",
  );
  if (typeof payload === "string") return;
  // A change of a frozen input throws.
  const fromValue = converter.convert(deepFreeze(payload), options);
  demandEqual(
    stableStringify(fromValue.output),
    stableStringify(first.output),
    "a parsed value gives another output than its text",
  );
}

function deepFreeze(value: JsonValue): JsonValue {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
}
