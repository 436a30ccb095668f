import type { Limits } from "../options.ts";
import { type AddCommand, examples, openConverter, type Session } from "./command-line.ts";
import { addAdapters, addLimits, givenLimits } from "./options.ts";
import { namingSource, openSources, readPayload } from "./sources.ts";

interface Flags {
  readonly from: string;
  readonly adapter?: readonly string[];
}

export const addCanonical: AddCommand = (program, session) => {
  const command = program
    .command("canonical")
    .summary("Write the form in which payloads that say the same are equal.")
    .description(
      "Writes one JSON line for each input: keys sorted, one spelling, without defaults and carry.",
    )
    .argument("[file...]", "Files to read; none, or -, is standard input.")
    .option("--from <format[:dialect]>", "Format of the input; auto recognises it.", "auto");
  addAdapters(command);
  addLimits(command);
  command
    .addHelpText("after", examples("trg canonical --from strands a.json b.json | uniq"))
    .action((files: readonly string[], flags: Flags) =>
      canonical(session, files, flags, givenLimits(command)),
    );
};

async function canonical(
  session: Session,
  files: readonly string[],
  { from, adapter }: Flags,
  limits: Partial<Limits>,
): Promise<void> {
  const converter = await openConverter(session, adapter);
  for await (const source of openSources(session.io, files)) {
    await namingSource(source, async () =>
      session.io.stdout.write(`${converter.canonical(await readPayload(source), { from, limits })}\n`),
    );
  }
}
