import type { Converter } from "../converter.ts";
import { lossCodes, lossTable } from "../losses.ts";
import { type Form, matrix } from "../matrix.ts";
import { code, table } from "./markdown.ts";

/** The parts of the README that are made from the tables and the adapters, by the name in their markers. */
export function readmeSections(converter: Converter): Readonly<Record<string, string>> {
  return { mapping: mappingTable(converter), losses: lossesTable() };
}

/** A text with the sections put between their markers `<!-- name -->` and `<!-- /name -->`. */
export function withSections(text: string, sections: Readonly<Record<string, string>>): string {
  return Object.entries(sections).reduce((whole, [name, section]) => {
    const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
    const from = whole.indexOf(begin);
    const to = whole.indexOf(end);
    if (from === -1 || to < from) throw new Error(`the text has no section ${name}`);
    return `${whole.slice(0, from + begin.length)}\n\n${section}\n\n${whole.slice(to)}`;
  }, text);
}

const targets = ["watsonx", "strands", "dify"] as const;

function mappingTable(converter: Converter): string {
  const rows = matrix(converter, ["ir"], targets).flatMap(({ rows: found }) =>
    found.map(({ part, targets: cells }) => [
      part,
      ...cells.map(({ becomes }) => ("error" in becomes ? `error ${code(becomes.error)}` : cell(becomes))),
    ]),
  );
  return table(["A result says", "watsonx Orchestrate", "Strands", "Dify"], rows).trimEnd();
}

function cell({ form, losses }: Form): string {
  const written = form.length === 0 ? "carried only" : form.join(", ");
  return losses.length === 0 ? written : `${written} (${losses.map(code).join(", ")})`;
}

function lossesTable(): string {
  const rows = lossCodes.map((name) => [code(name), lossTable[name].severity, lossTable[name].what]);
  return table(["Code", "Severity", "What happened"], rows).trimEnd();
}
