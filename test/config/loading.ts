import { adapters } from "../../adapters/index.ts";
import { ConversionError, isConversionError } from "../../src/errors.ts";
import { builtInParts } from "../../src/gateway/built-in.ts";
import { type LoadOptions, loadConfig } from "../../src/gateway/config/load.ts";
import type { ConfigParts } from "../../src/gateway/config/schema.ts";

/** What comes with the program. */
export const parts: ConfigParts = { ...builtInParts, adapters };

/** What is around the file `conf/trg.yaml`. */
export interface World extends Partial<Pick<LoadOptions, "flags" | "importAdapters" | "importPlugin">> {
  readonly environment?: LoadOptions["environment"];
  readonly files?: Readonly<Record<string, string>>;
}

/** Reads the text of `conf/trg.yaml`. */
export function load(text: string, { environment = {}, files = {}, ...world }: World = {}) {
  return loadConfig(text, {
    file: "conf/trg.yaml",
    environment,
    parts,
    readFile: async (path) => {
      const content = files[path];
      if (content !== undefined) return content;
      throw new ConversionError("file-failed", `cannot read ${path}: no such file or folder`);
    },
    importAdapters: async () => [],
    importPlugin: async () => ({ kinds: [], faces: [] }),
    ...world,
  });
}

/** The lines of the error that the text is refused with, without the name of the file. */
export async function refusal(text: string, world?: World): Promise<readonly string[]> {
  try {
    await load(text, world);
  } catch (error) {
    if (!isConversionError(error)) throw error;
    if (error.code !== "invalid-config") throw error;
    return error.message.split("\n").map((line) => line.replace(/^conf\/trg\.yaml:/, ""));
  }
  throw new Error("the configuration was taken");
}
