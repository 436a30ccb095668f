import { unclosedBrackets } from "./brackets.ts";
import { JsonReadError } from "./json-read-error.ts";
import type { JsonValue } from "./json-value.ts";
import { isExactDouble, isNormal, numberTokenEnd, shortestInexact } from "./number-token.ts";
import { type ReadLimits, type ReadOptions, readLimits } from "./read-limits.ts";
import { type JsonReading, scanJson } from "./scanner.ts";

export { JsonReadError, type JsonReadErrorCode } from "./json-read-error.ts";
export type { ReadOptions } from "./read-limits.ts";
export type { DuplicateKey, JsonReading } from "./scanner.ts";

const byteOrderMark = 0xfeff;
const quote = 0x22;
const backslash = 0x5c;

/** Texts below it cannot cost much however they nest. */
const bracketCheckFrom = 16_384;

/**
 * Reads one JSON document as strictly as `JSON.parse`, but exactly: numbers that a double would change become
 * `JsonNumber` (R7), repeated keys are told (R26), limits are kept (R16), and a byte order mark is skipped.
 * Throws `JsonReadError` with code `invalid-json`, `depth-exceeded`, `number-too-long` or `too-many-nodes`; which of
 * two faults is named depends on which stands first. Time is linear in the text.
 */
export function readJson(text: string, options?: ReadOptions): JsonReading {
  const limits = readLimits(options);
  // The native parser is tried first; whatever is special in any way is left to the scanner, which then also
  // knows the place of a fault.
  const value = isBracketHeavy(text) ? undefined : readPlain(text, limits);
  return value === undefined ? scan(text, limits) : { value, duplicates: [] };
}

/** A text that nests too deeply and is no JSON at all is told as the latter: no greater limit would help it. */
function scan(text: string, limits: ReadLimits): JsonReading {
  try {
    return scanJson(text, limits);
  } catch (error) {
    if (!(error instanceof JsonReadError) || error.code !== "depth-exceeded") throw error;
    const unclosed = unclosedBrackets(text);
    if (unclosed === 0) throw error;
    const detail = unclosed > 0 ? `${unclosed} brackets are never closed` : "more is closed than opened";
    throw new JsonReadError("invalid-json", { offset: text.length, detail });
  }
}

/** The value where the native parser and the cheap checks prove that nothing is lost by them; else `undefined`. */
function readPlain(text: string, limits: ReadLimits): JsonValue | undefined {
  if (limits.maxNumberLength < shortestInexact) return undefined;
  let value: JsonValue;
  try {
    value = JSON.parse(text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text) as JsonValue;
  } catch {
    return undefined;
  }
  const census = takeCensus(value, limits);
  if (census === undefined) return undefined;
  if (census.hasZero && hasTinyExponent(text)) return undefined;
  if (countKeys(text) !== census.keys) return undefined;
  // Every number token has left a number in the tree, now that no key was repeated.
  if (census.numbers > 0 && hasInexactNumber(text, limits.maxNumberLength)) return undefined;
  return value;
}

interface Census {
  nodes: number;
  keys: number;
  numbers: number;
  hasZero: boolean;
}

/** Counts a tree; `undefined` where a limit is passed or a number is not surely exact. */
function takeCensus(value: JsonValue, limits: ReadLimits): Census | undefined {
  // A key that somebody has put on `Object.prototype` would be counted in every object, and could hide a repeated one.
  for (const _inherited in {}) return undefined;
  const census: Census = { nodes: 0, keys: 0, numbers: 0, hasZero: false };
  return isOrdinary(value, limits.maxDepth, census) && census.nodes <= limits.maxNodes ? census : undefined;
}

/** Recursion is bounded by `depthLeft`, which is at most 1,024. */
function isOrdinary(value: JsonValue, depthLeft: number, census: Census): boolean {
  census.nodes += 1;
  if (typeof value === "number") return isOrdinaryNumber(value, census);
  if (typeof value !== "object" || value === null) return true;
  if (depthLeft === 0) return false;
  if (Array.isArray(value)) {
    const array = value as readonly JsonValue[];
    for (let index = 0; index < array.length; index += 1) {
      if (!isOrdinary(array[index] as JsonValue, depthLeft - 1, census)) return false;
    }
    return true;
  }
  const object = value as { readonly [key: string]: JsonValue };
  // The fastest way over the keys; `takeCensus` has made sure that none is inherited.
  for (const key in object) {
    census.keys += 1;
    if (!isOrdinary(object[key] as JsonValue, depthLeft - 1, census)) return false;
  }
  return true;
}

/** Short tokens lose something only by over- or underflow and by the sign of zero; long ones are looked at as text. */
function isOrdinaryNumber(value: number, census: Census): boolean {
  census.numbers += 1;
  if (value !== 0) return isNormal(value);
  census.hasZero = true;
  return !Object.is(value, -0);
}

/** Whether the text may hold a number that a double takes for zero: that needs an exponent of three digits. */
function hasTinyExponent(text: string): boolean {
  for (let at = text.indexOf("-"); at >= 0; at = text.indexOf("-", at + 1)) {
    const isExponent = (text.charCodeAt(at - 1) | 0x20) === 0x65;
    if (isExponent && [1, 2, 3].every((distance) => isDigit(text.charCodeAt(at + distance)))) return true;
  }
  return false;
}

/**
 * Counts the places in a valid text that look like the end of a key: a quote that is not escaped, blanks, a colon.
 * Every key is counted, a string that begins with a colon too; so where the count equals the number of keys in the
 * tree, no key was repeated. None at all (-1) where a key has an escape: `JSON.parse` of Node 24.21 now and then reads
 * such a key as another one (20.20 and 22.23 do not), so it is not asked.
 */
function countKeys(text: string): number {
  let count = 0;
  for (let at = text.indexOf(":"); at >= 0; at = text.indexOf(":", at + 1)) {
    let before = at - 1;
    let code = text.charCodeAt(before);
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) {
      before -= 1;
      code = text.charCodeAt(before);
    }
    if (code !== quote || isEscaped(text, before)) continue;
    if (keyHasEscape(text, before)) return -1;
    count += 1;
  }
  return count;
}

/** Whether there is a backslash between a closing quote and the quote before it, or right before that one. */
function keyHasEscape(text: string, end: number): boolean {
  for (let at = end - 1; at >= 0; at -= 1) {
    const code = text.charCodeAt(at);
    if (code === backslash) return true;
    if (code === quote) return text.charCodeAt(at - 1) === backslash;
  }
  return false;
}

function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === backslash) before -= 1;
  return (at - before) % 2 === 0;
}

/**
 * Whether a valid text may hold a number token of 16 or more characters that a double would change. Looks at every
 * 16th character only: a longer run of the characters of numbers cannot slip through.
 */
function hasInexactNumber(text: string, maxNumberLength: number): boolean {
  const length = text.length;
  let free = 0;
  for (let at = shortestInexact - 1; at < length; at += shortestInexact) {
    if (!isNumeric(text.charCodeAt(at))) continue;
    let start = at;
    while (start > free && isNumeric(text.charCodeAt(start - 1))) start -= 1;
    let end = at + 1;
    while (end < length && isNumeric(text.charCodeAt(end))) end += 1;
    if (end - start >= shortestInexact && mayBeInexact(text, start, end, maxNumberLength)) return true;
    // Nothing before `end` belongs to another run, so no character is walked over twice.
    free = end;
    while (at + shortestInexact < end) at += shortestInexact;
  }
  return false;
}

function mayBeInexact(text: string, start: number, end: number, maxNumberLength: number): boolean {
  // Within quotes it is a string: the character before a number token is a blank, a colon, a comma or a bracket.
  if (start > 0 && !isBeforeValue(text.charCodeAt(start - 1))) return false;
  if (isEmbeddedMember(text, start)) return false;
  if (numberTokenEnd(text, start) !== end) return false;
  return end - start > maxNumberLength || !isExactDouble(text.slice(start, end));
}

/** Whether a number follows an escaped key, as in JSON within a string: the common case of long digits in strings. */
function isEmbeddedMember(text: string, start: number): boolean {
  const colonAt = text.charCodeAt(start - 1) === 0x20 ? start - 2 : start - 1;
  return (
    text.charCodeAt(colonAt) === 0x3a &&
    text.charCodeAt(colonAt - 1) === quote &&
    isEscaped(text, colonAt - 1)
  );
}

function isBeforeValue(code: number): boolean {
  return (
    code === 0x2c ||
    code === 0x3a ||
    code === 0x5b ||
    code === 0x20 ||
    code === 0x0a ||
    code === 0x0d ||
    code === 0x09 ||
    code === byteOrderMark
  );
}

/** A digit, `+`, `-`, `.`, `e` or `E`. */
function isNumeric(code: number): boolean {
  return isDigit(code) || code === 0x2b || code === 0x2d || code === 0x2e || code === 0x65 || code === 0x45;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/**
 * Whether more than every eighth character opens a container. The native parser takes some twenty times as long for
 * a megabyte of open brackets as for a megabyte of rows, and tells nothing before its end; the scanner stops at once.
 */
function isBracketHeavy(text: string): boolean {
  if (text.length < bracketCheckFrom) return false;
  let left = text.length >> 3;
  for (const bracket of ["[", "{"]) {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      left -= 1;
      if (left < 0) return true;
    }
  }
  return false;
}
