import { ConversionError } from "../../errors.ts";
import { nearest } from "../../nearest.ts";

/** Something wrong with a configuration, and where it stands. */
export interface ConfigProblem extends Place {
  /** The setting, as in `routes[0].from`; empty for the whole file. */
  readonly path: string;
  /** What is wrong and what would be right; never the value itself, which may be a secret. */
  readonly message: string;
}

/** Where a value stands: in a line of the file, in an environment variable, or in a flag. */
export interface Place {
  /** Name of the file, of the variable, or of the flag. */
  readonly source: string;
  /** From 1; absent where the source is no file. */
  readonly line?: number;
  /** From 1. */
  readonly column?: number;
}

/** Keys and positions that lead to a value. */
export type Path = readonly (string | number)[];

/** Told of problems as they are found. */
export type Report = (place: Place, path: Path, message: string) => void;

/** The places of all values of a configuration. */
export class Places {
  readonly #values = new Map<string, Place>();
  readonly #keys = new Map<string, Place>();
  readonly #whole: Place;

  constructor(whole: Place) {
    this.#whole = whole;
  }

  set(path: Path, value: Place, key: Place = value): void {
    this.#values.set(pathText(path), value);
    this.#keys.set(pathText(path), key);
  }

  /** For a value that comes from elsewhere, with all that is in it. */
  replace(path: Path, place: Place): void {
    const id = pathText(path);
    for (const places of [this.#values, this.#keys]) {
      for (const known of places.keys()) {
        if (known.startsWith(`${id}.`) || known.startsWith(`${id}[`)) places.delete(known);
      }
    }
    this.set(path, place);
  }

  /** Where the value stands; for one that is missing, what it is missing from. */
  of(path: Path): Place {
    for (let length = path.length; length >= 0; length -= 1) {
      const found = this.#values.get(pathText(path.slice(0, length)));
      if (found !== undefined) return found;
    }
    return this.#whole;
  }

  ofKey(path: Path): Place {
    return this.#keys.get(pathText(path)) ?? this.of(path);
  }
}

/** Problems told to one who reads; a file of another kind altogether could have thousands. */
const maxProblems = 20;

/** The problems found in one configuration, in the order of the file. */
export class Problems {
  readonly #found = new Map<string, ConfigProblem>();

  /** Of several about one setting the first is kept: the others mostly follow from it. */
  readonly report: Report = (place, path, message) => {
    const problem = { ...place, path: pathText(path), message };
    const id = path.length > 0 ? problem.path : problemText(problem);
    if (!this.#found.has(id)) this.#found.set(id, problem);
  };

  get list(): readonly ConfigProblem[] {
    return [...this.#found.values()].sort(
      (left, right) => (left.line ?? 0) - (right.line ?? 0) || (left.column ?? 0) - (right.column ?? 0),
    );
  }

  /** Throws `invalid-config` where there are any: one line for each, and in `data.problems` the list. */
  throwAny(): void {
    const { list } = this;
    if (list.length === 0) return;
    const shown = list.slice(0, maxProblems);
    const lines = shown.map(problemText);
    if (list.length > shown.length) lines.push(`and ${list.length - shown.length} more`);
    throw new ConversionError("invalid-config", lines.join("\n"), { data: { problems: shown } });
  }
}

/** `trg.yaml:12:9: routes[0].from: unknown format; did you mean dify?` */
export function problemText({ source, line, column, path, message }: ConfigProblem): string {
  const place = line === undefined || column === undefined ? source : `${source}:${line}:${column}`;
  return path === "" ? `${place}: ${message}` : `${place}: ${path}: ${message}`;
}

/** For a word that is none of those known: the nearest, or all. It does not repeat the word. */
export function unknownText(kind: string, given: unknown, known: readonly string[]): string {
  const near = typeof given === "string" ? nearest(given, known) : undefined;
  return near === undefined
    ? `unknown ${kind}; known: ${known.join(", ") || "none"}`
    : `unknown ${kind}; did you mean ${near}?`;
}

function pathText(path: Path): string {
  return path
    .map((step, index) => {
      if (typeof step === "number") return `[${step}]`;
      const key = /^[A-Za-z_$][\w$-]*$/.test(step) ? step : JSON.stringify(step);
      return index === 0 ? key : `.${key}`;
    })
    .join("");
}
