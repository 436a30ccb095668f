import { nearest } from "../../nearest.ts";
import type { Path, Places, Report } from "./problems.ts";
import { limitsTable, serverTable } from "./settings-table.ts";

/** A value from outside the file, which comes before what the file says. */
export interface Override {
  /** The flag or the environment variable, as errors name it. */
  readonly source: string;
  readonly path: readonly [string, ...string[]];
  readonly value: unknown;
}

const prefix = "TRG_";

/** Names the file itself. */
export const fileVariable = "TRG_CONFIG";

/** The environment variable of a setting: `maxBodyBytes` is `TRG_MAX_BODY_BYTES`. */
export function variableOf(name: string): string {
  return `${prefix}${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** Every setting that an environment variable can give, by the variable. */
export const settingVariables: ReadonlyMap<string, Override["path"]> = new Map<string, Override["path"]>([
  ...Object.keys(serverTable).map((name) => [variableOf(name), ["server", name]] as const),
  ...Object.keys(limitsTable).map((name) => [variableOf(name), ["limits", name]] as const),
  [variableOf("keys"), ["auth", "keys"]],
  [variableOf("carryKey"), ["carryKey"]],
]);

/** The settings that the environment gives. An empty variable is none, as a line `TRG_PORT=` in a list of them means. */
export function environmentOverrides(
  environment: Readonly<Record<string, string | undefined>>,
): readonly Override[] {
  return [...settingVariables].flatMap(([source, path]) => {
    const value = environment[source];
    return value === undefined || value === "" ? [] : [{ source, path, value }];
  });
}

/** Reports variables that look like settings and are none, unless the file asks for them. */
export function reportUnknownVariables(
  environment: Readonly<Record<string, string | undefined>>,
  asked: ReadonlySet<string>,
  report: Report,
): void {
  const known = [...settingVariables.keys(), fileVariable];
  for (const name of Object.keys(environment)) {
    if (!name.startsWith(prefix) || known.includes(name) || asked.has(name)) continue;
    const near = nearest(name, known);
    report(
      { source: name },
      [],
      `no setting has this variable${near === undefined ? "" : `; did you mean ${near}?`}`,
    );
  }
}

/** The values with the overrides put in, later ones last. */
export function applyOverrides(value: unknown, overrides: readonly Override[], places: Places): unknown {
  return overrides.reduce((whole, { source, path, value: given }) => {
    places.replace(path, { source });
    return withValue(whole, path, given);
  }, value);
}

function withValue(whole: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return value;
  const object = whole ?? {};
  // A section of the wrong kind is told as that.
  if (typeof object !== "object" || Array.isArray(object)) return whole;
  return { ...object, [key]: withValue((object as Readonly<Record<string, unknown>>)[key], rest, value) };
}
