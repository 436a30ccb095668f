import type { FormatInfo } from "../converter.ts";
import { type AddCommand, examples, openConverter } from "./command-line.ts";
import { addAdapters } from "./options.ts";
import { tableText } from "./table.ts";

interface Flags {
  readonly json?: boolean;
  readonly adapter?: readonly string[];
}

export const addFormats: AddCommand = (program, session) => {
  const command = program
    .command("formats")
    .summary("List the formats and their dialects.")
    .description(
      "Lists what --from and --to take. The first dialect of a format is written where none is named.",
    )
    .option("--json", "Writes the list as one JSON line.");
  addAdapters(command)
    .addHelpText("after", examples("trg formats", "trg formats --json"))
    .action(async ({ json, adapter }: Flags) => {
      const formats = (await openConverter(session, adapter)).formats();
      return session.io.stdout.write(
        json === true ? `${JSON.stringify(formats)}\n` : formats.map(formatText).join("\n"),
      );
    });
};

function formatText({ id, title, spec, dialects }: FormatInfo): string {
  const rows = dialects.map((dialect) => [
    `  ${id}:${dialect.id}`,
    dialect.output ? "read, write" : "read",
    dialect.carry ? "carry inline" : "",
    dialect.mediaType,
    dialect.title,
  ]);
  return `${id}: ${title} (${spec.url}, ${spec.version})\n${tableText(rows)}`;
}
