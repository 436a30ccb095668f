import { pointer, rootPointer } from "../pointer.ts";
import { isJsonNumber, JsonNumber } from "./json-number.ts";
import { JsonReadError, type JsonReadErrorCode } from "./json-read-error.ts";
import type { JsonValue } from "./json-value.ts";
import { type ReadLimits, type ReadOptions, readLimits } from "./read-limits.ts";

/**
 * Checks that a value in memory is JSON and returns it, itself where it already is. `bigint` becomes a number or a
 * `JsonNumber` and `-0` a `JsonNumber` (R7): then only the containers on the way to them are copied. Never mutates.
 * Throws `JsonReadError`: `invalid-value` for anything JSON cannot say (`undefined`, not-a-number, functions, dates,
 * instances of classes, holes, cycles), or a limit's code; the pointer names the place, the message the kind.
 * Properties that are not enumerable or have a symbol for a key are not seen, as with `JSON.stringify`.
 */
export function fromValue(input: unknown, options?: ReadOptions): JsonValue {
  const walk: Walk = { limits: readLimits(options), path: [], open: new Set(), nodes: 0 };
  try {
    return read(input, walk);
  } catch (error) {
    if (error instanceof JsonReadError) throw error;
    // A getter or a proxy of the caller's threw; the path stands where it did.
    return refuse(walk, "something that cannot be read");
  }
}

interface Walk {
  readonly limits: ReadLimits;
  /** Keys and positions from the root to where the walk is. */
  readonly path: (string | number)[];
  /** The containers on that path: one met again below itself is a cycle. */
  readonly open: Set<object>;
  nodes: number;
}

/** Recursion is bounded by the depth limit, which is at most 1,024. */
function read(value: unknown, walk: Walk): JsonValue {
  walk.nodes += 1;
  if (walk.nodes > walk.limits.maxNodes)
    fail(walk, "too-many-nodes", `more than ${walk.limits.maxNodes} values`);
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return readNumber(value, walk);
    case "bigint":
      return readBigInt(value, walk);
    case "object":
      return value === null || isJsonNumber(value) ? readLeaf(value, walk) : readContainer(value, walk);
    default:
      return refuse(walk, typeof value === "undefined" ? "undefined" : `a ${typeof value}`);
  }
}

function readLeaf(value: null | JsonNumber, walk: Walk): JsonValue {
  if (value !== null && value.source.length > walk.limits.maxNumberLength) failNumberLength(walk);
  return value;
}

function readNumber(value: number, walk: Walk): JsonValue {
  if (!Number.isFinite(value)) return refuse(walk, Number.isNaN(value) ? "NaN" : "an infinite number");
  return Object.is(value, -0) ? new JsonNumber("-0") : value;
}

function readBigInt(value: bigint, walk: Walk): JsonValue {
  // Printing takes more than linear time, so a giant must be refused before; four bits hold no more than a digit.
  if (BigInt.asIntN(walk.limits.maxNumberLength * 4, value) !== value) failNumberLength(walk);
  const text = String(value);
  if (text.length > walk.limits.maxNumberLength) failNumberLength(walk);
  return String(Number(value)) === text ? Number(value) : new JsonNumber(text);
}

function readContainer(value: object, walk: Walk): JsonValue {
  if (walk.open.has(value)) return refuse(walk, "a cycle");
  const isArray = Array.isArray(value);
  if (!isArray && !isPlainObject(value))
    return refuse(walk, value instanceof Date ? "a date" : "an instance of a class");
  if (walk.path.length >= walk.limits.maxDepth) {
    fail(walk, "depth-exceeded", `nested deeper than ${walk.limits.maxDepth} containers`);
  }
  walk.open.add(value);
  const result = isArray ? readArray(value, walk) : readObject(value as Record<string, unknown>, walk);
  walk.open.delete(value);
  return result;
}

function readArray(array: readonly unknown[], walk: Walk): JsonValue {
  let copy: JsonValue[] | undefined;
  for (let index = 0; index < array.length; index += 1) {
    walk.path.push(index);
    if (!Object.hasOwn(array, index)) refuse(walk, "a hole in an array");
    const item = array[index];
    const kept = read(item, walk);
    walk.path.pop();
    if (copy === undefined && !Object.is(kept, item)) copy = array.slice() as JsonValue[];
    if (copy !== undefined) copy[index] = kept;
  }
  return copy ?? (array as readonly JsonValue[]);
}

function readObject(object: { readonly [key: string]: unknown }, walk: Walk): JsonValue {
  let copy: Record<string, JsonValue> | undefined;
  for (const key of Object.keys(object)) {
    walk.path.push(key);
    const member = object[key];
    const kept = read(member, walk);
    walk.path.pop();
    // A spread defines own properties, so a key named `__proto__` stays one; assigning to it then keeps it so.
    if (copy === undefined && !Object.is(kept, member)) copy = { ...object } as Record<string, JsonValue>;
    if (copy !== undefined) copy[key] = kept;
  }
  return copy ?? (object as { readonly [key: string]: JsonValue });
}

/** A literal, the result of a parser, or an object without a prototype; of another realm too. */
function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return true;
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype as object, "isPrototypeOf");
}

function failNumberLength(walk: Walk): never {
  return fail(walk, "number-too-long", `a number of more than ${walk.limits.maxNumberLength} characters`);
}

function refuse(walk: Walk, received: string): never {
  return fail(walk, "invalid-value", `expected a JSON value, received ${received}`);
}

function fail(walk: Walk, code: JsonReadErrorCode, detail: string): never {
  throw new JsonReadError(code, { pointer: pointer(rootPointer, ...walk.path), detail });
}
