/** The figures of one program; some of them must be as wanted. */
export class Report {
  rows = [];
  /** What went wrong, case by case. */
  faults = [];
  #program;

  constructor(program) {
    this.#program = program;
  }

  /** A figure that only informs. */
  tell(what, value) {
    this.rows.push({ program: this.#program, what, value: shown(value), wanted: "", isRight: undefined });
  }

  /** A figure that must be what `wanted` says. */
  check(what, value, wanted, isRight) {
    this.rows.push({ program: this.#program, what, value: shown(value), wanted, isRight });
  }

  none(what, value) {
    this.check(what, value, "0", value === 0);
  }

  least(what, value, least) {
    this.check(what, value, `at least ${shown(least)}`, value >= least);
  }

  most(what, value, most, unit = "") {
    this.check(what, `${shown(value)}${unit}`, `at most ${shown(most)}${unit}`, value <= most);
  }
}

/** One table over all programs, then `N passed, N failed`. */
export function tableOf(reports) {
  const rows = reports.flatMap(({ rows }) => rows);
  const cells = [
    ["program", "figure", "value", "wanted", ""],
    ...rows.map(({ program, what, value, wanted, isRight }) => [program, what, value, wanted, mark(isRight)]),
  ];
  const widths = cells[0].map((_, column) => Math.max(...cells.map((row) => row[column].length)));
  const lines = cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]))
      .join("  ")
      .trimEnd(),
  );
  const checks = rows.filter(({ isRight }) => isRight !== undefined);
  const failed = checks.filter(({ isRight }) => !isRight).length;
  return { text: `${lines.join("\n")}\n\n${checks.length - failed} passed, ${failed} failed\n`, failed };
}

function mark(isRight) {
  if (isRight === undefined) return "";
  return isRight ? "ok" : "FAILED";
}

function shown(value) {
  return typeof value === "number" ? value.toLocaleString("en", { maximumFractionDigits: 1 }) : String(value);
}

/** How often each word was counted, the most frequent first. */
export class Tally {
  #counts = new Map();

  add(word, count = 1) {
    this.#counts.set(word, this.of(word) + count);
  }

  of(word) {
    return this.#counts.get(word) ?? 0;
  }

  entries() {
    return this.#counts.entries();
  }

  get total() {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  toString() {
    const sorted = [...this.#counts].sort(([, left], [, right]) => right - left);
    return sorted.map(([word, count]) => `${word} ${shown(count)}`).join(", ") || "none";
  }
}

/** The value below which a part of the numbers lies; 0 of none. */
export function quantile(numbers, part) {
  const sorted = [...numbers].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}
