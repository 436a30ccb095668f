import type { Command } from "commander";
import type { Override } from "../gateway/config/overrides.ts";
import { serverTable } from "../gateway/config/settings-table.ts";
import { flagOf, givenLimits } from "./options.ts";

/** The settings of the server that are typed so often that they have a flag. */
export const flaggedSettings = ["host", "port", "logLevel"] as const;

export function addServerFlags(command: Command): Command {
  command.optionsGroup("Server:");
  for (const name of flaggedSettings) {
    const { what, fallback } = serverTable[name];
    // No default of its own: one would come before the environment and the file.
    command.option(`${flagOf(name)} <value>`, `${what} (default: ${fallback})`);
  }
  return command;
}

/** The settings of the server and the limits that are given on the command line. */
export function flagOverrides(command: Command): readonly Override[] {
  const given = flaggedSettings.filter((name) => command.getOptionValueSource(name) === "cli");
  return [
    ...given.map((name): Override => {
      return { source: flagOf(name), path: ["server", name], value: command.getOptionValue(name) };
    }),
    ...Object.entries(givenLimits(command)).map(([name, value]): Override => {
      return { source: flagOf(name), path: ["limits", name], value };
    }),
  ];
}
