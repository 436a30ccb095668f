import { checkSchema } from "./check.ts";
import type { GatewayConfig } from "./config.ts";
import { crossCheck } from "./cross-checks.ts";
import { readDocument } from "./document.ts";
import { expand, type Outside } from "./expand.ts";
import { importModules, type ModuleImports } from "./modules.ts";
import { applyOverrides, environmentOverrides, type Override, reportUnknownVariables } from "./overrides.ts";
import { type ConfigProblem, Problems } from "./problems.ts";
import { type ConfigParts, configSchema } from "./schema.ts";

export interface LoadOptions extends Outside, ModuleImports {
  /** Name of the file, as it was given. Relative paths in the file start from its folder. */
  readonly file: string;
  /** What comes with the program. */
  readonly parts: ConfigParts;
  /** Settings by flags, which come before all others. */
  readonly flags?: readonly Override[];
}

export interface LoadedConfig {
  readonly config: GatewayConfig;
  /** What comes with the program, and what the modules of the configuration add. */
  readonly parts: ConfigParts;
  /** What is no fault and yet probably not meant. */
  readonly warnings: readonly ConfigProblem[];
}

/**
 * Reads the text of a configuration file, YAML or JSON. A flag comes before an environment variable, this before the
 * file, and the file before the default. Throws `invalid-config` with every problem found.
 */
export async function loadConfig(text: string, options: LoadOptions): Promise<LoadedConfig> {
  const { file, environment, flags = [] } = options;
  const problems = new Problems();
  const warned = new Problems();
  const { report } = problems;
  const { value: written, places } = readDocument(text, file, report);
  problems.throwAny();
  const { value: expanded, variables } = await expand(written, { places, file, outside: options, report });
  const parts = await importModules(expanded, { places, parts: options.parts, imports: options, report });
  const value = applyOverrides(expanded, [...environmentOverrides(environment), ...flags], places);
  const config = checkSchema(configSchema(parts), value, places, report);
  crossCheck(value, { places, report, warn: warned.report });
  reportUnknownVariables(environment, variables, warned.report);
  problems.throwAny();
  // Where the schema refused, it has reported why.
  return { config: config as GatewayConfig, parts, warnings: warned.list };
}
