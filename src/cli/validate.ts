import { exitCodes } from "../errors.ts";
import type { ConversionOptions } from "../options.ts";
import { type AddCommand, examples, openConverter, type Session } from "./command-line.ts";
import { printable } from "./escape.ts";
import { addAdapters, addLimits, givenLimits } from "./options.ts";
import { count, errorText, isColoured, lossText } from "./report.ts";
import { emptyFault, openSources, readAll } from "./sources.ts";

interface Flags {
  readonly from: string;
  readonly strict?: boolean;
  readonly adapter?: readonly string[];
}

export const addValidate: AddCommand = (program, session) => {
  const command = program
    .command("validate")
    .summary("Check that a document can be read, without converting it.")
    .description(
      "Writes one line for each input, and what reading would correct to standard error. Reads every input.",
    )
    .argument("[file...]", "Files to read; none, or -, is standard input.")
    .option("--from <format[:dialect]>", "Format of the input; auto recognises it.", "auto")
    .option("--strict", "Refuses what says two things at once.");
  addAdapters(command);
  addLimits(command);
  command
    .addHelpText("after", examples("trg validate --from dify messages.json", "trg validate *.json"))
    .action((files: readonly string[], flags: Flags) =>
      validate(session, files, flags, givenLimits(command)),
    );
};

async function validate(
  session: Session,
  files: readonly string[],
  { from, strict, adapter }: Flags,
  limits: NonNullable<ConversionOptions["limits"]>,
): Promise<void> {
  const { io } = session;
  const converter = await openConverter(session, adapter);
  const options = { from, limits, mode: strict === true ? "strict" : "lenient" } as const;
  for await (const source of openSources(io, files)) {
    const { place } = source;
    const name = place.file === undefined ? "" : `${printable(place.file)}: `;
    const bytes = await readAll(source);
    const fault = emptyFault(bytes);
    const validation =
      fault === undefined ? converter.validate(bytes, options) : ({ valid: false, error: fault } as const);
    if (validation.valid) {
      await io.stderr.write(lossText(validation.losses, place, isColoured(io)));
      await io.stdout.write(`${name}valid, ${count(validation.results, "result", "results")}\n`);
    } else {
      session.exit(exitCodes.failed);
      await io.stderr.write(errorText(validation.error, place));
      await io.stdout.write(`${name}invalid, ${validation.error.code}\n`);
    }
  }
}
