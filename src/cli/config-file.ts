import { dirname, resolve } from "node:path";
import { type LoadedConfig, loadConfig } from "../gateway/config/load.ts";
import { fileVariable, type Override } from "../gateway/config/overrides.ts";
import { loadAdapters } from "./adapters.ts";
import type { Session } from "./command-line.ts";
import type { Io } from "./io.ts";
import { loadPlugin } from "./plugins.ts";
import { readText } from "./sources.ts";

export interface ConfigRequest {
  readonly file: string | undefined;
  /** What holds where there is no file. By default nothing but the environment, the flags and the defaults. */
  readonly text?: string;
  /** Modules with adapters, beside those that the file names. */
  readonly adapters: readonly string[];
  /** Settings by flags, which come before all others. */
  readonly flags?: readonly Override[];
}

/**
 * The configuration file of a command: the one that it is given, or that the environment names. A file that only
 * happens to lie in the working folder is never taken.
 */
export function configFile(io: Io, given: string | undefined): string | undefined {
  const named = io.environment[fileVariable];
  return given ?? (named === "" ? undefined : named);
}

/** Reads a configuration. Throws `invalid-config`, `file-failed` and `invalid-adapter`. */
export async function openConfig(
  { io, adapters, gateway }: Session,
  { file, text = "", adapters: specifiers, flags = [] }: ConfigRequest,
): Promise<LoadedConfig> {
  const added = await Promise.all(specifiers.map((one) => loadAdapters(one, io.workingDirectory)));
  const folder = resolve(io.workingDirectory, dirname(file ?? ""));
  return loadConfig(file === undefined ? text : await readText(io, file), {
    file: file ?? "(built in)",
    environment: io.environment,
    readFile: (path) => readText(io, path),
    parts: { ...gateway, adapters: [...adapters, ...added.flat()] },
    flags,
    importAdapters: (specifier) => loadAdapters(specifier, folder),
    importPlugin: (specifier) => loadPlugin(specifier, folder),
  });
}
