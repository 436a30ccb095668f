declare const pointerBrand: unique symbol;

/** A JSON Pointer (RFC 6901). Only this file makes one, so a segment can never go unescaped. */
export type Pointer = string & { readonly [pointerBrand]: true };

/** The whole document. */
export const rootPointer = "" as Pointer;

/** The place below `parent` that the segments name, outermost first: keys as they are, array positions from 0. */
export function pointer(parent: Pointer, ...segments: readonly (string | number)[]): Pointer {
  let text: string = parent;
  for (const segment of segments)
    text += `/${typeof segment === "number" ? segment : escapeSegment(segment)}`;
  return text as Pointer;
}

/** The unescaped segments of a JSON Pointer, or `undefined` where the text is none. */
export function parsePointer(text: string): readonly string[] | undefined {
  if (text === "") return [];
  if (!text.startsWith("/") || /~(?![01])/.test(text)) return undefined;
  return text
    .slice(1)
    .split("/")
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function escapeSegment(segment: string): string {
  // Most keys hold neither character, and `replaceAll` costs more than looking.
  if (!segment.includes("~") && !segment.includes("/")) return segment;
  return segment.replaceAll("~", "~0").replaceAll("/", "~1");
}
