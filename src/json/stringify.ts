import sortedStringify from "fast-json-stable-stringify";
import { isJsonNumber, type JsonNumber } from "./json-number.ts";
import type { JsonValue } from "./json-value.ts";

/** How JSON text is laid out. */
export interface StringifyOptions {
  /** Spaces per level, 0 to 10; absent or 0 writes everything on one line. */
  readonly indent?: number;
}

/**
 * The JSON text of a value, as `JSON.stringify` lays it out, with every number in its own digits (R7). Lone
 * surrogates become `\uXXXX` escapes; U+2028 and U+2029 stay as they are. Any depth.
 */
export function stringify(value: JsonValue, options: StringifyOptions = {}): string {
  const indent = Math.min(Math.max(options.indent ?? 0, 0), 10);
  try {
    return JSON.stringify(value, undefined, indent);
  } catch {
    // Either a JsonNumber that this runtime cannot print raw, or more levels than its stack holds. Looking for them
    // beforehand would cost every ordinary value a walk; the own writer does both, slower.
    const native = indent === 0 ? nativeParts(value) : undefined;
    return new Writer({ indent: " ".repeat(indent), isSorted: false, native }).write(value);
  }
}

/** The JSON text of a value on one line. */
export function compact(value: JsonValue): string {
  return stringify(value);
}

/** The JSON text of a value on one line, keys of each object in UTF-16 order, every number in its own digits. */
export function stableStringify(value: JsonValue): string {
  // The library would ask a JsonNumber for a JSON form and write what it gets as an object, so it must not see one.
  if (isPlain(value, fitsStack)) return sortedStringify(value);
  return new Writer({ indent: "", isSorted: true, native: undefined }).write(value);
}

/** Levels that recursion may take here; every supported runtime has room for some thousands. */
const fitsStack = 1024;

function isPlain(value: JsonValue, depthLeft: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (depthLeft === 0 || isJsonNumber(value)) return false;
  return Object.values(value).every((member) => isPlain(member, depthLeft - 1));
}

/** Whether a container may be left to `JSON.stringify`. */
type NativeTest = (container: object) => boolean;

/** Tells the parts without exact numbers; `undefined` where the value is too deep to look through. */
function nativeParts(value: JsonValue): NativeTest | undefined {
  const exact = new Set<object>();
  return markExact(value, fitsStack, exact) === undefined ? undefined : (container) => !exact.has(container);
}

/** Collects the containers with an exact number in them, and says whether `value` is one or has one. */
function markExact(value: JsonValue, depthLeft: number, exact: Set<object>): boolean | undefined {
  if (typeof value !== "object" || value === null) return false;
  if (isJsonNumber(value)) return true;
  if (depthLeft === 0) return undefined;
  let isExact = false;
  for (const member of Array.isArray(value) ? (value as readonly JsonValue[]) : Object.values(value)) {
    const found = markExact(member, depthLeft - 1, exact);
    if (found === undefined) return undefined;
    isExact ||= found;
  }
  if (isExact) exact.add(value);
  return isExact;
}

/** An open container: the members still to write are those from `next` on. */
interface Frame {
  readonly value: JsonValue;
  readonly keys: readonly string[] | undefined;
  readonly length: number;
  next: number;
  isEmpty: boolean;
}

interface Layout {
  readonly indent: string;
  readonly isSorted: boolean;
  readonly native: NativeTest | undefined;
}

/** Writes without recursion what `JSON.stringify` would write, numbers exactly. */
class Writer {
  readonly #indent: string;
  readonly #isSorted: boolean;
  readonly #native: NativeTest | undefined;
  readonly #pieces: string[] = [];
  readonly #frames: Frame[] = [];

  constructor(layout: Layout) {
    this.#indent = layout.indent;
    this.#isSorted = layout.isSorted;
    this.#native = layout.native;
  }

  write(value: JsonValue): string {
    this.#begin(value);
    for (let frame = this.#frames.at(-1); frame !== undefined; frame = this.#frames.at(-1)) {
      if (frame.next < frame.length) this.#member(frame);
      else this.#close(frame);
    }
    return this.#pieces.join("");
  }

  #begin(value: JsonValue): void {
    if (typeof value !== "object" || value === null || isJsonNumber(value)) {
      this.#pieces.push(scalarText(value));
      return;
    }
    if (this.#native?.(value)) {
      this.#pieces.push(JSON.stringify(value));
      return;
    }
    const keys = Array.isArray(value) ? undefined : Object.keys(value);
    if (this.#isSorted) keys?.sort();
    const length = keys === undefined ? (value as readonly JsonValue[]).length : keys.length;
    this.#pieces.push(keys === undefined ? "[" : "{");
    this.#frames.push({ value, keys, length, next: 0, isEmpty: true });
  }

  #member(frame: Frame): void {
    const key = frame.keys?.[frame.next];
    const member = (frame.value as { readonly [key: string | number]: JsonValue | undefined })[
      key ?? frame.next
    ];
    frame.next += 1;
    // Not in the type, but an optional field set to `undefined` gets here all the same; JSON.stringify leaves it out.
    if (member === undefined && key !== undefined) return;
    if (!frame.isEmpty) this.#pieces.push(",");
    frame.isEmpty = false;
    this.#lineBreak();
    if (key !== undefined) this.#pieces.push(JSON.stringify(key), this.#indent === "" ? ":" : ": ");
    this.#begin(member ?? null);
  }

  #close(frame: Frame): void {
    this.#frames.pop();
    if (!frame.isEmpty) this.#lineBreak();
    this.#pieces.push(frame.keys === undefined ? "]" : "}");
  }

  #lineBreak(): void {
    if (this.#indent !== "") this.#pieces.push("\n", this.#indent.repeat(this.#frames.length));
  }
}

function scalarText(value: null | boolean | number | string | JsonNumber): string {
  return isJsonNumber(value) ? value.source : JSON.stringify(value);
}
