import * as fc from "fast-check";
import { isConversionError } from "../../errors.ts";
import { isJsonNumber } from "../../json/json-number.ts";
import type { JsonValue } from "../../json/json-value.ts";
import { jsonKeys, jsonValues, objectOf } from "../arbitraries/json.ts";
import { type Law, law } from "../law.ts";
import { type LawSubject, type Payload, type Place, sourcesOf, targetsOf, textOf } from "../subject.ts";

/**
 * R14: whatever comes in, there is a result or one typed error; never a fault of the adapter. So too for what comes
 * back from a partner, carry and all, and was damaged there.
 */
export function hostileLaws(subject: LawSubject): readonly Law[] {
  const targets = fc.constantFrom(...[subject.adapter, ...subject.partners].flatMap(targetsOf));
  return sourcesOf(subject).flatMap((from) => {
    const damaged = fc.tuple(from.payloads, blows).map(([payload, blow]) => strike(payload, blow));
    const reading = [
      law(
        `R14 ${from.name} refuses or reads any JSON`,
        fc.tuple(documents, targets),
        showTried,
        ([payload, to]) => {
          demandTyped(subject, from, to, payload);
        },
      ),
      law(
        `R14 ${from.name} refuses or reads damaged payloads`,
        fc.tuple(damaged, targets),
        showTried,
        ([payload, to]) => {
          demandTyped(subject, from, to, payload);
        },
      ),
    ];
    if (!from.dialect.output) return reading;
    const returning = law(
      `R14 ${from.name} refuses or reads what comes back damaged`,
      fc.tuple(from.payloads, targets, blows),
      ([payload, to, blow]) =>
        `${showTried([payload, to])}, then ${blow.kind} at ${blow.seed} with ${textOf(blow.value)}`,
      ([payload, to, blow]) => {
        checkDamagedReturn(subject, from, to, payload, blow);
      },
    );
    return [...reading, returning];
  });
}

function showTried([payload, to]: readonly [Payload, Place]): string {
  return `${textOf(payload)} to ${to.name}`;
}

function demandTyped({ converter }: LawSubject, from: Place, to: Place, payload: Payload): void {
  const text = textOf(payload);
  for (const mode of ["lenient", "strict"] as const) {
    try {
      converter.convert(text, { from: from.name, to: to.name, mode });
    } catch (error) {
      if (!isConversionError(error) || error.code === "adapter-failed") throw error;
      if (error.message === "") throw new Error(`${error.code} without a message`);
    }
  }
  converter.detect(text);
}

/** What comes back from a partner, carry and all, may be damaged there. */
function checkDamagedReturn(
  { converter }: LawSubject,
  from: Place,
  to: Place,
  payload: Payload,
  blow: Blow,
): void {
  const { output } = converter.convert(textOf(payload), { from: from.name, to: to.name });
  const text = textOf(strike(output, blow));
  try {
    converter.convert(text, { from: to.name, to: from.name });
  } catch (error) {
    if (!isConversionError(error) || error.code === "adapter-failed") throw error;
  }
}

/** Keys that envelopes and blocks of tool results have, so that random documents come near them. */
const familiarKeys = fc.constantFrom(
  ..."content type text json data mimeType annotations audience structuredContent _meta isError".split(" "),
  ..."toolUseId status toolResult message role image document source bytes format name".split(" "),
  ..."meta blob json_object variable_name variable_value id sequence total_length end code".split(" "),
  "dev.tool-result-gateway/carry",
);

const familiarValues = fc.oneof(
  jsonValues,
  fc.constantFrom<JsonValue>(
    "text",
    "image",
    "resource",
    "blob",
    "blob_chunk",
    "variable",
    "log",
    "user",
    "success",
    [],
    {},
  ),
);

const familiarObjects = (members: fc.Arbitrary<JsonValue>) =>
  objectOf(fc.oneof(familiarKeys, jsonKeys), members, 5);

const inner = fc.oneof(familiarValues, familiarObjects(familiarValues));
const documents: fc.Arbitrary<Payload> = fc.oneof(
  jsonValues.filter((value) => typeof value !== "string"),
  familiarObjects(fc.oneof(inner, fc.array(familiarObjects(inner), { maxLength: 3 }))),
  fc.array(familiarObjects(inner), { maxLength: 3 }),
  fc.string(),
);

/** One damage to a payload: a value replaced, doubled or left out, or a piece of the text. */
interface Blow {
  readonly kind: "replace" | "remove" | "double" | "cut" | "insert";
  /** Chooses the place. */
  readonly seed: number;
  readonly value: JsonValue;
}

const blows: fc.Arbitrary<Blow> = fc.record({
  kind: fc.constantFrom("replace", "replace", "remove", "double", "cut", "insert"),
  seed: fc.nat(),
  value: familiarValues,
});

function strike(payload: Payload, blow: Blow): Payload {
  const { kind, seed, value } = blow;
  if (typeof payload !== "string" && kind !== "cut" && kind !== "insert") return struckValue(payload, blow);
  const text = textOf(payload);
  const at = seed % (text.length + 1);
  return kind === "insert"
    ? `${text.slice(0, at)}${textOf(value)}${text.slice(at)}`
    : text.slice(0, at) + text.slice(at + 1 + (seed % 7));
}

/** Strikes the value that a walk guided by the seed comes to. */
function struckValue(value: JsonValue, blow: Blow): JsonValue {
  if (typeof value !== "object" || value === null || isJsonNumber(value)) return blow.value;
  const keys = Object.keys(value);
  const key = keys[blow.seed % (keys.length + 1)];
  if (key === undefined) return blow.value;
  const next = { ...blow, seed: Math.floor(blow.seed / (keys.length + 1)) };
  return Array.isArray(value)
    ? (value as readonly JsonValue[]).flatMap((item, at) =>
        at === Number(key) ? struckItem(item, next) : [item],
      )
    : Object.fromEntries(
        Object.entries(value).flatMap(([name, member]) =>
          name === key
            ? struckItem(member, next).map((struck) => [name, struck] as const)
            : [[name, member] as const],
        ),
      );
}

/** What stands in place of a member: nothing, two of it, or it with a fault within. */
function struckItem(item: JsonValue, blow: Blow): readonly JsonValue[] {
  const isHere = blow.seed % 2 === 0;
  if (isHere && blow.kind === "remove") return [];
  if (isHere && blow.kind === "double") return [item, item];
  return [struckValue(item, blow)];
}
