import { dirname, isAbsolute, join } from "node:path";
import { isConversionError } from "../../errors.ts";
import type { Path, Places, Report } from "./problems.ts";

/** Where the texts behind placeholders come from. */
export interface Outside {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The whole text of a file. Throws ConversionError. */
  readonly readFile: (path: string) => Promise<string>;
}

export interface Expanded {
  readonly value: unknown;
  /** Names of the variables that were asked for. */
  readonly variables: ReadonlySet<string>;
}

const placeholder = /\$\$\{|\$\{(?:([^{}]*)\})?/g;

/**
 * The values of a file with `${VAR}`, `${VAR:-default}` and `${file:path}` put in. Only texts are expanded, and only
 * after the file was parsed: what comes in can never become a key, a list or a second placeholder.
 */
export async function expand(
  value: unknown,
  { places, file, outside, report }: { places: Places; file: string; outside: Outside; report: Report },
): Promise<Expanded> {
  const variables = new Set<string>();

  const within = async (given: unknown, path: Path): Promise<unknown> => {
    if (typeof given === "string") return text(given, path);
    if (Array.isArray(given)) {
      return Promise.all(given.map((item: unknown, index) => within(item, [...path, index])));
    }
    if (typeof given !== "object" || given === null) return given;
    const entries = Object.entries(given).map(
      async ([key, item]: [string, unknown]) => [key, await within(item, [...path, key])] as const,
    );
    return Object.fromEntries(await Promise.all(entries));
  };

  const text = async (given: string, path: Path): Promise<string> => {
    let whole = "";
    let end = 0;
    for (const match of given.matchAll(placeholder)) {
      const inserted = match[0] === "$${" ? "${" : await behind(match[1], path);
      whole += given.slice(end, match.index) + inserted;
      end = match.index + match[0].length;
    }
    return whole + given.slice(end);
  };

  const behind = async (inner: string | undefined, path: Path): Promise<string> => {
    const fault = (message: string) => {
      report(places.of(path), path, message);
      return "";
    };
    if (inner?.startsWith("file:")) return fromFile(inner.slice("file:".length), fault);
    const [, name, fallback] = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s.exec(inner ?? "") ?? [];
    if (name === undefined) {
      return fault(
        // biome-ignore lint/suspicious/noTemplateCurlyInString: these are the placeholders themselves.
        "expected ${NAME}, ${NAME:-default} or ${file:path}; a ${ of the text itself is written $${",
      );
    }
    variables.add(name);
    const set = outside.environment[name];
    // An empty variable is none, as a line `NAME=` in a list of them means.
    if (set !== undefined && set !== "") return set;
    return (
      fallback ??
      fault(`the environment variable ${name} is not set, or empty; \${${name}:-text} would give a default`)
    );
  };

  const fromFile = async (path: string, fault: (message: string) => string): Promise<string> => {
    try {
      const content = await outside.readFile(isAbsolute(path) ? path : join(dirname(file), path));
      // Most editors and tools end a file with a line break that is no part of the secret.
      return content.replace(/\r?\n$/, "");
    } catch (error) {
      if (isConversionError(error)) return fault(error.message);
      throw error;
    }
  };

  return { value: await within(value, []), variables };
}
