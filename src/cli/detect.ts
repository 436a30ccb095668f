import { ConversionError } from "../errors.ts";
import { type AddCommand, examples, openConverter, type Session } from "./command-line.ts";
import { printable } from "./escape.ts";
import { addAdapters } from "./options.ts";
import { namingSource, openSources, readPayload } from "./sources.ts";

interface Flags {
  readonly json?: boolean;
  readonly adapter?: readonly string[];
}

export const addDetect: AddCommand = (program, session) => {
  const command = program
    .command("detect")
    .summary("Name the format of a tool result.")
    .description(
      "Writes FORMAT or FORMAT:DIALECT to standard output, as --from takes it, and the evidence to standard error.\n" +
        "Ends with 1 where no format, or more than one, could have written the document.",
    )
    .argument("[file...]", "Files to read; none, or -, is standard input.")
    .option("--json", "Writes {outcome, format, dialect, evidence, candidates} as one JSON line.");
  addAdapters(command)
    .addHelpText("after", examples("trg detect result.json", "trg detect --json < result.json"))
    .action((files: readonly string[], flags: Flags) => detect(session, files, flags));
};

async function detect(session: Session, files: readonly string[], { json, adapter }: Flags): Promise<void> {
  const { io } = session;
  const converter = await openConverter(session, adapter);
  for await (const source of openSources(io, files)) {
    await namingSource(source, async () => {
      const detection = converter.detect(await readPayload(source));
      if (json === true) await io.stdout.write(`${JSON.stringify(detection)}\n`);
      switch (detection.outcome) {
        case "recognised":
          if (json === true) return;
          await io.stdout.write(`${referenceOf(detection)}\n`);
          return io.stderr.write(`trg: ${printable(detection.evidence)}\n`);
        case "ambiguous": {
          const named = detection.candidates.map((one) => `${referenceOf(one)} (${one.evidence})`);
          throw new ConversionError("ambiguous-format", `could be ${named.join(" or ")}`);
        }
        case "unknown":
          throw new ConversionError("unrecognised-format", "no format recognises the document");
      }
    });
  }
}

function referenceOf({ format, dialect }: { readonly format: string; readonly dialect?: string }): string {
  return dialect === undefined ? format : `${format}:${dialect}`;
}
