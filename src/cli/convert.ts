import type { ConvertOptions } from "../converter.ts";
import { ConversionError, exitCodes, isConversionError } from "../errors.ts";
import type { JsonValue } from "../json/json-value.ts";
import { stringify } from "../json/stringify.ts";
import type { ConversionOptions } from "../options.ts";
import { envelopeText, isJsonType, outputText } from "../output-text.ts";
import { refusedLosses } from "../refused-losses.ts";
import { readWord } from "../settings.ts";
import { convertLines } from "./batch.ts";
import { type AddCommand, examples, openConverter, type Session } from "./command-line.ts";
import type { Io } from "./io.ts";
import type { Job } from "./job.ts";
import { createMessages, type LossForm, lossForms } from "./messages.ts";
import { addAdapters, addLimits, addSettings, conversionOptions } from "./options.ts";
import { createProgress } from "./progress.ts";
import { withSink } from "./sink.ts";
import {
  namingSource,
  openSources,
  payloadChunks,
  readJsonFile,
  readPayload,
  readText,
  type Source,
} from "./sources.ts";

interface Flags {
  readonly from: string;
  readonly to: string;
  readonly lines?: boolean;
  readonly all?: boolean;
  readonly pretty?: boolean;
  readonly envelope?: boolean;
  readonly output?: string;
  readonly losses: LossForm;
  readonly lossesFile?: string;
  readonly carryFile?: string;
  readonly carryOut?: string;
  readonly carryKeyFile?: string;
  readonly adapter?: readonly string[];
}

export const addConvert: AddCommand = (program, session) => {
  const command = program
    .command("convert")
    .summary("Converts tool results from one format to another.")
    .description(
      "Converts one document (standard input, or each FILE in turn), or with --lines one document a line.\n" +
        "The result goes to standard output; what the target cannot express is reported on standard error.",
    )
    .argument("[file...]", "Files to read; none, or -, is standard input.")
    .option("--from <format[:dialect]>", "Format of the input; auto recognises it.", "auto")
    .requiredOption("--to <format[:dialect]>", "Format of the output; `trg formats` lists them.")
    .option("--lines", "A batch: one document a line; line N of the output is line N of the input.")
    .option("--all", "Every result of a document that holds several, one after another.")
    .option("--pretty", "Indents JSON.")
    .option("--envelope", "Writes {output, losses, carry} instead of the output alone.")
    .option("-o, --output <file>", "Writes to a file, which appears when it is complete.")
    .option("--losses <text|json|none>", "How losses are reported on standard error.", readLossForm, "text")
    .option("--losses-file <file>", "Also writes the losses to a file, one JSON object a line.")
    .option("--carry-out <file>", "With --carry detached: where the carry goes.")
    .option("--carry-file <file>", "A carry of --carry-out, handed back.")
    .option("--carry-key-file <file>", "The secret that signs a carry and must have signed it.");
  addAdapters(command);
  addSettings(command);
  addLimits(command);
  command
    .addHelpText(
      "after",
      examples(
        "trg convert --from dify --to strands result.json",
        "curl -s https://example.org/tool | trg convert --to watsonx --strict",
        "trg convert --lines --from strands --to dify < results.ndjson > messages.ndjson",
        "trg convert --to strands:bedrock --carry detached --carry-out carry.json result.json",
      ),
    )
    .action((files: readonly string[], flags: Flags) =>
      convert(session, files, flags, conversionOptions(command)),
    );
};

async function convert(
  session: Session,
  files: readonly string[],
  flags: Flags,
  given: ConversionOptions,
): Promise<void> {
  checkFlags(files, flags, given);
  const { io } = session;
  const converter = await openConverter(session, flags.adapter);
  const carried = flags.carryFile === undefined ? null : await readJsonFile(io, flags.carryFile);
  const options: ConvertOptions = {
    ...given,
    from: flags.from,
    to: flags.to,
    ...(carried !== null && { carried }),
    ...(flags.carryKeyFile !== undefined && { carryKey: (await readText(io, flags.carryKeyFile)).trimEnd() }),
  };
  const progress = createProgress(io, io.stdout.isTerminal && flags.output === undefined);
  const lossesFile = flags.lossesFile === undefined ? undefined : await io.create(flags.lossesFile);
  const messages = createMessages(io, { form: flags.losses, lossesFile, progress });
  try {
    await withSink(io, flags.output, async (sink) => {
      const job: Job = { converter, options, sink, messages, write: writer(flags), documents: 0 };
      for await (const source of openSources(io, files)) {
        if (flags.lines !== true) {
          await namingSource(source, () => convertDocument(io, job, source, flags));
        } else if (!(await convertLines(job, source, progress))) {
          session.exit(exitCodes.failed);
        }
      }
    });
  } finally {
    await progress.clear();
    // Also after a failure: the losses that were refused are what the file is for.
    await lossesFile?.commit();
  }
}

async function convertDocument(io: Io, job: Job, source: Source, flags: Flags): Promise<void> {
  const { all, envelope, pretty } = flags;
  const isHeld = [all, envelope, pretty].includes(true);
  try {
    await (isHeld ? convertHeld(io, job, source, flags) : convertStreamed(io, job, source, flags));
  } catch (error) {
    if (isConversionError(error)) await job.messages.losses(refusedLosses(error), source.place);
    throw error;
  }
}

async function convertHeld(io: Io, job: Job, source: Source, { all, carryOut }: Flags): Promise<void> {
  const { converter, sink, messages } = job;
  const options = { ...job.options, batchPosition: job.documents };
  const input = await readPayload(source);
  const conversions =
    all === true ? converter.convertAll(input, options) : [converter.convert(input, options)];
  job.documents += conversions.length;
  for (const conversion of conversions) {
    await messages.losses(conversion.losses, source.place);
    await sink.write(job.write(conversion));
    if (carryOut !== undefined) await writeCarry(io, carryOut, conversion.carry);
  }
}

/** Writes what can be written before the input has ended, so that a large file passes through piece by piece. */
async function convertStreamed(io: Io, job: Job, source: Source, { carryOut }: Flags): Promise<void> {
  const { converter, sink, messages } = job;
  const stream = converter.convertStream(payloadChunks(source), {
    ...job.options,
    batchPosition: job.documents,
  });
  for await (const text of stream) await sink.write(text);
  if (isJsonType(stream.mediaType)) await sink.write("\n");
  job.documents += 1;
  const { losses, carry, fault } = await stream.summary;
  await messages.losses(losses, source.place);
  // The output ends as a result of status `error`; that it does so because the input was broken is still a failure.
  if (fault !== undefined) throw fault;
  if (carryOut !== undefined) await writeCarry(io, carryOut, carry);
}

/** Where nothing is carried, `null` says so; `--carry-file` takes it for no carry. */
function writeCarry(io: Io, path: string, carry: JsonValue = null): Promise<void> {
  return withSink(io, path, (sink) => sink.write(`${stringify(carry)}\n`));
}

function writer({ envelope, lines, pretty }: Flags): Job["write"] {
  const indent = pretty === true ? 2 : 0;
  if (envelope === true) return (conversion) => `${envelopeText(conversion, indent)}\n`;
  return (conversion) => {
    if (isJsonType(conversion.mediaType)) return `${outputText(conversion, indent)}\n`;
    if (lines !== true) return outputText(conversion);
    throw new ConversionError(
      "usage",
      `--lines writes one JSON document a line, and the target is ${conversion.mediaType}; name another dialect, or add --envelope`,
    );
  };
}

function readLossForm(given: string): LossForm {
  return readWord(given, "--losses", lossForms);
}

function checkFlags(files: readonly string[], flags: Flags, { carry }: ConversionOptions): void {
  const refuse = (detail: string): never => {
    throw new ConversionError("usage", detail);
  };
  const isDetached = carry === "detached";
  if (isDetached && flags.envelope !== true && flags.carryOut === undefined) {
    refuse("--carry detached needs --envelope or --carry-out FILE, or the carry would be lost");
  }
  if (flags.carryOut !== undefined && !isDetached) refuse("--carry-out needs --carry detached");
  const isOne = flags.lines !== true && flags.all !== true && files.length <= 1;
  if (!isOne && (flags.carryOut ?? flags.carryFile) !== undefined) {
    refuse("--carry-out and --carry-file take one document; for several use --envelope");
  }
  if (flags.lines === true && flags.all === true)
    refuse("--lines writes one line for each line, so it excludes --all");
  if (flags.lines === true && flags.pretty === true)
    refuse("--lines writes one document a line, so it excludes --pretty");
}
