import type { CitationsPart } from "../../src/ir.ts";
import { isJsonObject } from "../../src/json/json-kind.ts";
import type { JsonValue } from "../../src/json/json-value.ts";
import { stringify } from "../../src/json/stringify.ts";

/** Retrieval sources as a text that a model can cite from: a numbered list, each with its content below it. */
export function citationsText(part: CitationsPart): string {
  return part.sources.map((source, index) => `[${index + 1}] ${sourceText(source)}`).join("\n\n");
}

function sourceText(source: JsonValue): string {
  if (!isJsonObject(source)) return stringify(source);
  const { title, document_name: documentName, url, score, content } = source;
  const heading = [title ?? documentName, url].filter(isText).join(", ");
  const rating = score === undefined || score === null ? "" : ` (score ${stringify(score)})`;
  return `${heading}${rating}${isText(content) ? `\n${content}` : ""}`.trim();
}

function isText(value: JsonValue | undefined): value is string {
  return typeof value === "string" && value !== "";
}
