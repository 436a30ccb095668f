import { type Pointer, pointer, rootPointer } from "../pointer.ts";
import { JsonNumber } from "./json-number.ts";
import { JsonReadError, type JsonReadErrorCode } from "./json-read-error.ts";
import type { JsonValue } from "./json-value.ts";
import { isExactDouble, numberTokenEnd } from "./number-token.ts";
import type { ReadLimits } from "./read-limits.ts";

/** A member whose key stood more than once in its object; the last value won (R26). Reported once per member. */
export interface DuplicateKey {
  readonly pointer: Pointer;
  readonly key: string;
}

/** What a JSON text says. */
export interface JsonReading {
  readonly value: JsonValue;
  readonly duplicates: readonly DuplicateKey[];
}

const quote = 0x22;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const comma = 0x2c;
const colon = 0x3a;
const minus = 0x2d;
const byteOrderMark = 0xfeff;

/** Spellings of Python and of JavaScript that no JSON reader takes; worth a name in the error. */
const nonFinite = ["NaN", "Infinity", "-Infinity"] as const;

const literals: readonly (readonly [text: string, value: JsonValue])[] = [
  ["true", true],
  ["false", false],
  ["null", null],
];

/**
 * Reads a JSON text character by character: the exact way, which knows places, spellings and repeated keys.
 * `readJson` gives the same answer faster where the text has nothing special. Throws `JsonReadError`; takes time
 * linear in the text and no stack.
 */
export function scanJson(text: string, limits: ReadLimits): JsonReading {
  return new Scanner(text, limits).document();
}

/** An open container. `position` is the place of the member that is being read. */
interface Frame {
  readonly array: JsonValue[] | undefined;
  readonly object: Record<string, JsonValue>;
  position: string | number;
  pointer: Pointer | undefined;
  repeated: Set<string> | undefined;
}

class Scanner {
  readonly #text: string;
  readonly #limits: ReadLimits;
  readonly #frames: Frame[] = [];
  readonly #duplicates: DuplicateKey[] = [];
  #at: number;
  #nodes = 0;

  constructor(text: string, limits: ReadLimits) {
    this.#text = text;
    this.#limits = limits;
    this.#at = text.charCodeAt(0) === byteOrderMark ? 1 : 0;
  }

  document(): JsonReading {
    let value = this.#beginValue();
    for (let frame = this.#frames.at(-1); frame !== undefined; frame = this.#frames.at(-1)) {
      // An unfinished container has no value yet: its first member comes next.
      if (value !== undefined) {
        this.#add(frame, value);
        value = this.#afterMember(frame);
      } else {
        value = this.#beginValue();
      }
    }
    this.#skipBlanks();
    if (this.#at < this.#text.length) this.#fail("expected the end of the text");
    return { value: value as JsonValue, duplicates: this.#duplicates };
  }

  /** Reads a scalar or an empty container whole; opens another container and returns `undefined`. */
  #beginValue(): JsonValue | undefined {
    this.#skipBlanks();
    this.#nodes += 1;
    if (this.#nodes > this.#limits.maxNodes) {
      this.#fail(`more than ${this.#limits.maxNodes} values`, "too-many-nodes");
    }
    const code = this.#text.charCodeAt(this.#at);
    if (code === quote) return this.#string();
    if (code === openBrace || code === openBracket) return this.#open(code === openBracket);
    return this.#numberOrLiteral();
  }

  #open(isArray: boolean): JsonValue | undefined {
    if (this.#frames.length >= this.#limits.maxDepth) {
      this.#fail(`nested deeper than ${this.#limits.maxDepth} containers`, "depth-exceeded");
    }
    this.#at += 1;
    this.#skipBlanks();
    const array: JsonValue[] | undefined = isArray ? [] : undefined;
    const object: Record<string, JsonValue> = {};
    if (this.#text.charCodeAt(this.#at) === (isArray ? closeBracket : closeBrace)) {
      this.#at += 1;
      return array ?? object;
    }
    const frame: Frame = { array, object, position: 0, pointer: undefined, repeated: undefined };
    this.#frames.push(frame);
    if (!isArray) this.#key(frame);
    return undefined;
  }

  /** After a member: on to the next one (`undefined`), or out of the container, whose value is returned. */
  #afterMember(frame: Frame): JsonValue | undefined {
    this.#skipBlanks();
    const code = this.#text.charCodeAt(this.#at);
    const isArray = frame.array !== undefined;
    if (code === comma) {
      this.#at += 1;
      if (frame.array !== undefined) frame.position = frame.array.length;
      else this.#key(frame);
      return undefined;
    }
    if (code !== (isArray ? closeBracket : closeBrace)) {
      this.#fail(isArray ? "expected ',' or ']'" : "expected ',' or '}'");
    }
    this.#at += 1;
    this.#frames.pop();
    return frame.array ?? frame.object;
  }

  #key(frame: Frame): void {
    this.#skipBlanks();
    if (this.#text.charCodeAt(this.#at) !== quote) this.#fail("expected a key in double quotes");
    frame.position = this.#string();
    this.#skipBlanks();
    if (this.#text.charCodeAt(this.#at) !== colon) this.#fail("expected ':' after a key");
    this.#at += 1;
  }

  #add(frame: Frame, value: JsonValue): void {
    if (frame.array !== undefined) {
      frame.array.push(value);
      return;
    }
    const key = frame.position as string;
    if (Object.hasOwn(frame.object, key)) this.#noteDuplicate(frame, key);
    if (key === "__proto__") {
      // Plain assignment would set the prototype and lose the member.
      Object.defineProperty(frame.object, key, {
        value,
        writable: true,
        enumerable: true,
        configurable: true,
      });
    } else {
      frame.object[key] = value;
    }
  }

  #noteDuplicate(frame: Frame, key: string): void {
    frame.repeated ??= new Set();
    if (frame.repeated.has(key)) return;
    frame.repeated.add(key);
    this.#duplicates.push({ pointer: pointer(this.#pointerOf(this.#frames.length - 1), key), key });
  }

  /** The place of an open container. Kept in its frame, so that a million repeated keys cost their own length only. */
  #pointerOf(depth: number): Pointer {
    let known = depth;
    while (known > 0 && this.#frames[known]?.pointer === undefined) known -= 1;
    let place = this.#frames[known]?.pointer ?? rootPointer;
    for (let index = known; index <= depth; index += 1) {
      const frame = this.#frames[index] as Frame;
      frame.pointer ??= place;
      place = index < depth ? pointer(frame.pointer, frame.position) : frame.pointer;
    }
    return place;
  }

  #string(): string {
    const text = this.#text;
    const start = this.#at;
    let at = start + 1;
    let escaped = false;
    for (;;) {
      const code = text.charCodeAt(at);
      if (code === quote) break;
      if (code === backslash) {
        escaped = true;
        at = this.#escapeEnd(at);
      } else if (code >= 0x20) {
        at += 1;
      } else {
        this.#at = Math.min(at, text.length);
        this.#fail(
          at < text.length ? "a control character in a string must be escaped" : "a string is not closed",
        );
      }
    }
    this.#at = at + 1;
    return escaped ? (JSON.parse(text.slice(start, at + 1)) as string) : text.slice(start + 1, at);
  }

  #escapeEnd(at: number): number {
    const text = this.#text;
    const letter = text[at + 1];
    if (letter !== undefined && '"\\/bfnrt'.includes(letter)) return at + 2;
    if (letter === "u" && /^[0-9A-Fa-f]{4}$/.test(text.slice(at + 2, at + 6))) return at + 6;
    this.#at = at;
    return this.#fail("a string holds an unknown escape");
  }

  #numberOrLiteral(): JsonValue {
    const text = this.#text;
    const start = this.#at;
    const end = numberTokenEnd(text, start);
    if (end < 0) return this.#literal();
    if (end - start > this.#limits.maxNumberLength) {
      this.#fail(`a number of more than ${this.#limits.maxNumberLength} characters`, "number-too-long");
    }
    this.#at = end;
    const token = text.slice(start, end);
    return isExactDouble(token) ? Number(token) : new JsonNumber(token);
  }

  #literal(): JsonValue {
    const start = this.#at;
    for (const [spelling, value] of literals) {
      if (this.#text.startsWith(spelling, start)) {
        this.#at += spelling.length;
        return value;
      }
    }
    for (const spelling of nonFinite) {
      if (this.#text.startsWith(spelling, start)) this.#fail(`${spelling} is not JSON`);
    }
    return this.#fail(this.#looksLikeNumber(start) ? "expected a JSON number" : "expected a value");
  }

  #looksLikeNumber(at: number): boolean {
    const code = this.#text.charCodeAt(at);
    return code === minus || (code >= 0x30 && code <= 0x39);
  }

  #skipBlanks(): void {
    const text = this.#text;
    let at = this.#at;
    for (;;) {
      const code = text.charCodeAt(at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) break;
      at += 1;
    }
    this.#at = at;
  }

  #fail(what: string, code: JsonReadErrorCode = "invalid-json"): never {
    const offset = this.#at;
    const ended = code === "invalid-json" && offset >= this.#text.length ? ", found the end of the text" : "";
    const last = this.#frames.length - 1;
    const place = last < 0 ? rootPointer : pointer(this.#pointerOf(last), this.#frames[last]?.position ?? 0);
    const detail = `${what}${ended} (offset ${offset}, ${lineAndColumn(this.#text, offset)})`;
    throw new JsonReadError(code, { offset, pointer: place, detail });
  }
}

/** Both count from 1; a column is a UTF-16 unit. */
function lineAndColumn(text: string, offset: number): string {
  let line = 1;
  let start = 0;
  for (let at = text.indexOf("\n"); at >= 0 && at < offset; at = text.indexOf("\n", at + 1)) {
    line += 1;
    start = at + 1;
  }
  return `line ${line}, column ${offset - start + 1}`;
}
