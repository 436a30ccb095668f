const quote = 0x22;
const backslash = 0x5c;

/**
 * How many containers and strings a text opens and never closes; negative where it closes more containers. For a text
 * that is not read yet: it tells a broken one from a deep one, and a line that goes on. One linear look, nothing is built.
 */
export function unclosedBrackets(text: string): number {
  let open = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = stringEnd(text, at);
      if (at === text.length) open += 1;
    }
    if (code === 0x5b || code === 0x7b) open += 1;
    else if (code === 0x5d || code === 0x7d) open -= 1;
  }
  return open;
}

/** The position of the closing quote of the string that begins at `start`, or the length of the text. */
function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === backslash) at += 1;
    else if (code === quote) return at;
  }
  return text.length;
}
