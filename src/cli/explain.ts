import type { ErrorEntry } from "../errors.ts";
import { explain } from "../explain.ts";
import type { LossEntry } from "../losses.ts";
import { type AddCommand, examples } from "./command-line.ts";

export const addExplain: AddCommand = (program, { io }) => {
  program
    .command("explain")
    .summary("Explain a loss or an error.")
    .description("Writes what a code means, why it happens and what to do.")
    .argument("<code>", "A code of a loss or an error, such as json-as-text.")
    .option("--json", "Writes the entry as one JSON line.")
    .addHelpText("after", examples("trg explain user-only-withheld", "trg explain invalid-base64"))
    .action(async (code: string, { json }: { readonly json?: boolean }) => {
      const explanation = explain(code);
      if (json === true) return io.stdout.write(`${JSON.stringify(explanation)}\n`);
      const { loss, error } = explanation;
      const texts = [
        ...(loss === undefined ? [] : [lossEntryText(code, loss)]),
        ...(error === undefined ? [] : [errorEntryText(code, error)]),
      ];
      return io.stdout.write(texts.join("\n"));
    });
};

function lossEntryText(code: string, { severity, what, why, todo, returns }: LossEntry): string {
  const back = returns ? "where it is carried" : "no";
  return entryText(`${code} (loss, ${severity})`, {
    "What happened": what,
    Why: why,
    "What to do": todo,
    "Comes back": back,
  });
}

function errorEntryText(code: string, { what, todo, http, exit }: ErrorEntry): string {
  return entryText(`${code} (error)`, {
    "What happened": what,
    "What to do": todo,
    "Exit status": exit,
    "HTTP status": http,
  });
}

function entryText(title: string, fields: Readonly<Record<string, string | number>>): string {
  const lines = Object.entries(fields).map(([name, value]) => `  ${`${name}:`.padEnd(15)}${value}`);
  return `${[title, ...lines].join("\n")}\n`;
}
