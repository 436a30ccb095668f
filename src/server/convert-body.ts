import type { Converter, ConvertOptions } from "../converter.ts";
import { envelopeText, outputText } from "../output-text.ts";
import { textAnswer } from "./answers.ts";
import { mediaTypeOf } from "./body.ts";
import { readCarried } from "./carried-body.ts";
import { convertLines, lineOf, linesType } from "./convert-lines.ts";
import { convertStreamed } from "./convert-streamed.ts";
import type { Answer, Exchange } from "./endpoint.ts";
import { LossTally, lossesHeader } from "./losses-header.ts";
import type { ConvertRequest } from "./query.ts";

/** Answers `POST /v1/convert`: what the body holds, in the form that the query asks for. */
export async function convertBody(
  converter: Converter,
  exchange: Exchange,
  request: ConvertRequest,
  maxBodyBytes: number,
): Promise<Answer> {
  const { options, envelope, form } = request;
  switch (form) {
    case "one":
      if (!envelope && isStreamed(converter, exchange, options)) {
        return convertStreamed(converter, exchange, options, maxBodyBytes);
      }
      return convertOne(converter, await exchange.body(), request);
    case "carried": {
      const { input, carried } = readCarried(await exchange.body(), options.limits);
      return convertOne(converter, input, { ...request, options: { ...options, carried } });
    }
    case "all": {
      const conversions = converter.convertAll(await exchange.body(), options);
      const tally = new LossTally();
      for (const { losses } of conversions) tally.add(losses);
      const text = conversions.map((conversion) => lineOf(conversion, envelope)).join("");
      return textAnswer(text, linesType, { [lossesHeader]: tally.header });
    }
    case "lines":
      return convertLines(converter, exchange, request);
  }
}

function convertOne(
  converter: Converter,
  input: Uint8Array | string,
  { options, envelope }: ConvertRequest,
): Answer {
  const conversion = converter.convert(input, options);
  const headers = { [lossesHeader]: new LossTally().add(conversion.losses).header };
  return envelope
    ? textAnswer(envelopeText(conversion), "application/json", headers)
    : textAnswer(outputText(conversion), conversion.mediaType, headers);
}

/** Whether the body is lines or events that are read as they come, by the dialect named or else by its media type. */
function isStreamed(converter: Converter, { request }: Exchange, { from }: ConvertOptions): boolean {
  const [id, named] = String(from).split(":", 2);
  const dialects = converter.adapters.find((adapter) => adapter.id === id)?.dialects ?? [];
  if (named !== undefined) return dialects.some((one) => one.id === named && one.stream !== undefined);
  const mediaType = mediaTypeOf(request.headers);
  return mediaType !== "application/json" && dialects.some((one) => one.stream !== undefined);
}
