import { Command, CommanderError } from "commander";
import type { Adapter } from "../adapter.ts";
import { errorTable, exitCodes, isConversionError } from "../errors.ts";
import type { GatewayParts } from "../gateway/parts.ts";
import { addCanonical } from "./canonical.ts";
import type { AddCommand } from "./command-line.ts";
import { addConfig } from "./config.ts";
import { addConvert } from "./convert.ts";
import { addDetect } from "./detect.ts";
import { printableLines } from "./escape.ts";
import { addExplain } from "./explain.ts";
import { addFormats } from "./formats.ts";
import { BrokenPipe, type Io } from "./io.ts";
import { addMatrix } from "./matrix.ts";
import { errorText } from "./report.ts";
import { addServe } from "./serve.ts";
import { addValidate } from "./validate.ts";

/** What the program is made of, beside its code. */
export interface Installed {
  readonly adapters: readonly Adapter[];
  readonly gateway: GatewayParts;
  readonly version: string;
}

const commands: readonly AddCommand[] = [
  addConvert,
  addDetect,
  addValidate,
  addCanonical,
  addExplain,
  addFormats,
  addMatrix,
  addServe,
  addConfig,
];

/**
 * Runs `trg` with its arguments (without the program's name) and answers the exit status (`exitCodes`). Throws only
 * for a fault of the program itself.
 */
export async function run(
  argv: readonly string[],
  io: Io,
  { adapters, gateway, version }: Installed,
): Promise<number> {
  let status: number = exitCodes.ok;
  // Commander writes synchronously; what it says is written when it has said it.
  const said = { out: "", err: "" };
  const program = new Command("trg")
    .description("Converts agent tool results between watsonx Orchestrate, Strands and Dify.")
    .version(version, "-V, --version", "Writes the version.")
    .configureOutput({
      writeOut: (text) => {
        said.out += text;
      },
      writeErr: (text) => {
        said.err += text;
      },
      outputError: (text, write) => write(text.replace(/^error: /, "trg: usage: ")),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .helpOption("-h, --help", "Writes this help.")
    .helpCommand("help [command]", "Writes the help of a command.")
    .exitOverride()
    .showHelpAfterError("     See `trg help` and `trg help COMMAND`.")
    .addHelpText("after", `\nExit status: ${exitStatusText}`);
  const exit = (wanted: number) => {
    status = wanted;
  };
  for (const add of commands) add(program, { io, adapters, gateway, version, exit });
  try {
    await program.parseAsync(argv, { from: "user" });
  } catch (error) {
    status = await failure(error, io);
  }
  try {
    if (said.out !== "") await io.stdout.write(said.out);
    if (said.err !== "") await io.stderr.write(printableLines(said.err));
  } catch (error) {
    return failure(error, io);
  }
  return status;
}

const exitStatusText =
  `${exitCodes.ok} done, ${exitCodes.failed} a conversion failed, ${exitCodes.usage} wrong usage or configuration,\n` +
  `${exitCodes.lossesRefused} losses refused, ${exitCodes.system} a file, the network or a port, 128 and the number of the signal that ended it.`;

/** Reports what ended a command, and answers the exit status. */
async function failure(error: unknown, io: Io): Promise<number> {
  // Help and version end the parser by an error of their own, with status 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  // Whoever closed the pipe has what it wanted: `trg ... | head -1` is no failure, also under `pipefail`.
  if (error instanceof BrokenPipe) return exitCodes.ok;
  if (!isConversionError(error)) throw error;
  await io.stderr.write(errorText(error));
  return errorTable[error.code].exit;
}
