import type { ConversionStream, Converter, ConvertOptions, Parsed } from "../converter.ts";
import { ConversionError, type ErrorCode, errorTable, isConversionError } from "../errors.ts";
import type { Loss } from "../losses.ts";
import { isJsonType, outputText } from "../output-text.ts";
import type { Exchange } from "../server/endpoint.ts";
import { faultFacts } from "../server/fault.ts";
import type { RouteConfig } from "./config/config.ts";
import type { HeldSource } from "./held-source.ts";

/** A converted result on its way to a caller. */
export interface CallAnswer {
  /** The text of the result, in the spelling of the target's dialect. */
  readonly body: AsyncIterable<string>;
  /** Known once the result is whole: before the body is read where nothing was passed on piece by piece. */
  ending(): Ending | undefined;
}

/** What a result comes to. */
export interface Ending {
  readonly status: "success" | "error";
  readonly losses: readonly Loss[];
  /** Why it is an error, where the way to the tool or back was at fault and not the tool. */
  readonly fault?: ConversionError;
}

/** Text pieces and what they come to, known when the iteration has ended. */
type Ended<Piece> = AsyncGenerator<Piece, Ending>;

/**
 * Converts an answer as it comes. Resolves with the first piece, so that what fails before it still has a form of its
 * own: throws ConversionError then. A fault that is found later ends the body as the kernel ends it (R72).
 */
export async function convertedAnswer(
  converter: Converter,
  source: HeldSource,
  options: ConvertOptions,
): Promise<CallAnswer> {
  const stream = converter.convertStream(source, options);
  // The second piece of a JSON document tells whether it is whole; a message of a stream must not wait for the next.
  const answer = await begun(endedBySummary(stream), isJsonType(stream.mediaType) ? 2 : 1);
  if (answer.ending() === undefined) source.passOn();
  return answer;
}

/**
 * Converts an answer that is a failure whatever it says: its content is kept, its status is error. Throws
 * the failure itself where the body is no result.
 */
export async function failedByStatus(
  converter: Converter,
  fault: ConversionError,
  source: AsyncIterable<Uint8Array>,
  { to, from, ...options }: ConvertOptions,
): Promise<CallAnswer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source) chunks.push(chunk);
  const parsed = onlyResult(() => converter.parse(Buffer.concat(chunks), { ...options, from }));
  if (parsed === undefined) throw fault;
  const { result, origin } = parsed;
  const error = result.error ?? { message: fault.message, code: fault.code };
  const conversion = converter.render({ ...result, status: "error", error }, { ...options, to, origin });
  return wholeAnswer(outputText(conversion), {
    status: "error",
    losses: [...parsed.losses, ...conversion.losses],
    fault,
  });
}

/** The one result of a reading; none where there are more, or the body is no result at all. */
function onlyResult(read: () => readonly Parsed[]): Parsed | undefined {
  try {
    const [first, ...others] = read();
    return others.length === 0 ? first : undefined;
  } catch (error) {
    if (isConversionError(error)) return undefined;
    throw error;
  }
}

/** A failure of the tool's server, or of reading its answer, as a result of status `error`. */
export function failedAnswer(
  converter: Converter,
  fault: ConversionError,
  { to, from: _, mode: __, failOn: ___, ...options }: ConvertOptions,
): CallAnswer {
  // A policy that refuses losses judges what a tool said; this is what the gateway says.
  const conversion = converter.render(
    { status: "error", error: { message: fault.message, code: fault.code }, content: [] },
    { ...options, to },
  );
  return wholeAnswer(outputText(conversion), { status: "error", losses: conversion.losses, fault });
}

/** Codes by which the operator's own policy refuses a result that could be read. */
const policyCodes: ReadonlySet<ErrorCode> = new Set(["losses-refused", "audience-refused"]);

/**
 * What went wrong with a call after it was sent, as an error that names whose fault it is: a fault of reading the
 * answer is one of the tool's server. What a plugin throws against its contract is told to the operator by its kind
 * and place, and to the caller as a fault of the upstream.
 */
export function faultOf(
  error: unknown,
  { upstream }: Pick<RouteConfig, "upstream">,
  exchange: Exchange,
): ConversionError {
  const { signal } = exchange;
  if (!isConversionError(error)) {
    exchange.note(faultFacts(error));
    return new ConversionError("adapter-failed", `the upstream ${upstream} failed within the gateway`);
  }
  if (signal.aborted && isConversionError(signal.reason)) return signal.reason;
  const isAnswersFault = errorTable[error.code].http < 499 && !policyCodes.has(error.code);
  if (!isAnswersFault) return error;
  return new ConversionError("answer-invalid", `${error.code}: ${error.message}`, { cause: error });
}

async function* endedBySummary(stream: ConversionStream): Ended<string> {
  yield* stream;
  const { losses, status = "success", fault } = await stream.summary;
  return { status, losses, ...(fault !== undefined && { fault }) };
}

/** Takes as many pieces as `ahead` says before it answers. */
async function begun(pieces: Ended<string>, ahead: number): Promise<CallAnswer> {
  let ending: Ending | undefined;
  const next = async (): Promise<string | undefined> => {
    const step = await pieces.next();
    if (step.done !== true) return step.value;
    ending = step.value;
    return undefined;
  };
  const first: string[] = [];
  while (first.length < ahead) {
    const piece = await next();
    if (piece === undefined) break;
    first.push(piece);
  }
  async function* body(): AsyncGenerator<string, void> {
    try {
      yield* first;
      while (ending === undefined) {
        const piece = await next();
        if (piece !== undefined) yield piece;
      }
    } finally {
      // Whoever leaves early ends the upstream call, too; after the end this does nothing.
      await pieces.return({ status: "error", losses: [] });
    }
  }
  return { body: body(), ending: () => ending };
}

function wholeAnswer(text: string, ending: Ending): CallAnswer {
  async function* body(): AsyncGenerator<string, void> {
    yield text;
  }
  return { body: body(), ending: () => ending };
}
