import * as fc from "fast-check";
import { isConversionError } from "../errors.ts";

/** One rule that holds for every value of an arbitrary; a test runner calls `run` in a test named `name`. */
export interface Law {
  readonly name: string;
  /**
   * Checks the law with `runs` random values. Throws an `Error` that names the law, the seed, the smallest value
   * found that breaks it, and how.
   */
  run(runs: number, seed: number): void;
}

/** Makes a law: `check` throws where it does not hold for a value, `show` tells the value in one line. */
export function law<Value>(
  name: string,
  values: fc.Arbitrary<Value>,
  show: (value: Value) => string,
  check: (value: Value) => void,
): Law {
  return {
    name,
    run: (runs, seed) => {
      const outcome = fc.check(fc.property(values, check), { numRuns: runs, seed });
      if (!outcome.failed) return;
      const [value] = outcome.counterexample ?? [];
      throw new Error(
        [
          `${name}: broken (seed ${seed}, after ${outcome.numRuns} runs)`,
          `value: ${value === undefined ? "none" : shorten(show(value), 4000)}`,
          reasonOf(outcome.errorInstance),
        ].join("\n"),
      );
    },
  };
}

/** Throws unless two texts are equal, and shows where they begin to differ. */
export function demandEqual(actual: string, expected: string, what: string): void {
  if (actual === expected) return;
  let at = 0;
  while (actual[at] === expected[at]) at += 1;
  const from = Math.max(0, at - 60);
  throw new Error(`${what}\n  expected ${around(expected, from)}\n  received ${around(actual, from)}`);
}

function around(text: string, from: number): string {
  return `${from > 0 ? "…" : ""}${shorten(text.slice(from), 300)}`;
}

function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}

/** A fault of another kind than a broken law is told with the place in the program where it arose. */
function reasonOf(error: unknown): string {
  if (isConversionError(error)) {
    const cause = error.cause === undefined ? "" : `\n  caused by ${reasonOf(error.cause)}`;
    return `ConversionError ${error.code} at "${error.pointer}": ${error.message}${cause}`;
  }
  if (!(error instanceof Error)) return String(error);
  return error.constructor === Error ? error.message : (error.stack ?? error.message);
}
