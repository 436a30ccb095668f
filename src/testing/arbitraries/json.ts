import * as fc from "fast-check";
import type { JsonNumber } from "../../json/json-number.ts";
import type { JsonObject, JsonValue } from "../../json/json-value.ts";
import { readJson } from "../../json/read-json.ts";

/**
 * Arbitrary JSON with all that converters like to break (R7): numbers beyond doubles, keys that are names of
 * `Object.prototype`, lone surrogates, line separators, empty values. Small on purpose: what breaks a converter is the
 * kind of a value, seldom its size.
 */

/** Spellings of numbers that a double, or a careless printer, would change. */
const awkwardNumbers = [
  "0",
  "-0",
  "-0.0",
  "1.0",
  "1.50",
  "10e-1",
  "1e400",
  "-1E+400",
  "1e-400",
  "9007199254740993",
  "-123456789012345678901234567890",
  "0.1000000000000000055511151231257827",
  "3.14159265358979323846264338327950288",
] as const;

const numberTexts = fc.oneof(
  fc.constantFrom(...awkwardNumbers),
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
);

/** Numbers as the reader gives them: plain where a double is exact, else `JsonNumber`. */
export const jsonNumbers: fc.Arbitrary<number | JsonNumber> = numberTexts.map(
  // The text of one number reads as one number.
  (text) => readJson(text).value as number | JsonNumber,
);

/** Texts that look like something else, or that an encoding or a line splitter could break. */
const awkwardTexts = [
  "",
  " ",
  "null",
  "42",
  "True",
  "Error: not one",
  '{"a":1}',
  '{"a": 1}',
  "[1,2",
  "[](<>)`\\",
  "line\nbreak\r\nand\ttab",
  "data: not a frame\n\n",
  "\u2028\u2029\u0085",
  "\ud800",
  "a\udfffb",
  "\u0000\u001b\u007f",
  "naïve Zürich 東京 👩‍👩‍👧",
  "<script>&amp;",
  "__proto__",
] as const;

export const texts: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...awkwardTexts) },
  { weight: 3, arbitrary: fc.string({ maxLength: 12 }) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 8 }) },
);

export const jsonKeys: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom("a", "b", "id", "type", "text", "name", "result", "$value", "_meta"),
  },
  { weight: 2, arbitrary: fc.constantFrom("__proto__", "constructor", "toString", "", "a/b~c", "0", "é") },
  { weight: 1, arbitrary: fc.string({ maxLength: 5 }) },
);

export const jsonScalars: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.constantFrom(null, true, false),
  jsonNumbers,
  texts,
);

const greatestDepth = 3;

const arraysOf = (depth: number): fc.Arbitrary<readonly JsonValue[]> =>
  fc.array(valuesOf(depth - 1), { maxLength: 3 });

const objectsOf = (depth: number): fc.Arbitrary<JsonObject> => objectOf(jsonKeys, valuesOf(depth - 1));

function valuesOf(depth: number): fc.Arbitrary<JsonValue> {
  if (depth === 0) return jsonScalars;
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 4, arbitrary: jsonScalars },
    { weight: 1, arbitrary: arraysOf(depth) },
    { weight: 2, arbitrary: objectsOf(depth) },
  );
}

/** Any JSON value. */
export const jsonValues: fc.Arbitrary<JsonValue> = valuesOf(greatestDepth);
export const jsonArrays: fc.Arbitrary<readonly JsonValue[]> = arraysOf(greatestDepth);
export const jsonObjects: fc.Arbitrary<JsonObject> = objectsOf(greatestDepth);

/** Objects from arbitrary keys and members; `__proto__` becomes an own key. */
export function objectOf(
  keys: fc.Arbitrary<string>,
  members: fc.Arbitrary<JsonValue>,
  maxLength = 3,
): fc.Arbitrary<JsonObject> {
  return fc.array(fc.tuple(keys, members), { maxLength }).map((entries) => Object.fromEntries(entries));
}

/** Any members of an object, each there or not; those that are not given in `fields`. */
export function optional<Fields extends Record<string, fc.Arbitrary<JsonValue>>>(
  fields: Fields,
): fc.Arbitrary<{ [Key in keyof Fields]?: JsonValue }> {
  return fc.record(fields, { requiredKeys: [] }) as fc.Arbitrary<{ [Key in keyof Fields]?: JsonValue }>;
}
