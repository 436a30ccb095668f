import { access } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Adapter } from "../adapter.ts";
import { ConversionError } from "../errors.ts";

/**
 * The adapters of a module: its default export, or its exports `adapter` and `adapters`. The module is a file, or a
 * package looked up from the working directory. Throws `invalid-adapter`.
 */
export async function loadAdapters(specifier: string, workingDirectory: string): Promise<readonly Adapter[]> {
  const module = await importFrom(specifier, workingDirectory);
  const exported = [module.default, module.adapter, module.adapters]
    .flat()
    .filter((value) => value !== undefined);
  if (exported.length === 0) {
    throw new ConversionError(
      "invalid-adapter",
      `${specifier} exports neither a default, nor adapter, nor adapters`,
    );
  }
  // The same adapter is often exported under two names.
  return [...new Set(exported)].map((value) => {
    if (typeof value === "object" && value !== null) return value as Adapter; // `createConverter` checks the shape.
    throw new ConversionError(
      "invalid-adapter",
      `${specifier} exports ${typeof value} where an adapter is expected`,
    );
  });
}

interface Exports {
  readonly default?: unknown;
  readonly adapter?: unknown;
  readonly adapters?: unknown;
}

async function importFrom(specifier: string, workingDirectory: string): Promise<Exports> {
  const location = await locate(specifier, workingDirectory);
  try {
    return (await import(location)) as Exports;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ConversionError("invalid-adapter", `cannot load ${specifier}: ${reason}`, { cause });
  }
}

async function locate(specifier: string, workingDirectory: string): Promise<string> {
  const path = resolve(workingDirectory, specifier);
  const isFile = await access(path).then(
    () => true,
    () => false,
  );
  if (isFile || specifier.startsWith(".")) return pathToFileURL(path).href;
  try {
    return pathToFileURL(createRequire(join(workingDirectory, "package.json")).resolve(specifier)).href;
  } catch {
    // `require` sees no package that exports for `import` only; from here such a one is found where it lies beside
    // this package, which is how a project installs both.
    return specifier;
  }
}
