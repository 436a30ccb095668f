import type { Dialect, Progress, StreamFormat } from "../adapter.ts";
import type { ConversionError } from "../errors.ts";
import type { ResultError, ToolResult } from "../ir.ts";
import type { JsonValue } from "../json/json-value.ts";
import { stringify } from "../json/stringify.ts";
import type { ConversionOptions, Limits } from "../options.ts";
import { type Conversion, type Outcome, summaryOf, type Target } from "./convert.ts";
import type { Side } from "./resolve.ts";

export interface StreamRequest {
  readonly source: Side;
  readonly format: StreamFormat;
  readonly target: Target;
  readonly options: ConversionOptions;
  readonly limits: Limits;
  readonly onProgress: ((progress: Progress) => void) | undefined;
}

/** What stands between the items of a stream and the text of the output. */
export interface StreamWriter {
  /** Takes the next item and writes what can be written already. */
  take(item: JsonValue): Generator<string, void>;
  /**
   * Whether the output can still be ended as a whole result that says what went wrong. Before the first byte only where
   * the source broke off (`isSource`): a source that says something wrong gives no result (R14, R70).
   */
  canClose(isSource: boolean): boolean;
  /** Writes what is left. With a fault, what was read so far becomes a result of status `error` (R72). */
  finish(fault?: ConversionError): Generator<string, StreamSummary>;
}

/** What is known at the end of a stream: a conversion without its output. */
export type StreamSummary = Omit<Conversion, "output"> & {
  /** Of the result that was written; absent where the source did not say. */
  readonly status?: "success" | "error";
  /** `error.code` of that result, as text. */
  readonly errorCode?: string;
  /** A fault of the source that was found on the way; the output ends as a result of status `error`. */
  readonly fault?: ConversionError;
};

/** What is known at the end of a conversion that was written piece by piece. */
export function streamSummaryOf(outcome: Outcome, dialect: Dialect): StreamSummary {
  const { status, error } = outcome.result;
  return {
    ...summaryOf(outcome, dialect),
    ...(status === undefined ? {} : { status }),
    ...(error?.code === undefined ? {} : { errorCode: textOf(error.code) }),
  };
}

function textOf(code: NonNullable<ResultError["code"]>): string {
  return typeof code === "string" ? code : stringify(code);
}

/** What was read until a fault, as a result that says the fault. */
export function failedBy(fault: ConversionError | undefined, result: ToolResult): ToolResult {
  if (fault === undefined) return result;
  return { ...result, status: "error", error: { message: fault.message, code: fault.code } };
}
