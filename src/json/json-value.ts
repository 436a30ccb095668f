import type { JsonNumber } from "./json-number.ts";

/**
 * A JSON value in memory. A number is a plain `number` wherever a double prints back the same real number, and a
 * `JsonNumber` where it would not (R7), so nothing has to look at the text again.
 */
export type JsonValue = null | boolean | number | string | JsonNumber | readonly JsonValue[] | JsonObject;

/** A JSON object. Own keys only; a key named `__proto__` is an own key like any other (R7). */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}
