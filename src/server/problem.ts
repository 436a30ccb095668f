import { type ConversionError, type ErrorCode, errorTable } from "../errors.ts";
import { refusedLosses } from "../refused-losses.ts";
import type { Answer } from "./endpoint.ts";

export const problemType = "application/problem+json";

/** Bytes of one problem document; what does not fit is left out. */
const maxProblemBytes = 8 * 1024;
const maxListed = 20;
const maxText = 512;

/** An RFC 9457 problem document. Never holds a payload: the errors behind it do not. */
interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: ErrorCode;
  readonly detail: string;
  /** JSON Pointer into the request body. */
  readonly pointer?: string;
  /** What the caller can do. */
  readonly todo: string;
  readonly requestId: string;
  /** The losses behind `losses-refused`, as many as fit. */
  readonly losses?: readonly unknown[];
  /** How many losses there were, where not all of them are listed. */
  readonly lossCount?: number;
}

/** The problem document of an error, as JSON text of at most 8 KiB. */
export function problemText(error: ConversionError, requestId: string): string {
  const { what, todo, http } = errorTable[error.code];
  const problem: Problem = {
    type: `urn:tool-result-gateway:error:${error.code}`,
    title: what,
    status: http,
    code: error.code,
    detail: cut(error.message),
    ...(error.pointer !== "" && { pointer: cut(error.pointer) }),
    todo,
    requestId,
  };
  const losses = refusedLosses(error);
  for (let listed = Math.min(losses.length, maxListed); listed > 0; listed -= 1) {
    const whole: Problem = {
      ...problem,
      losses: losses.slice(0, listed),
      ...(listed < losses.length && { lossCount: losses.length }),
    };
    const text = JSON.stringify(whole);
    if (Buffer.byteLength(text) <= maxProblemBytes) return text;
  }
  return JSON.stringify(problem);
}

/** The answer to a request that failed. */
export function problemAnswer(error: ConversionError, requestId: string): Answer {
  return {
    status: errorTable[error.code].http,
    headers: { "Content-Type": problemType, ...headersOf(error) },
    body: problemText(error, requestId),
  };
}

/** The answer where the program itself is at fault: nothing of the cause is told. */
export function faultAnswer(requestId: string): Answer {
  const problem = { type: "about:blank", title: "Internal Server Error", status: 500, requestId };
  return { status: 500, headers: { "Content-Type": problemType }, body: JSON.stringify(problem) };
}

/** What a status asks its headers to say (RFC 9110, 10.2.3, 10.2.1 and 11.6.1). */
function headersOf({ code, data }: ConversionError): Readonly<Record<string, string>> {
  switch (code) {
    case "request-refused":
      return { Connection: "close" };
    case "unauthorized":
      return { "WWW-Authenticate": "Bearer" };
    case "overloaded":
    case "draining":
      return { "Retry-After": "1" };
    case "rate-limited":
      return { "Retry-After": String(data.retryAfter) };
    case "method-not-allowed":
      return { Allow: String(data.allow) };
    default:
      return {};
  }
}

/** A pointer or a message can quote a long key or word; in JSON no character of it takes more than six bytes. */
function cut(text: string): string {
  return text.length <= maxText ? text : `${text.slice(0, maxText)}...`;
}
