import { type ConversionError, errorTable } from "../errors.ts";
import type { Loss, Severity } from "../losses.ts";
import { severities } from "../losses.ts";
import { printable } from "./escape.ts";
import type { Io } from "./io.ts";

/** Where in the inputs of a command something was found; standard input has no name. */
export interface Place {
  readonly file?: string;
  /** From 1. */
  readonly line?: number;
}

/** Losses of one result shown as text; a terminal is no place for thousands. */
const shownLosses = 20;

const colours: Readonly<Record<Severity, string>> = {
  error: "\u001b[31m",
  warning: "\u001b[33m",
  info: "\u001b[2m",
};
const plain = "\u001b[0m";

/** Whether messages may be coloured: on a terminal, unless NO_COLOR (no-color.org) or a terminal without asks not to. */
export function isColoured(io: Io): boolean {
  const { NO_COLOR: noColor = "", TERM: terminal } = io.environment;
  return io.stderr.isTerminal && noColor === "" && terminal !== "dumb";
}

/** An error for people: what happened and where, and what can be done. */
export function errorText(error: ConversionError, place: Place = {}): string {
  const where = error.pointer === "" ? "" : ` (at ${error.pointer})`;
  return [
    `trg: ${error.code}: ${messageLines(`${placePrefix(place)}${error.message}${where}`, error)}`,
    `     ${errorTable[error.code].todo}`,
    "",
  ].join("\n");
}

/** Foreign text stays on one line; the problems of a configuration are a line each, and written by us. */
function messageLines(message: string, { code }: ConversionError): string {
  return code === "invalid-config" ? message.split("\n").map(printable).join("\n     ") : printable(message);
}

/** The losses of one result for people; empty where there are none. */
export function lossText(losses: readonly Loss[], place: Place, coloured: boolean): string {
  if (losses.length === 0) return "";
  const shown = losses.slice(0, shownLosses);
  const codeWidth = Math.max(...shown.map((loss) => loss.code.length));
  const lines = shown.map((loss) => {
    const severity = loss.severity.padEnd(7);
    const pointer = loss.pointer === "" ? "whole document" : printable(loss.pointer);
    const carried = loss.carried ? "carried" : "not carried";
    return [
      coloured ? `${colours[loss.severity]}${severity}${plain}` : severity,
      loss.code.padEnd(codeWidth),
      `${pointer}: ${printable(loss.detail)} (${carried})`,
    ].join("  ");
  });
  const rest = losses.slice(shownLosses);
  if (rest.length > 0) lines.push(`${rest.length} more: ${countCodes(rest)}; --losses json shows all`);
  const head = `trg: ${printable(placePrefix(place))}${count(losses.length, "loss", "losses")} (${countSeverities(losses)})`;
  return `${[head, ...lines.map((line) => `  ${line}`)].join("\n")}\n`;
}

/** The losses of one result for programs: one JSON object a line. */
export function lossLines(losses: readonly Loss[], place: Place): string {
  return losses.map((loss) => `${printable(JSON.stringify({ ...loss, ...place }))}\n`).join("");
}

/** `1 loss`, `2 losses`. */
export function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}

function placePrefix({ file, line }: Place): string {
  if (file === undefined) return line === undefined ? "" : `line ${line}: `;
  return line === undefined ? `${file}: ` : `${file}, line ${line}: `;
}

function countSeverities(losses: readonly Loss[]): string {
  return severities
    .map((severity) => ({ severity, number: losses.filter((loss) => loss.severity === severity).length }))
    .filter(({ number }) => number > 0)
    .reverse()
    .map(({ severity, number }) => `${number} ${severity}`)
    .join(", ");
}

function countCodes(losses: readonly Loss[]): string {
  const counts = new Map<string, number>();
  for (const { code } of losses) counts.set(code, (counts.get(code) ?? 0) + 1);
  return [...counts].map(([code, number]) => `${number} ${code}`).join(", ");
}
