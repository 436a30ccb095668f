import { ConversionError, isConversionError } from "../../errors.ts";

/**
 * Faults of the network in the words of this package. They never hold the address, a header or anything received: the
 * errors of undici do, so none is kept as a cause.
 */

/** Codes of the system for a connection that could not be made. */
const unreachable: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  EHOSTUNREACH: "there is no way to the host",
  ENETUNREACH: "there is no way to the network",
  EADDRNOTAVAIL: "the address is not available",
  ENOTFOUND: "the name of the host is not known",
  EAI_AGAIN: "the name of the host could not be looked up",
};

/** The fault of a request of which nothing was sent. */
export function connectFault(error: unknown, connectTimeout: number): ConversionError {
  if (isConversionError(error)) return error;
  const code = codeOf(error);
  switch (code) {
    case "UND_ERR_CONNECT_TIMEOUT":
      return unreached(`no connection within ${connectTimeout} ms (\`connectTimeout\`)`);
    case "UND_ERR_DESTROYED":
      return clientClosed();
    case "UND_ERR_INVALID_ARG":
    case "UND_ERR_NOT_SUPPORTED":
      return new ConversionError("request-refused", "the request has a header that cannot be sent on");
    default:
      if (isTls(code)) return unreached(`no secure connection could be made (${code})`);
      return unreached(unreachable[code] ?? "the connection failed");
  }
}

/** The fault of a request that was sent, in part or whole; `hasHead` where the head of its answer has come. */
export function answerFault(error: unknown, hasHead: boolean): ConversionError {
  if (isConversionError(error)) return error;
  if (codeOf(error) === "UND_ERR_HEADERS_OVERFLOW") return notTaken("the head of the answer is too large");
  if (isMalformed(error, hasHead)) return notTaken("the answer is not HTTP as it must be");
  return new ConversionError(
    "upstream-disconnected",
    "the connection broke before the answer was complete; the tool may have run",
  );
}

/** The fault of an answer that this client does not take; `detail` says why, without quoting it. */
export function notTaken(detail: string): ConversionError {
  return new ConversionError("upstream-protocol", detail);
}

/** The fault of a phase that was not over in its time, by the name of the setting. */
export function timedOut(what: string, milliseconds: number, setting: string): ConversionError {
  return new ConversionError("upstream-timeout", `${what} within ${milliseconds} ms (\`${setting}\`)`);
}

/** Why a call was ended from this side. */
export function reasonOf({ reason }: AbortSignal): ConversionError {
  return isConversionError(reason)
    ? reason
    : new ConversionError("cancelled", "nobody waits for the answer any more");
}

/** The fault of a call that the closing of the client ends. */
export function clientClosed(): ConversionError {
  return new ConversionError("cancelled", "the gateway has closed its connections");
}

function unreached(detail: string): ConversionError {
  return new ConversionError("upstream-unreachable", detail);
}

function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  return typeof code === "string" ? code : "";
}

/** Whether undici's parser refused what it read, other than for its early end; undici tells that by no code. */
function isMalformed(error: unknown, hasHead: boolean): boolean {
  if (!(error instanceof Error)) return false;
  const { name, message } = error;
  switch (name) {
    case "HTTPParserError":
      return !message.endsWith("(Invalid EOF state)");
    case "SocketError":
      // An answer of 100 or 101, which nobody asked for.
      return message === "bad response" || message === "bad upgrade";
    case "ResponseContentLengthMismatchError":
      // Of a head with a length every fault is called so.
      return !hasHead;
    default:
      return false;
  }
}

/** Node and OpenSSL name the faults of certificates and handshakes in these ways. */
function isTls(code: string): boolean {
  return /^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|EPROTO$)/.test(code);
}
