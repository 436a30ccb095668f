import type { Adapter } from "../adapter.ts";
import { ConversionError } from "../errors.ts";
import { importModule } from "./modules.ts";

/**
 * The adapters of a module: its default export, or its exports `adapter` and `adapters`. The module is a file, or a
 * package looked up from the folder. Throws `invalid-adapter`.
 */
export async function loadAdapters(specifier: string, folder: string): Promise<readonly Adapter[]> {
  const module = await importModule(specifier, folder, "invalid-adapter");
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
