import type { Command } from "commander";
import type { Adapter } from "../adapter.ts";
import { type Converter, createConverter } from "../converter.ts";
import type { GatewayParts } from "../gateway/parts.ts";
import { loadAdapters } from "./adapters.ts";
import type { Io } from "./io.ts";

/** What a command works with. */
export interface Session {
  readonly io: Io;
  /** The adapters that come with the program. */
  readonly adapters: readonly Adapter[];
  /** The kinds of upstreams and the faces that come with the program. */
  readonly gateway: GatewayParts;
  /** Of the program. */
  readonly version: string;
  /** Sets the exit status of the program, where it is not 0. */
  exit(status: number): void;
}

/** Adds one command to the program. */
export type AddCommand = (program: Command, session: Session) => void;

/** A converter over the adapters of the program and those that `--adapter` names. */
export async function openConverter(
  session: Session,
  specifiers: readonly string[] = [],
): Promise<Converter> {
  const loaded = await Promise.all(specifiers.map((one) => loadAdapters(one, session.io.workingDirectory)));
  return createConverter([...session.adapters, ...loaded.flat()]);
}

/** Ends the help of a command with examples, one command line each. */
export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join("\n")}`;
}
