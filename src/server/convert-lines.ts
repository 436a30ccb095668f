import type { Conversion, Converter } from "../converter.ts";
import { ConversionError, errorTable, exitCodes, isConversionError } from "../errors.ts";
import { isBlank, type Line, linesOf } from "../lines.ts";
import { defaultLimits } from "../options.ts";
import { envelopeText, isJsonType, outputText } from "../output-text.ts";
import { begun, streamAnswer } from "./answers.ts";
import type { Answer, Exchange } from "./endpoint.ts";
import { LossTally } from "./losses-header.ts";
import { problemText } from "./problem.ts";
import type { ConvertRequest } from "./query.ts";

export const linesType = "application/x-ndjson";

/**
 * Converts a body of one document a line while it comes. Every line gives one line of the answer: its output or
 * envelope, a blank line for a blank one, or `{"error": PROBLEM}` in the place of a line that failed. What would fail
 * every line is thrown before the first one.
 */
export async function convertLines(
  converter: Converter,
  exchange: Exchange,
  request: ConvertRequest,
): Promise<Answer> {
  const tally = new LossTally();
  return streamAnswer(await begun(converted(converter, exchange, request, tally)), linesType, tally);
}

/** A conversion as one line. Throws `invalid-option` where the target is no JSON document. */
export function lineOf(conversion: Conversion, envelope: boolean): string {
  if (envelope) return `${envelopeText(conversion)}\n`;
  if (isJsonType(conversion.mediaType)) return `${outputText(conversion)}\n`;
  throw new ConversionError(
    "invalid-option",
    `one document a line is written, and the target is ${conversion.mediaType}; name another dialect, or add envelope=1`,
  );
}

async function* converted(
  converter: Converter,
  exchange: Exchange,
  { options, envelope }: ConvertRequest,
  tally: LossTally,
): AsyncGenerator<string, void> {
  const maxBytes = options.limits?.maxLineBytes ?? defaultLimits.maxLineBytes;
  let [documents, failed, held] = [0, 0, 0];
  const convert = ({ bytes }: Line): string => {
    if (bytes === undefined)
      throw new ConversionError("line-too-long", `the line is longer than ${maxBytes} bytes`);
    if (isBlank(bytes)) return "\n";
    const conversion = converter.convert(bytes, { ...options, batchPosition: documents });
    documents += 1;
    tally.add(conversion.losses);
    return lineOf(conversion, envelope);
  };
  const attempt = (line: Line): string => {
    try {
      return convert(line);
    } catch (error) {
      if (!isConversionError(error) || isAboutEveryLine(error)) throw error;
      failed += 1;
      return `{"error":${problemText(error, exchange.requestId)}}\n`;
    }
  };
  for await (const { lines, bytes } of linesOf(exchange.chunks(), maxBytes)) {
    // What is beyond the limit of a line is not kept.
    const more = Math.min(bytes, maxBytes - held);
    exchange.hold(more);
    held += more;
    if (lines.length === 0) continue;
    const text = lines.map(attempt).join("");
    exchange.release(held);
    held = 0;
    yield text;
  }
  exchange.note({ documents, failed });
}

/** A wrong option or format: every other line would fail as well. */
function isAboutEveryLine({ code }: ConversionError): boolean {
  return errorTable[code].exit === exitCodes.usage;
}
