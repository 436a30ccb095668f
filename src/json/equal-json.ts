import { isJsonNumber, type JsonNumber, sameNumber } from "./json-number.ts";
import type { JsonObject, JsonValue } from "./json-value.ts";

/**
 * Whether two values are the same JSON: numbers as real numbers, exactly (R7), keys of an object in any order, own
 * keys only. Any depth; time linear in the smaller value.
 */
export function equalJson(first: JsonValue, second: JsonValue): boolean {
  const pairs: JsonValue[] = [first, second];
  while (pairs.length > 0) {
    const other = pairs.pop() as JsonValue;
    const one = pairs.pop() as JsonValue;
    if (!equalShallow(one, other, pairs)) return false;
  }
  return true;
}

/** Compares all but the members, which it adds to `pairs`. */
function equalShallow(one: JsonValue, other: JsonValue, pairs: JsonValue[]): boolean {
  // Not `===`: it would take -0 for 0.
  if (Object.is(one, other)) return true;
  if (isNumber(one)) return isNumber(other) && sameNumber(one, other);
  if (typeof one !== "object" || one === null) return false;
  if (typeof other !== "object" || other === null || isJsonNumber(other)) return false;
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
    for (const [index, item] of one.entries()) pairs.push(item as JsonValue, other[index] as JsonValue);
    return true;
  }
  const object = one as JsonObject;
  const otherObject = other as JsonObject;
  const keys = Object.keys(object);
  if (keys.length !== Object.keys(otherObject).length) return false;
  for (const key of keys) {
    if (!Object.hasOwn(otherObject, key)) return false;
    pairs.push(object[key] as JsonValue, otherObject[key] as JsonValue);
  }
  return true;
}

function isNumber(value: JsonValue): value is number | JsonNumber {
  return typeof value === "number" || isJsonNumber(value);
}
