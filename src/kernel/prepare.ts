import type { Origin, Traits } from "../adapter.ts";
import type { ErrorCode } from "../errors.ts";
import type { JsonPart, Part, TextPart, ToolResult } from "../ir.ts";
import { isJsonObject } from "../json/json-kind.ts";
import type { JsonObject, JsonValue } from "../json/json-value.ts";
import type { LossCode } from "../losses.ts";
import type { AudiencePolicy, ShapeOptions } from "../options.ts";
import { type Pointer, pointer, rootPointer } from "../pointer.ts";
import { visibilityOf } from "./audience.ts";
import { withTrueMimeType } from "./media.ts";
import { findMirrors } from "./mirror.ts";

/** The two sentences a model may get instead of content (R42). Neither says that anything was shown. */
export const stubs = {
  withheld: "[The tool returned content for the user only. It is not included here.]",
  widget: "[The tool returned an interactive form that cannot be shown here.]",
} as const;

export interface PrepareContext {
  readonly format: string;
  readonly traits: Traits;
  readonly policy: AudiencePolicy;
  readonly origin: Origin;
  /** Whether the audience counts as settled: the target is where the result came from. */
  readonly isOwn: boolean;
  readonly options: ShapeOptions;
  readonly maxDepth: number;
  readonly foldMirrors: boolean;
  lose(code: LossCode, place: Pointer, detail: string): void;
  fail(code: ErrorCode, place: Pointer, detail: string): never;
}

/** A result as its target may have it. */
export interface Prepared {
  readonly result: ToolResult;
  /** For each part its position in the original content; undefined for one that is ours. */
  readonly sources: readonly (number | undefined)[];
}

/** A part on its way to the target; `source` is its position in the original content. */
interface Slot {
  readonly part: Part;
  readonly source: number | undefined;
}

/**
 * Turns a result into what the target may get: the audience policy (R40 to R44), mirrors (R5), MIME types (R61), the
 * error message where the target has no field for it. This is the one guard between user-only content and a model:
 * an adapter never sees what it must not write. Places are IR pointers into the original.
 */
export function prepare(original: ToolResult, context: PrepareContext): Prepared {
  if (context.traits.structured === "verbatim") return untouched(original);
  const guarded = guard(original, context);
  if (context.origin.format === context.format) {
    return stubbed(tellError(guarded, original, context), original, context);
  }
  const mirrored =
    context.traits.structured === "content"
      ? fold(guarded, context)
      : liftAndFold(guarded, original, context);
  const typed = mirrored.slots.map((slot) => trueType(slot, context));
  const told = tellError({ ...mirrored, slots: typed }, original, context);
  return stubbed(told, original, context);
}

function untouched(result: ToolResult): Prepared {
  return { result, sources: result.content.map((_, index) => index) };
}

interface Draft {
  readonly slots: readonly Slot[];
  /** Everything but the content. */
  readonly rest: Omit<ToolResult, "content">;
  /** Whether anything was kept from the model. */
  readonly withheld: boolean;
}

/** Audience: what goes to no content of this target, `structuredContent` and the error message included. */
function guard(original: ToolResult, context: PrepareContext): Draft {
  const { content, ...rest } = original;
  const kept: Slot[] = [];
  const hidden: Part[] = [];
  for (const [index, part] of content.entries()) {
    if (staysOut(part, pointer(rootPointer, "content", index), context)) hidden.push(part);
    else kept.push({ part, source: index });
  }
  const draft = guardError({ slots: kept, rest, withheld: hidden.length > 0 }, hidden, context);
  const secret = hidden.filter((part) => visibilityOf(part) !== "assistant");
  return secret.length === 0 ? draft : guardStructured(withUserVariable(draft, secret, context), context);
}

function staysOut(part: Part, place: Pointer, context: PrepareContext): boolean {
  const visibility = visibilityOf(part);
  switch (visibility) {
    case "everyone":
      return false;
    case "unknown":
      if (context.isOwn) return false;
      context.lose("audience-unknown", place, "kept out of the content: none of its roles is known");
      return true;
    case "assistant":
      if (context.isOwn || !context.traits.showsModelText) return false;
      if (context.options.assistantOnly === "withhold") {
        context.lose("assistant-only-withheld", place, "kept out of the content");
        return true;
      }
      context.lose("assistant-only-may-show", place, "written where users may see it");
      return false;
    case "user":
      return userOnlyStaysOut(place, context);
  }
}

function userOnlyStaysOut(place: Pointer, context: PrepareContext): boolean {
  switch (context.policy) {
    case "reject":
      return context.fail("audience-refused", place, "the content is for the user only");
    case "withhold":
      context.lose("user-only-withheld", place, "kept out of the content");
      return true;
    case "native":
      // A target whose readers take everything for the model has no way to say it natively.
      if (context.isOwn || context.traits.audience === "native") return false;
      context.lose("user-only-exposed", place, "written where the model reads it");
      return false;
    case "expose":
      if (context.traits.audience !== "native") {
        context.lose("user-only-exposed", place, "written where the model reads it");
      }
      return false;
  }
}

/** R41: structured content may repeat what was withheld, unless a part that the model reads already says it. */
function guardStructured(draft: Draft, context: PrepareContext): Draft {
  const { structuredContent, ...rest } = draft.rest;
  if (structuredContent === undefined || context.options.structured === "show") return draft;
  const visible = { content: draft.slots.map((slot) => slot.part), structuredContent };
  if (findMirrors(visible, context.maxDepth).some((group) => group.structured && group.parts.length > 0))
    return draft;
  context.lose(
    "structured-withheld",
    pointer(rootPointer, "structuredContent"),
    "withheld with the user-only content; `structured: show` lets it through",
  );
  return { ...draft, rest, withheld: true };
}

function guardError(draft: Draft, hidden: readonly Part[], context: PrepareContext): Draft {
  const { error, ...rest } = draft.rest;
  if (error === undefined) return draft;
  const repeats = hidden.some((part) => part.type === "text" && part.text === error.message);
  if (!repeats) return draft;
  context.lose(
    "user-only-withheld",
    pointer(rootPointer, "error"),
    "the message repeats a text for the user only",
  );
  return { ...draft, rest };
}

/** R40: the texts also go to a Dify workflow variable where the option names one. */
function withUserVariable(draft: Draft, hidden: readonly Part[], context: PrepareContext): Draft {
  const name = context.options.userVariable;
  if (name === undefined || context.format !== "dify") return draft;
  const texts = hidden.flatMap((part) =>
    part.type === "text" && visibilityOf(part) === "user" ? [part.text] : [],
  );
  const own: JsonObject = { ...draft.rest.extensions?.dify, userVariable: { name, texts } };
  return { ...draft, rest: { ...draft.rest, extensions: { ...draft.rest.extensions, dify: own } } };
}

/** One channel: each group of mirrors becomes one part in the JSON form, at the place of its first (R5). */
function fold(draft: Draft, context: PrepareContext): Draft {
  if (!context.foldMirrors) return draft;
  const result = { ...draft.rest, content: draft.slots.map((slot) => slot.part) };
  const replaced = new Map<number, Slot | undefined>();
  let rest = draft.rest;
  for (const group of findMirrors(result, context.maxDepth)) {
    const [first, ...others] = audienceOfFirst(group.parts, draft.slots);
    if (first === undefined) continue;
    if (group.structured && !isJsonObject(group.value) && !Array.isArray(group.value)) {
      // A scalar is text in such a target in any form: the part that says it stays as it is.
      const { structuredContent: _, ...without } = rest;
      rest = without;
      context.lose(
        "mirror-folded",
        pointer(rootPointer, "structuredContent"),
        "a part of the content says it",
      );
      continue;
    }
    replaced.set(first, asJson(draft.slots[first] as Slot, group.value, context));
    if (group.structured) {
      context.lose(
        "mirror-folded",
        pointer(rootPointer, "structuredContent"),
        "a part of the content says it",
      );
    }
    for (const other of others) {
      replaced.set(other, undefined);
      context.lose("mirror-folded", placeOf(draft.slots[other] as Slot), "an earlier part says it");
    }
  }
  const slots = draft.slots.flatMap((slot, index) => {
    const instead = replaced.has(index) ? replaced.get(index) : slot;
    return instead === undefined ? [] : [instead];
  });
  return { ...draft, slots, rest };
}

/** Parts of another audience than the group's first are not its copies (R4). */
function audienceOfFirst(parts: readonly number[], slots: readonly Slot[]): readonly number[] {
  const [first] = parts;
  if (first === undefined) return [];
  const wanted = visibilityOf((slots[first] as Slot).part);
  return parts.filter((index) => visibilityOf((slots[index] as Slot).part) === wanted);
}

function asJson(slot: Slot, value: JsonValue, context: PrepareContext): Slot {
  if (slot.part.type === "json") return slot;
  const { text: _, type: __, ...common } = slot.part as TextPart;
  context.lose("text-as-json", placeOf(slot), "the text repeats a JSON value, which is written instead");
  const part: JsonPart = { type: "json", value, ...common };
  return { part, source: slot.source };
}

/** Two channels: a json part that a text repeats is not written twice, and the only JSON object is lifted. */
function liftAndFold(draft: Draft, original: ToolResult, context: PrepareContext): Draft {
  const result = { ...draft.rest, content: draft.slots.map((slot) => slot.part) };
  const dropped = new Set<number>();
  for (const group of context.foldMirrors ? findMirrors(result, context.maxDepth) : []) {
    const texts = group.parts.filter((index) => draft.slots[index]?.part.type === "text");
    for (const index of group.parts) {
      const { part } = draft.slots[index] as Slot;
      const repeated = texts.some(
        (at) => visibilityOf((draft.slots[at] as Slot).part) === visibilityOf(part),
      );
      if (part.type !== "json" || !repeated) continue;
      dropped.add(index);
      context.lose("mirror-folded", placeOf(draft.slots[index] as Slot), "a text of the result says it");
    }
  }
  const lifted = lift(draft, original, context);
  if (lifted !== undefined && context.options.mirror === "structured") dropped.add(lifted.index);
  const slots = draft.slots.filter((_, index) => !dropped.has(index));
  return lifted === undefined
    ? { ...draft, slots }
    : { ...draft, slots, rest: { ...draft.rest, structuredContent: lifted.value } };
}

/** The only JSON object of a result without structured content, where the model may read it (section 3). */
function lift(
  draft: Draft,
  original: ToolResult,
  context: PrepareContext,
): { index: number; value: JsonValue } | undefined {
  if (original.structuredContent !== undefined || context.options.mirror === "text") return undefined;
  const objects = original.content.filter((part) => part.type === "json" && isJsonObject(part.value));
  if (objects.length !== 1) return undefined;
  const index = draft.slots.findIndex((slot) => slot.part === objects[0]);
  const slot = draft.slots[index];
  if (slot?.part.type !== "json" || visibilityOf(slot.part) === "user") return undefined;
  context.lose("mirror-added", placeOf(slot), "the only JSON object is also written as `structuredContent`");
  return { index, value: slot.part.value };
}

function trueType(slot: Slot, context: PrepareContext): Slot {
  const part = withTrueMimeType(slot.part);
  if (part === slot.part) return slot;
  const written = "mimeType" in part ? part.mimeType : undefined;
  context.lose("mime-corrected", placeOf(slot), `written as ${written ?? "no type"}`);
  return { part, source: slot.source };
}

/** The message becomes the last text where the target has no field for it, unless a text says it already. */
function tellError(draft: Draft, original: ToolResult, context: PrepareContext): Draft {
  const message = draft.rest.error?.message;
  if (context.traits.errorField || original.status !== "error" || message === undefined) return draft;
  if (draft.slots.some(({ part }) => part.type === "text" && part.text === message)) return draft;
  context.lose(
    "error-detail-dropped",
    pointer(rootPointer, "error"),
    "the message is written as the last text",
  );
  return { ...draft, slots: [...draft.slots, { part: { type: "text", text: message }, source: undefined }] };
}

/** R42: a stub where something was kept from the model and it would get nothing. */
function stubbed(draft: Draft, original: ToolResult, context: PrepareContext): Prepared {
  const widgetLost = original.widget !== undefined && !context.traits.widget;
  const needed =
    draft.slots.length === 0 && draft.rest.structuredContent === undefined && (draft.withheld || widgetLost);
  const slots = needed ? [stub(draft.withheld, context)] : draft.slots;
  return {
    result: { ...draft.rest, content: slots.map((slot) => slot.part) },
    sources: slots.map((slot) => slot.source),
  };
}

function stub(withheld: boolean, context: PrepareContext): Slot {
  context.lose("stub-added", pointer(rootPointer, "content"), "a fixed sentence is written");
  return { part: { type: "text", text: withheld ? stubs.withheld : stubs.widget }, source: undefined };
}

function placeOf(slot: Slot): Pointer {
  return slot.source === undefined ? rootPointer : pointer(rootPointer, "content", slot.source);
}
