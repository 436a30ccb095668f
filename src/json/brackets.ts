const quote = 0x22;
const backslash = 0x5c;

/**
 * How many containers a text opens and never closes, strings left aside; negative where it closes more. For a text
 * that nests too deeply to be read: it tells a broken one from a deep one. One linear look, nothing is built.
 */
export function unclosedContainers(text: string): number {
  let open = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = stringEnd(text, at);
    else if (code === 0x5b || code === 0x7b) open += 1;
    else if (code === 0x5d || code === 0x7d) open -= 1;
  }
  return open;
}

/** The position of the closing quote of the string that begins at `start`, or the end of the text. */
function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === backslash) at += 1;
    else if (code === quote) return at;
  }
  return text.length;
}
