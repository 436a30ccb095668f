import { isJsonNumber, type JsonNumber } from "./json-number.ts";
import type { JsonObject } from "./json-value.ts";

/** Whether a value is a JSON object: no array, no null, no number that is held as an object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isJsonNumber(value);
}

/** Whether a value is a JSON number, held in either way. */
export function isNumber(value: unknown): value is number | JsonNumber {
  return typeof value === "number" || isJsonNumber(value);
}

/** Whether a value is an array of nothing but strings; the empty one is. */
export function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
