import * as z from "zod";
import type { Adapter } from "../../adapter.ts";
import { isConversionError } from "../../errors.ts";
import type { GatewayParts } from "../parts.ts";
import type { Places, Report } from "./problems.ts";
import type { ConfigParts } from "./schema.ts";
import { texts } from "./value-kinds.ts";

/** How the modules are loaded that a file names. */
export interface ModuleImports {
  /** The adapters of a module. Throws ConversionError. */
  readonly importAdapters: (specifier: string) => Promise<readonly Adapter[]>;
  /** The kinds of upstreams and the faces of a module. Throws ConversionError. */
  readonly importPlugin: (specifier: string) => Promise<GatewayParts>;
}

interface Request {
  readonly places: Places;
  /** What comes with the program. */
  readonly parts: ConfigParts;
  readonly imports: ModuleImports;
  readonly report: Report;
}

/** The parts of the program, and those of the modules that the file names. */
export async function importModules(value: unknown, request: Request): Promise<ConfigParts> {
  const { parts, imports, places, report } = request;
  const adapters = await importEach("adapters", imports.importAdapters, value, request);
  const plugins = await importEach("plugins", imports.importPlugin, value, request);
  const distinct = <Part>(key: string, found: readonly Part[], wordOf: (part: Part) => string) => {
    const byWord = new Map<string, Part>();
    for (const part of found) {
      const word = wordOf(part);
      if (!byWord.has(word)) byWord.set(word, part);
      else report(places.of([key]), [key], `${word} is there already; two cannot have one name`);
    }
    return [...byWord.values()];
  };
  const kinds = plugins.flatMap((plugin) => plugin.kinds);
  const faces = plugins.flatMap((plugin) => plugin.faces);
  return {
    adapters: distinct("adapters", [...parts.adapters, ...adapters.flat()], ({ id }) => id),
    kinds: distinct("plugins", [...parts.kinds, ...kinds], ({ kind }) => kind),
    faces: distinct("plugins", [...parts.faces, ...faces], ({ id }) => id),
  };
}

async function importEach<Value>(
  key: "adapters" | "plugins",
  load: (specifier: string) => Promise<Value>,
  value: unknown,
  { places, report }: Request,
): Promise<readonly Value[]> {
  // What is no list of texts is reported by the schema.
  const specifiers = z.object({ [key]: texts() }).safeParse(value).data?.[key] ?? [];
  const loaded = specifiers.map((specifier, index) =>
    load(specifier).catch((error: unknown) => {
      if (!isConversionError(error)) throw error;
      report(places.of([key, index]), [key, index], error.message);
      return undefined;
    }),
  );
  return (await Promise.all(loaded)).filter((one) => one !== undefined);
}
