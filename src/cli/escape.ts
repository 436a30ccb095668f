// biome-ignore-start lint/suspicious/noControlCharactersInRegex: these characters are what it is about.
/** What a terminal would obey instead of showing: C0 and C1 controls, DEL, line separators, text direction. */
const obeyed = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;
const obeyedButLayout = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: as above.

/** Foreign text on one line, with `\uXXXX` for each character that a terminal would obey. */
export function printable(text: string): string {
  return text.replace(obeyed, escaped);
}

/** The same for text of several lines. JSON text stays the same JSON. */
export function printableLines(text: string): string {
  return text.replace(obeyedButLayout, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
