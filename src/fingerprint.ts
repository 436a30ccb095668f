import { isJsonNumber, type JsonNumber } from "./json/json-number.ts";
import type { JsonValue } from "./json/json-value.ts";
import { canonicalNumber, isExactDouble } from "./json/number-token.ts";

const firstPrime = 2_654_435_761;
const secondPrime = 1_597_334_677;

/** One seed per kind of value, so that `"1"`, `1`, `[1]` and `true` differ. */
const seeds = {
  null: 1,
  true: 2,
  false: 3,
  string: 4,
  integer: 5,
  double: 6,
  bigNumber: 7,
  array: 8,
  object: 9,
  member: 10,
};

/**
 * Sixteen hexadecimal digits that change when the value changes: a change detector, not a signature, since whoever
 * wants to can make two values that agree. Neither the order of keys nor the spelling of numbers counts (`1.0` is
 * `1`, R7): what `equalJson` takes for equal has one fingerprint. The same on every platform; one linear walk,
 * recursing as deep as the value is nested (values that were read have at most 1,024 levels).
 */
export function fingerprint(value: JsonValue): string {
  const hasher = new Hasher();
  hasher.value(value);
  return hexadecimal(hasher.first) + hexadecimal(hasher.second);
}

/** Two independent 32-bit lanes. Each method leaves the hash of its argument in them. */
class Hasher {
  first = 0;
  second = 0;
  readonly #scratch = new DataView(new ArrayBuffer(8));

  value(value: JsonValue): void {
    if (typeof value === "string") this.#string(value, seeds.string);
    else if (typeof value === "number") this.#number(value);
    else if (value === null) this.#tag(seeds.null);
    else if (typeof value === "boolean") this.#tag(value ? seeds.true : seeds.false);
    else if (isJsonNumber(value)) this.#bigNumber(value);
    else if (Array.isArray(value)) this.#array(value);
    else this.#object(value as { readonly [key: string]: JsonValue });
  }

  #array(array: readonly JsonValue[]): void {
    let first = seeds.array;
    let second = seeds.array;
    for (const item of array) {
      this.value(item);
      first = mixFirst(first, this.first);
      second = mixSecond(second, this.second);
    }
    this.#finish(mixFirst(first, array.length), mixSecond(second, array.length));
  }

  #object(object: { readonly [key: string]: JsonValue }): void {
    const keys = Object.keys(object);
    let first = 0;
    let second = 0;
    for (const key of keys) {
      this.#string(key, seeds.member);
      const keyFirst = this.first;
      const keySecond = this.second;
      this.value(object[key] as JsonValue);
      this.#finish(mixFirst(keyFirst, this.first), mixSecond(keySecond, this.second));
      // A sum does not depend on the order of its members.
      first = (first + this.first) | 0;
      second = (second + this.second) | 0;
    }
    this.#tag(seeds.object);
    this.#finish(
      mixFirst(mixFirst(this.first, first), keys.length),
      mixSecond(mixSecond(this.second, second), keys.length),
    );
  }

  #string(text: string, seed: number): void {
    let first = seed;
    let second = seed ^ text.length;
    const even = text.length & ~1;
    for (let at = 0; at < even; at += 2) {
      const pair = text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16);
      first = Math.imul(first ^ pair, firstPrime);
      // A turned word lets high bits reach low ones; a product alone never does.
      second = Math.imul(((second << 13) | (second >>> 19)) ^ pair, secondPrime);
      first ^= first >>> 15;
    }
    if (even < text.length) {
      const last = text.charCodeAt(even);
      first = mixFirst(first, last);
      second = mixSecond(second, last);
    }
    this.#finish(first, second);
  }

  #number(value: number): void {
    if (Object.is(value, -0)) {
      this.#string("-0", seeds.bigNumber);
    } else if ((value | 0) === value) {
      this.#finish(mixFirst(seeds.integer, value), mixSecond(seeds.integer, value));
    } else {
      this.#scratch.setFloat64(0, value);
      const high = this.#scratch.getInt32(0);
      const low = this.#scratch.getInt32(4);
      this.#finish(
        mixFirst(mixFirst(seeds.double, high), low),
        mixSecond(mixSecond(seeds.double, low), high),
      );
    }
  }

  #bigNumber(value: JsonNumber): void {
    if (isExactDouble(value.source)) this.#number(Number(value.source));
    else this.#string(canonicalNumber(value.source), seeds.bigNumber);
  }

  #tag(seed: number): void {
    this.#finish(mixFirst(seed, seed), mixSecond(seed, seed));
  }

  /** Spreads every bit of both lanes over both lanes. */
  #finish(first: number, second: number): void {
    let one = Math.imul(first ^ (first >>> 16), 2_246_822_507);
    one ^= Math.imul(second ^ (second >>> 13), 3_266_489_909);
    let other = Math.imul(second ^ (second >>> 16), 2_246_822_507);
    other ^= Math.imul(one ^ (one >>> 13), 3_266_489_909);
    this.first = one | 0;
    this.second = other | 0;
  }
}

function mixFirst(hash: number, word: number): number {
  const mixed = Math.imul(hash ^ word, firstPrime);
  return mixed ^ (mixed >>> 15);
}

function mixSecond(hash: number, word: number): number {
  return Math.imul(((hash << 13) | (hash >>> 19)) ^ word, secondPrime);
}

function hexadecimal(word: number): string {
  return (word >>> 0).toString(16).padStart(8, "0");
}
