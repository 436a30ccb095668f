import { ConversionError, errorTable, exitCodes, isConversionError } from "../errors.ts";
import { isBlank, type Line, linesOf } from "../lines.ts";
import type { Loss } from "../losses.ts";
import { defaultLimits } from "../options.ts";
import { refusedLosses } from "../refused-losses.ts";
import type { Job } from "./job.ts";
import type { Progress } from "./progress.ts";
import { errorText, type Place } from "./report.ts";
import type { Source } from "./sources.ts";

/**
 * Converts each line of a source as it arrives. Every line of the input gives one line of the output: its result, a
 * blank line for a blank one, or `{"error": {...}}` in the place of a line that failed. Returns whether none failed.
 */
export async function convertLines(job: Job, source: Source, progress: Progress): Promise<boolean> {
  const maxBytes = job.options.limits?.maxLineBytes ?? defaultLimits.maxLineBytes;
  let isClean = true;
  progress.begin(source.size);
  for await (const { lines, bytes } of linesOf(source.chunks, maxBytes)) {
    let text = "";
    for (const line of lines) {
      const place = { ...source.place, line: line.number };
      try {
        const { output, losses } = convertLine(job, line, maxBytes);
        text += output;
        await job.messages.losses(losses, place);
      } catch (error) {
        if (!isConversionError(error) || isAboutEveryLine(error)) throw error;
        isClean = false;
        text += failedLine(error, place);
        await job.messages.losses(refusedLosses(error), place);
        await job.messages.say(errorText(error, place));
      }
    }
    if (text !== "") await job.sink.write(text);
    await progress.advance(lines.length, bytes);
  }
  return isClean;
}

function convertLine(
  job: Job,
  { bytes }: Line,
  maxBytes: number,
): { readonly output: string; readonly losses: readonly Loss[] } {
  if (bytes === undefined)
    throw new ConversionError("line-too-long", `the line is longer than ${maxBytes} bytes`);
  if (isBlank(bytes)) return { output: "\n", losses: [] };
  const conversion = job.converter.convert(bytes, { ...job.options, batchPosition: job.documents });
  job.documents += 1;
  return { output: job.write(conversion), losses: conversion.losses };
}

/** A wrong option or format: every other line would fail as well. */
function isAboutEveryLine({ code }: ConversionError): boolean {
  return errorTable[code].exit === exitCodes.usage;
}

function failedLine(error: ConversionError, place: Place): string {
  const { code, pointer, message } = error;
  const losses = refusedLosses(error);
  const shown = { code, pointer, detail: message, ...place, ...(losses.length > 0 && { losses }) };
  return `${JSON.stringify({ error: shown })}\n`;
}
