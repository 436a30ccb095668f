import { canonicalNumber, numberTokenEnd } from "./number-token.ts";

/** Registered, not private: two copies of this package in one program understand each other's numbers. */
const brand: unique symbol = Symbol.for("tool-result-gateway.json-number") as never;

/** `JSON.rawJSON`, where the runtime has it (Node 22 and later). */
const rawJson = (JSON as { readonly rawJSON?: (source: string) => unknown }).rawJSON;

/**
 * A number whose spelling must be kept, because a double would print back another real number: `-0`, `1e400`,
 * integers beyond 2^53, more digits than a double holds (R7). Frozen.
 */
export class JsonNumber {
  /** The number as JSON spells it. */
  readonly source: string;

  /** Throws a `TypeError` when `source` is not one JSON number. */
  constructor(source: string) {
    if (source === "" || numberTokenEnd(source, 0) !== source.length) {
      throw new TypeError("JsonNumber needs the text of one JSON number.");
    }
    this.source = source;
    Object.freeze(this);
  }

  get [brand](): true {
    return true;
  }

  /**
   * Lets `JSON.stringify` write the digits where the runtime can; elsewhere it throws a `TypeError`, since every
   * value it could return would be another number or a string.
   */
  toJSON(): unknown {
    if (rawJson === undefined) {
      throw new TypeError("JSON.stringify cannot write this number exactly here: use stringify().");
    }
    return rawJson(this.source);
  }
}

/** Whether a value is a `JsonNumber`, of this copy of the package or of another. */
export function isJsonNumber(value: unknown): value is JsonNumber {
  return (
    typeof value === "object" && value !== null && (value as { readonly [brand]?: unknown })[brand] === true
  );
}

/**
 * Whether two numbers denote the same real number: `1.0`, `1` and `10e-1` do, `-0` and `0` do not (R7).
 * Exact for any digits and any exponent, in time linear in the length of the tokens.
 */
export function sameNumber(first: number | JsonNumber, second: number | JsonNumber): boolean {
  if (typeof first === "number" && typeof second === "number") return Object.is(first, second);
  const [one, other] = [numberText(first), numberText(second)];
  return one === other || canonicalNumber(one) === canonicalNumber(other);
}

/** The number as JSON text; `-0` keeps its sign, unlike with `String`. */
export function numberText(value: number | JsonNumber): string {
  if (typeof value !== "number") return value.source;
  return Object.is(value, -0) ? "-0" : String(value);
}
