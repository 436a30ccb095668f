/** The known word with the fewest edits to `word`, if it is near enough to be meant; the first one of equals. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  // Whoever writes the beginning of a word means that word.
  const begun = word.length < 3 ? undefined : known.find((candidate) => candidate.startsWith(word));
  if (begun !== undefined) return begun;
  const bound = Math.max(2, Math.floor(word.length / 3));
  let best: string | undefined;
  let bestEdits = bound + 1;
  for (const candidate of known) {
    // The length difference is a lower bound, so long hostile words cost nothing.
    if (Math.abs(candidate.length - word.length) > bound) continue;
    const edits = editDistance(word, candidate);
    if (edits < bestEdits) {
      best = candidate;
      bestEdits = edits;
    }
  }
  return best;
}

function editDistance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const replaced = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[right.length] ?? 0;
}
