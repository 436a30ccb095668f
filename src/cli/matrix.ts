import type { Form, MatrixTable } from "../matrix.ts";
import { matrix } from "../matrix.ts";
import { type AddCommand, examples, openConverter, type Session } from "./command-line.ts";
import { addAdapters } from "./options.ts";
import { tableText } from "./table.ts";

interface Flags {
  readonly from?: readonly string[];
  readonly to?: readonly string[];
  readonly json?: boolean;
  readonly adapter?: readonly string[];
}

export const addMatrix: AddCommand = (program, session) => {
  const command = program
    .command("matrix")
    .summary("Show what each part becomes, from format to format.")
    .description(
      "One table for each source format: how it says each thing, and what that becomes in each target. Computed by\n" +
        "converting one sample of each, without carry. A row is left out where the source has no way to say it.",
    )
    .option("--from <formats...>", "Source formats, each FORMAT or FORMAT:DIALECT. (default: all)")
    .option("--to <formats...>", "Target formats, likewise. (default: all)")
    .option("--json", "Writes the tables as one JSON line.");
  addAdapters(command)
    .addHelpText("after", examples("trg matrix --from dify", "trg matrix --from dify --to strands:bedrock"))
    .action((flags: Flags) => show(session, flags));
};

async function show({ io, ...session }: Session, flags: Flags): Promise<void> {
  const converter = await openConverter({ io, ...session }, flags.adapter);
  const all = converter.formats().map(({ id }) => id);
  const tables = matrix(converter, flags.from ?? all, flags.to ?? all);
  await io.stdout.write(
    flags.json === true ? `${JSON.stringify(tables)}\n` : tables.map(matrixText).join("\n"),
  );
}

function matrixText({ from, rows }: MatrixTable): string {
  const notes = new Map<string, number>();
  const shown = rows.filter(({ source }) => source !== undefined);
  const targets = shown[0]?.targets.map(({ to }) => to) ?? [];
  const table = tableText([
    ["", `from ${from}`, ...targets.map((to) => `to ${to}`)],
    ...shown.map(({ part, source, targets: cells }) => [
      part,
      formText(source ?? []),
      ...cells.map(({ becomes }) =>
        "error" in becomes ? `fails: ${becomes.error}` : cellText(becomes, notes),
      ),
    ]),
  ]);
  return table + tableText([...notes].map(([codes, number]) => [`  [${number}]`, codes]));
}

/** Losses are told in notes below the table, since their codes are longer than what they are about. */
function cellText({ form, losses }: Form, notes: Map<string, number>): string {
  if (losses.length === 0) return formText(form);
  const codes = losses.join(", ");
  const number = notes.get(codes) ?? notes.size + 1;
  notes.set(codes, number);
  return `${formText(form)} [${number}]`;
}

function formText(form: readonly string[]): string {
  return form.length === 0 ? "nothing" : form.join(", ");
}
