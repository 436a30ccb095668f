import type { Adapter, Origin, Progress, StreamFormat } from "./adapter.ts";
import type { ToolCall } from "./call.ts";
import { type Detection, detectWith } from "./detection.ts";
import { ConversionError, isConversionError } from "./errors.ts";
import { checkAdapter, type FormatReference, resolveReference, targetOf } from "./format-reference.ts";
import { type ToolResult, toolResultSchema } from "./ir.ts";
import type { JsonValue } from "./json/json-value.ts";
import { stableStringify } from "./json/stringify.ts";
import { type CallReference, type ReadCallOptions, readCall, writeCall } from "./kernel/call.ts";
import {
  type Conversion,
  conversionOf,
  convertResult,
  type Inspection,
  type Outcome,
  piecesOf,
  type Target,
} from "./kernel/convert.ts";
import { checkJson, decodeText, type Input, ReadSession } from "./kernel/read.ts";
import { type Resolved, resolveReading, type Side } from "./kernel/resolve.ts";
import {
  convertStream,
  decodeBytes,
  failingAsSource,
  type StreamSummary,
  streamSummaryOf,
} from "./kernel/stream.ts";
import { type Loss, lossEntry } from "./losses.ts";
import { type ConversionOptions, defaultLimits, type Limits } from "./options.ts";
import { checkOptions } from "./options-check.ts";
import { platform } from "./platform/index.ts";

export type { Detection } from "./detection.ts";
export type { FormatReference } from "./format-reference.ts";
export type { CallReference, ReadCallOptions } from "./kernel/call.ts";
export type { Conversion, Inspection } from "./kernel/convert.ts";
export type { Input } from "./kernel/read.ts";

export interface ConvertOptions extends ConversionOptions {
  /** The source's format, or `auto` to recognise it; nothing is converted on a guess (R80). */
  readonly from: FormatReference;
  readonly to: FormatReference;
}

export interface StreamOptions extends ConvertOptions {
  /** Told what the source says while it runs (R71). */
  readonly onProgress?: (progress: Progress) => void;
}

/** The output of `convertStream`. */
export interface ConversionStream extends AsyncIterable<string> {
  readonly mediaType: string;
  /** Settles when the iteration ends; rejects with the error that ended it. */
  readonly summary: Promise<StreamSummary>;
}

export interface ReadOptions
  extends Pick<ConversionOptions, "mode" | "limits" | "toolCallId" | "carried" | "carryKey"> {
  readonly from: FormatReference;
}

export interface RenderOptions extends ConversionOptions {
  readonly to: FormatReference;
  /** The format that the result was read from, whose own spelling holds (R8). Default: none of the formats. */
  readonly origin?: Origin;
}

export interface Parsed {
  readonly result: ToolResult;
  readonly origin: Origin;
  readonly losses: readonly Loss[];
}

export type Validation =
  | { readonly valid: true; readonly results: number; readonly losses: readonly Loss[] }
  | { readonly valid: false; readonly error: ConversionError };

export interface FormatInfo {
  readonly id: string;
  readonly title: string;
  readonly spec: Adapter["spec"];
  readonly dialects: readonly {
    readonly id: string;
    readonly title: string;
    readonly output: boolean;
    readonly mediaType: string;
    /** Whether a carry has room in the payload (R30). */
    readonly carry: boolean;
  }[];
}

/** Everything this package does with tool results, bound to a set of adapters. All methods are pure (R13). */
export interface Converter {
  readonly adapters: readonly Adapter[];
  /** Converts the one result of a document. Throws ConversionError: `many-results` where there are several (R24). */
  convert(input: Input, options: ConvertOptions): Conversion;
  /** Converts every result of a document, in order. */
  convertAll(input: Input, options: ConvertOptions): readonly Conversion[];
  /** As `convert`, with the result in the IR and the differences behind the losses, for tests. */
  inspect(input: Input, options: ConvertOptions): Inspection;
  /**
   * Converts text or bytes as they come (R70 to R72). Iterate it once for the output's text; `summary` answers after
   * the last piece. A large file is passed on chunk by chunk where both sides allow it, and each item by itself between
   * streams of one format; everything else is read whole. Where the source throws a `ConversionError`, a stream ends as
   * a result of status `error`. Leaving the output leaves the source as soon as that gives its next piece: a source that
   * may hang needs a signal of its own.
   */
  convertStream(source: AsyncIterable<Uint8Array | string>, options: StreamOptions): ConversionStream;
  /** Every result of a document in the IR, with its carry applied. */
  parse(input: Input, options: ReadOptions): readonly Parsed[];
  /** Writes a result of the IR in a format. Throws `invalid-payload` where it does not fit the IR's schema. */
  render(result: ToolResult, options: RenderOptions): Conversion;
  /** Recognises a document by its shape; never throws for a document that can be read (R80). */
  detect(input: Input): Detection;
  /** Whether a document can be read as the format, without converting it. */
  validate(input: Input, options: ReadOptions): Validation;
  /** The form in which payloads that say the same are equal (R10): JSON text with sorted keys. */
  canonical(input: Input, options: ReadOptions): string;
  /** Reads the call of a tool: the canonical call, whatever platform made it. Throws ConversionError. */
  parseCall(input: Input, options: ReadCallOptions): ToolCall;
  /** Writes the call of a tool as a format spells it. */
  renderCall(call: ToolCall, options: { readonly to: CallReference }): JsonValue;
  formats(): readonly FormatInfo[];
}

/** Binds the library to adapters. Ids are unique; throws `invalid-adapter` otherwise. */
export function createConverter(adapters: readonly Adapter[]): Converter {
  const byId = new Map<string, Adapter>();
  for (const adapter of adapters) {
    checkAdapter(adapter);
    if (byId.has(adapter.id))
      throw new ConversionError("invalid-adapter", `two adapters have the id ${adapter.id}`);
    byId.set(adapter.id, adapter);
  }

  const convertEach = (input: Input, options: ConvertOptions, target: Target, pick: boolean) => {
    checkOptions(options);
    const limits = limitsOf(options);
    const source = sourceOf(input, options.from, byId);
    const { resolved, readLosses } = readAll(input, source, options, limits, pick);
    const first = options.batchPosition ?? 0;
    return resolved.map((one, index) =>
      convertResult(one, {
        target,
        options,
        limits,
        position: first + index,
        readLosses: index === 0 ? readLosses : [],
      }),
    );
  };
  /** `readAll` has picked exactly one. */
  const convertOne = (input: Input, options: ConvertOptions, target: Target): Outcome =>
    convertEach(input, options, target, true)[0] as Outcome;

  async function* pieces(
    source: AsyncIterable<Uint8Array | string>,
    target: Target,
    options: StreamOptions,
  ): AsyncGenerator<string, StreamSummary> {
    const side = options.from === "auto" ? undefined : resolveReference(options.from, byId);
    const format = side === undefined ? undefined : streamFormatOf(side);
    if (side !== undefined && format !== undefined) {
      const request = {
        source: side,
        format,
        target,
        options,
        limits: limitsOf(options),
        onProgress: options.onProgress,
      };
      return yield* convertStream(decodeBytes(failingAsSource(source)), request);
    }
    const outcome = convertOne(await gather(source), options, target);
    yield* piecesOf(outcome, target.dialect);
    return streamSummaryOf(outcome, target.dialect);
  }
  return {
    adapters,
    convert: (input, options) => {
      const target = targetOf(options.to, byId);
      return conversionOf(convertOne(input, options, target), target.dialect);
    },
    convertAll: (input, options) => {
      const target = targetOf(options.to, byId);
      return convertEach(input, options, target, false).map((outcome) =>
        conversionOf(outcome, target.dialect),
      );
    },
    inspect: (input, options) => {
      const target = targetOf(options.to, byId);
      const outcome = convertOne(input, options, target);
      const { result, delta, report } = outcome;
      return { conversion: conversionOf(outcome, target.dialect), result, delta, report };
    },
    convertStream: (source, options) => {
      checkOptions(options);
      const target = targetOf(options.to, byId);
      return streamOf(target.dialect.mediaType, () => pieces(source, target, options));
    },
    parse: (input, options) => {
      const limits = limitsOf(options);
      const source = sourceOf(input, options.from, byId);
      const { resolved, readLosses } = readAll(input, source, options, limits, false);
      return resolved.map(({ result, origin, losses }) => ({
        result,
        origin,
        losses: [...readLosses, ...losses].map(asLoss),
      }));
    },
    render: (result, options) => {
      checkOptions(options);
      const checked = toolResultSchema.safeParse(result);
      if (!checked.success)
        throw new ConversionError("invalid-payload", `ir: ${checked.error.issues[0]?.message ?? ""}`);
      const resolved: Resolved = {
        result,
        origin: options.origin ?? { format: "ir" },
        trusted: false,
        losses: [],
        pointerOf: (place) => place,
      };
      const target = targetOf(options.to, byId);
      const request = { target, options, limits: limitsOf(options), position: 0, readLosses: [] };
      return conversionOf(convertResult(resolved, request), target.dialect);
    },
    detect: (input) => detectWith(input, adapters),
    validate: (input, options) => {
      try {
        const { resolved, readLosses } = readAll(
          input,
          sourceOf(input, options.from, byId),
          options,
          limitsOf(options),
          false,
        );
        return { valid: true, results: resolved.length, losses: readLosses.map(asLoss) };
      } catch (error) {
        if (isConversionError(error)) return { valid: false, error };
        throw error;
      }
    },
    canonical: (input, options) => {
      const source = sourceOf(input, options.from, byId);
      const session = new ReadSession(
        source.adapter,
        source.dialect,
        limitsOf(options),
        options.mode ?? "lenient",
      );
      const document = session.document(input);
      return stableStringify(session.canonical(document, (source.dialect ?? source.adapter.dialects[0]).id));
    },
    parseCall: (input, options) => readCall(input, options, byId),
    renderCall: (call, { to }) => writeCall(call, to, byId),
    formats: () => adapters.map(formatInfo),
  };
}

/** Where no dialect is named, any stream reader of the format must read all of its spellings. */
function streamFormatOf({ adapter, dialect }: Side): StreamFormat | undefined {
  return dialect === undefined
    ? adapter.dialects.find(({ stream }) => stream !== undefined)?.stream
    : dialect.stream;
}

/** All of a source as one input, bytes kept as bytes so that their encoding is checked as a whole. */
async function gather(source: AsyncIterable<Uint8Array | string>): Promise<Input> {
  const pieces: Uint8Array[] = [];
  for await (const piece of source)
    pieces.push(typeof piece === "string" ? platform.encodeUtf8(piece) : piece);
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const piece of pieces) {
    bytes.set(piece, offset);
    offset += piece.length;
  }
  return bytes;
}

function streamOf(mediaType: string, run: () => AsyncGenerator<string, StreamSummary>): ConversionStream {
  let settle: { resolve: (summary: StreamSummary) => void; reject: (reason: unknown) => void } | undefined;
  const summary = new Promise<StreamSummary>((resolve, reject) => {
    settle = { resolve, reject };
  });
  // Whoever only iterates sees the error there; it must not count as unhandled here.
  summary.catch(() => undefined);
  async function* iterate(): AsyncGenerator<string, void> {
    try {
      settle?.resolve(yield* run());
    } catch (error) {
      settle?.reject(error);
      throw error;
    }
  }
  return { mediaType, summary, [Symbol.asyncIterator]: iterate };
}

function asLoss({
  code,
  pointer,
  detail,
}: {
  code: Loss["code"];
  pointer: Loss["pointer"];
  detail: string;
}): Loss {
  const { severity, returns } = lossEntry(code);
  return { code, severity, pointer, detail, carried: returns };
}

function formatInfo({ id, title, spec, dialects }: Adapter): FormatInfo {
  return {
    id,
    title,
    spec,
    dialects: dialects.map((dialect) => ({
      id: dialect.id,
      title: dialect.title,
      output: dialect.output,
      mediaType: dialect.mediaType,
      carry: dialect.embedCarry !== undefined,
    })),
  };
}

function limitsOf(options: Pick<ConversionOptions, "limits">): Limits {
  return { ...defaultLimits, ...options.limits };
}

function readAll(
  input: Input,
  source: Side,
  options: Omit<ReadOptions, "from">,
  limits: Limits,
  pick: boolean,
): { resolved: readonly Resolved[]; readLosses: ReadSession["losses"] } {
  const session = new ReadSession(source.adapter, source.dialect, limits, options.mode ?? "lenient");
  const readings = session.results(session.document(input));
  const resolved = readings.map((reading) => resolveReading(reading, source, session, options, limits));
  return { resolved: pick ? [pickOne(resolved, options.toolCallId)] : resolved, readLosses: session.losses };
}

/** R24: one result, or the one of several that the caller names. */
function pickOne(resolved: readonly Resolved[], toolCallId: string | undefined): Resolved {
  const ids = resolved.map(({ result }) => result.toolCallId);
  const [first] = resolved;
  if (first === undefined) throw new ConversionError("result-not-found", "the document holds no result");
  if (resolved.length === 1) return first;
  const named = ids.map((id) => id ?? "(no id)").join(", ");
  if (toolCallId === undefined) {
    throw new ConversionError("many-results", `the document holds ${ids.length} results: ${named}`, {
      data: { ids },
    });
  }
  const found = resolved.find(({ result }) => result.toolCallId === toolCallId);
  if (found !== undefined) return found;
  throw new ConversionError("result-not-found", `no result has this id; the document holds: ${named}`, {
    data: { ids },
  });
}

function sourceOf(input: Input, reference: FormatReference, byId: ReadonlyMap<string, Adapter>): Side {
  if (reference !== "auto") return resolveReference(reference, byId);
  const detection = detectWith(input, [...byId.values()]);
  if (detection.outcome === "recognised") {
    return resolveReference(
      detection.dialect === undefined ? detection.format : `${detection.format}:${detection.dialect}`,
      byId,
    );
  }
  if (detection.outcome === "unknown") {
    // Text that is no JSON at all is better told as that.
    const text = input instanceof Uint8Array ? decodeText(input) : input;
    if (typeof text === "string") checkJson(text);
    throw new ConversionError("unrecognised-format", "no format recognises the document");
  }
  const names = detection.candidates.map(({ format, dialect }) =>
    dialect === undefined ? format : `${format}:${dialect}`,
  );
  throw new ConversionError("ambiguous-format", `could be ${names.join(" or ")}; name it with \`from\``, {
    data: { candidates: detection.candidates },
  });
}
