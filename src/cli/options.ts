import { type Command, Option } from "commander";
import type { ConversionOptions, Limits } from "../options.ts";
import { defaultLimits } from "../options.ts";
import {
  limitNames,
  limitTable,
  readLimit,
  readSettings,
  type SettingName,
  settingNames,
  settingTable,
} from "../settings.ts";

/** `toolCallId` as a flag: `--tool-call-id`. */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Shown under `mode` as a flag of its own, since it is the one that people type. */
const strictFlag = "--strict";

/** Adds a flag for every setting of a conversion. */
export function addSettings(command: Command): Command {
  command.optionsGroup("Conversion:");
  for (const name of settingNames) command.addOption(settingOption(name));
  return command;
}

/** Adds a flag for every limit of reading. */
export function addLimits(command: Command, defaults: Limits = defaultLimits): Command {
  command.optionsGroup("Limits:");
  for (const name of limitNames) {
    const flag = flagOf(name);
    const value = defaults[name] === Number.POSITIVE_INFINITY ? "none" : defaults[name];
    command.addOption(
      new Option(`${flag} <number>`, `${limitTable[name].what} (default: ${value})`).argParser((given) =>
        readLimit(given, flag),
      ),
    );
  }
  return command;
}

export function addAdapters(command: Command): Command {
  return command.option(
    "--adapter <path-or-package>",
    "Adds an adapter: the default export, `adapter` or `adapters` of a module; can be repeated.",
    (specifier: string, before: readonly string[] = []) => [...before, specifier],
  );
}

/** The settings and limits given on the command line, and nothing where the default holds. */
export function conversionOptions(command: Command): ConversionOptions {
  const given = new Map<SettingName, string>();
  for (const name of settingNames) {
    const key = name === "mode" ? "strict" : name;
    if (command.getOptionValueSource(key) !== "cli") continue;
    given.set(name, name === "mode" ? "strict" : String(command.getOptionValue(key)));
  }
  const limits = givenLimits(command);
  return { ...readSettings(given, flagOf), ...(Object.keys(limits).length > 0 && { limits }) };
}

/** The limits given on the command line. */
export function givenLimits(command: Command): Partial<Limits> {
  const given = limitNames.filter((name) => command.getOptionValueSource(name) === "cli");
  return Object.fromEntries(given.map((name) => [name, command.getOptionValue(name) as number]));
}

function settingOption(name: SettingName): Option {
  const setting = settingTable[name];
  if (name === "mode") return new Option(strictFlag, setting.what);
  const flag = flagOf(name);
  if (!setting.isSwitch) {
    return new Option(`${flag} <${setting.value}>`, `${setting.what} (default: ${setting.absent})`);
  }
  return setting.absent === "true"
    ? new Option(flag.replace("--", "--no-"), `Turns off: ${setting.what}`)
    : new Option(flag, setting.what);
}
