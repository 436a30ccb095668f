import { access } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { ConversionError, type ErrorCode } from "../errors.ts";

/** The exports of a module: a file, or a package looked up from the folder. Throws `code`. */
export async function importModule(
  specifier: string,
  folder: string,
  code: ErrorCode,
): Promise<Readonly<Record<string, unknown>>> {
  const location = await locate(specifier, folder);
  try {
    return (await import(location)) as Readonly<Record<string, unknown>>; // What every module is.
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ConversionError(code, `cannot load ${specifier}: ${reason}`, { cause });
  }
}

async function locate(specifier: string, folder: string): Promise<string> {
  const path = resolve(folder, specifier);
  const isFile = await access(path).then(
    () => true,
    () => false,
  );
  if (isFile || specifier.startsWith(".")) return pathToFileURL(path).href;
  try {
    return pathToFileURL(createRequire(join(folder, "package.json")).resolve(specifier)).href;
  } catch {
    // `require` sees no package that exports for `import` only; from here such a one is found where it lies beside
    // this package, which is how a project installs both.
    return specifier;
  }
}
