import * as z from "zod";
import { fingerprint } from "../fingerprint.ts";
import type { Part, ToolResult } from "../ir.ts";
import { equalJson } from "../json/equal-json.ts";
import type { JsonObject, JsonValue } from "../json/json-value.ts";
import { compact } from "../json/stringify.ts";
import type { Aspect } from "../losses.ts";
import { type Pointer, pointer, rootPointer } from "../pointer.ts";

/**
 * The delta of R31: the smallest value with `apply(delta, base) = target`, where `base` is what the target's own
 * reader makes of the rendered payload and `target` the result it was rendered from. Large values that `base` holds
 * already are named by reference, so that a carry does not repeat the payload.
 */

/** A value that stands in `base`: as it is, as the JSON that the text there reads as, or as the compact JSON of it. */
const referenceSchema = z.strictObject({ as: z.enum(["copy", "json", "text"]), of: z.string() });
const fields = () =>
  z.custom<JsonObject>((value) => typeof value === "object" && value !== null && !Array.isArray(value));

const editSchema = z.strictObject({
  /** Fields with their values. */
  set: fields().exactOptional(),
  /** Fields with a value of `base`. */
  refer: z.record(z.string(), referenceSchema).exactOptional(),
  unset: z.array(z.string()).exactOptional(),
});

const partEditSchema = editSchema.extend({
  /** Position of the part in `base`. */
  at: z.int().nonnegative(),
  /** The part is of another type: of the one in `base` only what every part can hold stays. */
  anew: z.literal(true).exactOptional(),
});

export const deltaSchema = z.strictObject({
  parts: z.array(partEditSchema).exactOptional(),
  /** The content in its order: positions in `base` (after the edits), or a part that `base` does not have. */
  order: z.array(z.union([z.int().nonnegative(), editSchema])).exactOptional(),
  /** Fields of the result except content, `meta` and `toolCallId`. */
  result: editSchema.exactOptional(),
  /** Keys of `meta` that `base` lacks. */
  meta: fields().exactOptional(),
  /** The id that was written and the one that belongs here. */
  callId: z
    .strictObject({ wrote: z.string().exactOptional(), was: z.string().exactOptional() })
    .exactOptional(),
});

type Reference = z.infer<typeof referenceSchema>;
export type Edit = z.infer<typeof editSchema>;
export type PartEdit = z.infer<typeof partEditSchema>;
export type Delta = z.infer<typeof deltaSchema>;

/** One difference, for the losses: `place` is an IR pointer into the target (`""` for what only `base` has). */
export interface Difference {
  readonly aspect: Aspect;
  readonly place: Pointer;
}

export interface Comparison {
  /** Undefined where base and target are the same. */
  readonly delta: Delta | undefined;
  readonly differences: readonly Difference[];
}

/** Fields that say what a part is for or about; each is an aspect of its own. */
const partAspects: Readonly<Record<string, Aspect>> = {
  audience: "audience",
  priority: "annotation",
  lastModified: "annotation",
  meta: "part-meta",
  extensions: "extension",
  fileName: "file-name",
  mimeType: "mime-type",
};

const resultAspects: Readonly<Record<string, Aspect>> = {
  status: "status",
  error: "error",
  structuredContent: "structured",
  widget: "widget",
  logs: "logs",
  extensions: "extension",
};

/** Values shorter than this are carried as they are: a reference would not be smaller. */
const referenceFrom = 48;

/**
 * Compares what came out of the target's reader with the result that went in. `shown[i]` is the position in
 * `target` of the part that part `i` of `base` shows, or undefined. Linear in the size of both. Without
 * `withReferences` the delta repeats every value: for callers that want the differences only.
 */
export function compare(
  base: ToolResult,
  target: ToolResult,
  shown: readonly (number | undefined)[],
  withReferences: boolean,
): Comparison {
  const differences: Difference[] = [];
  const index = withReferences ? new BaseIndex(base) : noReferences;
  const delta: Mutable<Delta> = {};
  compareContent(base, target, shown, index, delta, differences);
  compareResult(base, target, index, delta, differences);
  return { delta: Object.keys(delta).length === 0 ? undefined : delta, differences };
}

/** Finds values in `base`. */
interface References {
  find(value: JsonValue, near: Pointer | undefined): Reference | undefined;
}

const noReferences: References = { find: () => undefined };

type Mutable<Value> = { -readonly [Key in keyof Value]: Value[Key] };

function compareContent(
  base: ToolResult,
  target: ToolResult,
  shown: readonly (number | undefined)[],
  index: References,
  delta: Mutable<Delta>,
  differences: Difference[],
): void {
  const basisOf = new Map<number, number>();
  for (const [at, source] of shown.entries()) {
    if (source === undefined) differences.push({ aspect: "added", place: rootPointer });
    else if (basisOf.has(source))
      differences.push({ aspect: "form", place: pointer(rootPointer, "content", source) });
    else basisOf.set(source, at);
  }
  const parts: PartEdit[] = [];
  const order: (number | Edit)[] = [];
  let last = -1;
  for (const [position, part] of target.content.entries()) {
    const at = basisOf.get(position);
    if (at === undefined) {
      differences.push({ aspect: "left-out", place: pointer(rootPointer, "content", position) });
      order.push(editTo({}, part, index, undefined));
      continue;
    }
    if (at < last) differences.push({ aspect: "order", place: pointer(rootPointer, "content") });
    last = at;
    order.push(at);
    const edit = comparePart(base.content[at] as Part, part, at, position, index, differences);
    if (edit !== undefined) parts.push(edit);
  }
  if (parts.length > 0) delta.parts = parts;
  const asItIs = order.length === base.content.length && order.every((item, at) => item === at);
  if (!asItIs) delta.order = order;
}

function comparePart(
  base: Part,
  target: Part,
  at: number,
  position: number,
  index: References,
  differences: Difference[],
): PartEdit | undefined {
  const changed = changedFields(base, target);
  if (changed.length === 0) return undefined;
  const anew = base.type !== target.type;
  const edit = editTo(anew ? commonOf(base) : base, target, index, pointer(rootPointer, "content", at));
  const place = pointer(rootPointer, "content", position);
  const aspects = new Set<Aspect>();
  if (anew) aspects.add("form");
  for (const field of changed) {
    const aspect = partAspects[field];
    // A part of another type has other fields; what it is for or about is still compared by itself.
    const formField = aspect === undefined || aspect === "file-name" || aspect === "mime-type";
    if (formField && anew) continue;
    aspects.add(aspect ?? "form");
  }
  for (const aspect of aspects) differences.push({ aspect, place });
  return anew ? { at, anew: true, ...edit } : { at, ...edit };
}

/** What every part can hold: it outlives a change of type, so that what was said of a part on the way stays (R32). */
export function commonOf(part: Part): object {
  const { audience, priority, lastModified, meta, extensions } = part;
  const common = { audience, priority, lastModified, meta, extensions };
  return Object.fromEntries(Object.entries(common).filter(([, value]) => value !== undefined));
}

function compareResult(
  base: ToolResult,
  target: ToolResult,
  index: References,
  delta: Mutable<Delta>,
  differences: Difference[],
): void {
  const { content: _, meta: baseMeta, toolCallId: baseId, ...baseRest } = base;
  const { content: __, meta: targetMeta, toolCallId: targetId, ...targetRest } = target;
  // Not stated and `success` are equal here (R50).
  const { status: baseStatus, ...baseFields } = baseRest;
  const { status: targetStatus, ...targetFields } = targetRest;
  const sameStatus = (baseStatus ?? "success") === (targetStatus ?? "success");
  const from = sameStatus ? baseFields : baseRest;
  const to = sameStatus ? targetFields : targetRest;
  const edit = editTo(from, to, index, rootPointer);
  if (Object.keys(edit).length > 0) {
    delta.result = edit;
    for (const field of changedFields(from, to)) {
      differences.push({ aspect: resultAspects[field] ?? "form", place: pointer(rootPointer, field) });
    }
  }
  const meta = Object.entries(targetMeta ?? {}).filter(([key, value]) => !holds(baseMeta, key, value));
  // An empty object is said too, where the base says nothing.
  if (meta.length > 0 || (targetMeta !== undefined && baseMeta === undefined)) {
    delta.meta = Object.fromEntries(meta);
    differences.push({ aspect: "result-meta", place: pointer(rootPointer, "meta") });
  }
  if (baseId !== targetId) {
    delta.callId = {
      ...(baseId === undefined ? {} : { wrote: baseId }),
      ...(targetId === undefined ? {} : { was: targetId }),
    };
    differences.push({ aspect: "call-id", place: pointer(rootPointer, "toolCallId") });
  }
}

function holds(object: JsonObject | undefined, key: string, value: JsonValue): boolean {
  return object !== undefined && Object.hasOwn(object, key) && equalJson(object[key] as JsonValue, value);
}

type Fields = { readonly [field: string]: JsonValue };

/** A part or a result is plain JSON; its type says more than a JSON object's can. */
const asFields = (value: object): Fields => value as Fields;

function changedFields(base: object, target: object): readonly string[] {
  const before = asFields(base);
  const after = asFields(target);
  const changed = Object.keys(after).filter((name) => {
    const value = after[name] as JsonValue;
    // Payloads pass through by reference, so most are the very same.
    if (before[name] === value) return false;
    return !Object.hasOwn(before, name) || !equalJson(before[name] as JsonValue, value);
  });
  for (const name of Object.keys(before)) if (!Object.hasOwn(after, name)) changed.push(name);
  return changed;
}

function editTo(base: object, target: object, index: References, place: Pointer | undefined): Edit {
  const set: [string, JsonValue][] = [];
  const refer: [string, Reference][] = [];
  const unset: string[] = [];
  for (const name of changedFields(base, target)) {
    const value = asFields(target)[name];
    if (value === undefined) unset.push(name);
    else {
      const reference = index.find(value, place);
      if (reference === undefined) set.push([name, value]);
      else refer.push([name, reference]);
    }
  }
  return {
    ...(set.length === 0 ? {} : { set: Object.fromEntries(set) }),
    ...(refer.length === 0 ? {} : { refer: Object.fromEntries(refer) }),
    ...(unset.length === 0 ? {} : { unset }),
  };
}

/** A value is named so often at most; further copies are carried as they are. */
export const mostReferences = 4;

/** Finds large values of `base` again, in one of three forms. Built only when something differs. */
class BaseIndex implements References {
  readonly #base: ToolResult;
  readonly #uses = new Map<string, number>();
  #strings: Map<string, Pointer> | undefined;
  #values: Map<string, Pointer> | undefined;

  constructor(base: ToolResult) {
    this.#base = base;
  }

  /** As `#search`, until a value was named often enough. */
  find(value: JsonValue, near: Pointer | undefined): Reference | undefined {
    const reference = this.#search(value, near);
    if (reference === undefined) return undefined;
    const uses = (this.#uses.get(reference.of) ?? 0) + 1;
    this.#uses.set(reference.of, uses);
    return uses > mostReferences ? undefined : reference;
  }

  /** A reference to `value`, where `base` holds it and it is large; `near` is where it is looked for as JSON text. */
  #search(value: JsonValue, near: Pointer | undefined): Reference | undefined {
    if (typeof value === "string")
      return value.length < referenceFrom ? undefined : this.#findText(value, near);
    if (typeof value !== "object" || value === null) return undefined;
    const at = this.#valuePlaces().get(fingerprint(value));
    if (at !== undefined && equalJson(resolve(this.#base, at) as JsonValue, value))
      return { as: "copy", of: at };
    const text = compact(value);
    const texts = text.length < referenceFrom ? undefined : this.#stringPlaces().get(text);
    return texts === undefined ? undefined : { as: "json", of: texts };
  }

  #findText(text: string, near: Pointer | undefined): Reference | undefined {
    const at = this.#stringPlaces().get(text);
    if (at !== undefined) return { as: "copy", of: at };
    const part = near === undefined ? undefined : resolve(this.#base, near);
    const value =
      (part as Part | undefined)?.type === "json" ? (part as { value: JsonValue }).value : undefined;
    return value !== undefined && near !== undefined && compact(value) === text
      ? { as: "text", of: pointer(near, "value") }
      : undefined;
  }

  #stringPlaces(): Map<string, Pointer> {
    this.#strings ??= this.#collect((value) =>
      typeof value === "string" && value.length >= referenceFrom ? value : undefined,
    );
    return this.#strings;
  }

  #valuePlaces(): Map<string, Pointer> {
    this.#values ??= this.#collect((value) =>
      typeof value === "object" &&
      value !== null &&
      Object.keys(value).length > 0 &&
      compact(value).length >= referenceFrom
        ? fingerprint(value)
        : undefined,
    );
    return this.#values;
  }

  #collect(key: (value: JsonValue) => string | undefined): Map<string, Pointer> {
    const places = new Map<string, Pointer>();
    for (const place of payloadPlaces(this.#base)) {
      const found = key(resolve(this.#base, place) as JsonValue);
      if (found !== undefined && !places.has(found)) places.set(found, place);
    }
    return places;
  }
}

/** Where the payloads of a result stand. */
function payloadPlaces(result: ToolResult): readonly Pointer[] {
  const places: Pointer[] = [];
  const structured = result.structuredContent;
  if (structured !== undefined) {
    const place = pointer(rootPointer, "structuredContent");
    places.push(place);
    if (typeof structured === "object" && structured !== null && Object.hasOwn(structured, "result")) {
      places.push(pointer(place, "result"));
    }
  }
  for (const [index, part] of result.content.entries()) {
    for (const field of ["value", "text", "data"]) {
      if (Object.hasOwn(part, field)) places.push(pointer(rootPointer, "content", index, field));
    }
  }
  return places;
}

/** The value at a pointer, own keys only; undefined where there is none. */
export function resolve(root: unknown, place: string): unknown {
  let value: unknown = root;
  for (const segment of place.split("/").slice(1)) {
    if (typeof value !== "object" || value === null) return undefined;
    const key = segment.replaceAll("~1", "/").replaceAll("~0", "~");
    if (!Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}
