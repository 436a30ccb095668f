import { ConversionError, isConversionError } from "../errors.ts";
import type { JsonValue } from "../json/json-value.ts";
import { Fold } from "./fold.ts";
import { ReadSession, refuseUtf16 } from "./read.ts";
import { relayFrom } from "./relay.ts";
import type { StreamRequest, StreamSummary, StreamWriter } from "./stream-writer.ts";

export { type StreamSummary, streamSummaryOf } from "./stream-writer.ts";

/** The source itself failed, which is no fault of what it had said so far (R70). */
class SourceFailure extends Error {
  readonly fault: ConversionError;

  constructor(fault: ConversionError) {
    super(fault.message, { cause: fault });
    this.fault = fault;
  }
}

/** A source whose own failures can be told from faults of what it says. */
export async function* failingAsSource<Piece>(source: AsyncIterable<Piece>): AsyncGenerator<Piece, void> {
  try {
    yield* source;
  } catch (error) {
    throw isConversionError(error) ? new SourceFailure(error) : error;
  }
}

/**
 * Converts a stream of text as it comes (R70 to R72). From one stream of a format to another of it each item is passed
 * on by itself where nothing asks for the whole first; else the items are folded into one result. Yields the output's
 * text; returns what is known at its end.
 */
export async function* convertStream(
  texts: AsyncIterable<string>,
  request: StreamRequest,
): AsyncGenerator<string, StreamSummary> {
  const { source, format, limits, options, onProgress } = request;
  const session = new ReadSession(source.adapter, source.dialect, limits, options.mode ?? "lenient");
  const reader = format.reader(session.context);
  const fold = new Fold(request, session);
  let writer: StreamWriter | undefined;
  function* take(items: readonly JsonValue[]): Generator<string, void> {
    for (const item of items) {
      const progress = onProgress === undefined ? undefined : format.progressOf(item);
      if (progress !== undefined) onProgress?.(progress);
      writer ??= relayFrom(item, request, session) ?? fold;
      yield* writer.take(item);
    }
  }
  try {
    for await (const text of texts) yield* take(reader.push(text));
    yield* take(reader.end());
  } catch (error) {
    const isSource = error instanceof SourceFailure;
    const fault = isSource ? error.fault : error;
    const closing = writer ?? fold;
    if (!isConversionError(fault) || !closing.canClose(isSource)) throw fault;
    return { ...(yield* closing.finish(fault)), fault };
  }
  return yield* (writer ?? fold).finish();
}

/** Bytes to text, strictly, however the bytes are cut. Throws `invalid-utf8`. */
export async function* decodeBytes(source: AsyncIterable<Uint8Array | string>): AsyncGenerator<string> {
  // A byte order mark is no part of any item, so the decoder may swallow it.
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const decode = (bytes: Uint8Array | undefined): string => {
    try {
      return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
    } catch (cause) {
      throw new ConversionError("invalid-utf8", "the bytes are not UTF-8", { cause });
    }
  };
  let isFirst = true;
  for await (const piece of source) {
    if (isFirst && typeof piece !== "string") refuseUtf16(piece);
    isFirst = false;
    yield typeof piece === "string" ? piece : decode(piece);
  }
  const last = decode(undefined);
  if (last !== "") yield last;
}
