import { fingerprint } from "../fingerprint.ts";
import type { Part, ToolResult } from "../ir.ts";
import { equalJson } from "../json/equal-json.ts";
import type { JsonValue } from "../json/json-value.ts";
import { readJson } from "../json/read-json.ts";
import { sameAudience } from "./audience.ts";

/** The value a part can mirror: that of a json part, or what the text of a text part reads as (R5). */
export function mirrorValue(part: Part, maxDepth: number): { readonly value: JsonValue } | undefined {
  if (part.type === "json") return { value: part.value };
  if (part.type !== "text" || !looksLikeJson(part.text)) return undefined;
  try {
    return { value: readJson(part.text, { maxDepth }).value };
  } catch {
    // No JSON, or over the limits: then it is a text and nothing else (R5).
    return undefined;
  }
}

/** Cheap: most texts are no JSON, and reading each as such would cost. */
function looksLikeJson(text: string): boolean {
  const first = /^[\s\uFEFF]*(.)/u.exec(text.slice(0, 256))?.[1];
  return first !== undefined && '{["-0123456789tfn'.includes(first);
}

/** Parts of one result that say the same value; `parts` are positions in the content, in order. */
export interface MirrorGroup {
  readonly value: JsonValue;
  readonly parts: readonly number[];
  /** Whether `structuredContent` is a member too. */
  readonly structured: boolean;
}

/**
 * The groups of mirrors in a result (R5): text and json parts equal to `structuredContent`, and text parts equal to a
 * json part of the same audience. Two json parts are no mirrors of each other, nor two texts. Linear: values are
 * compared only with `structuredContent` and, by group, with the json parts.
 */
export function findMirrors(result: ToolResult, maxDepth: number): readonly MirrorGroup[] {
  const structured = result.structuredContent;
  const jsonParts = result.content.some((part) => part.type === "json");
  if (structured === undefined && !jsonParts) return [];
  const values = result.content.map((part) => mirrorValue(part, maxDepth));
  const groups: MirrorGroup[] = [];
  const taken = new Set<number>();
  if (structured !== undefined) {
    const parts = values.flatMap((held, index) =>
      held !== undefined && equalJson(held.value, structured) ? [index] : [],
    );
    for (const index of parts) taken.add(index);
    groups.push({ value: structured, parts, structured: true });
  }
  const texts = indexTexts(result, values, taken);
  for (const [index, part] of result.content.entries()) {
    if (part.type !== "json" || taken.has(index)) continue;
    const equal = texts
      .get(fingerprint(part.value))
      ?.filter((at) => !taken.has(at) && sameAudience(part, result.content[at] as Part))
      .filter((at) => equalJson(part.value, (values[at] as { value: JsonValue }).value));
    if (equal === undefined || equal.length === 0) continue;
    for (const at of equal) taken.add(at);
    groups.push({ value: part.value, parts: [...equal, index].sort((a, b) => a - b), structured: false });
  }
  return groups;
}

function indexTexts(
  result: ToolResult,
  values: readonly ({ readonly value: JsonValue } | undefined)[],
  taken: ReadonlySet<number>,
): ReadonlyMap<string, number[]> {
  const texts = new Map<string, number[]>();
  for (const [index, held] of values.entries()) {
    if (held === undefined || taken.has(index) || result.content[index]?.type !== "text") continue;
    const key = fingerprint(held.value);
    const list = texts.get(key);
    if (list === undefined) texts.set(key, [index]);
    else list.push(index);
  }
  return texts;
}
