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
    case "UND_ERR_INVALID_ARG":
    case "UND_ERR_NOT_SUPPORTED":
      return new ConversionError("request-refused", "the request has a header that cannot be sent on");
    default:
      if (isTls(code)) return unreached(`no secure connection could be made (${code})`);
      return unreached(unreachable[code] ?? "the connection failed");
  }
}

/** The fault of a request that was sent, in part or whole. */
export function answerFault(error: unknown): ConversionError {
  if (isConversionError(error)) return error;
  const code = codeOf(error);
  if (code === "UND_ERR_HEADERS_OVERFLOW") return notTaken("the head of the answer is too large");
  if (isMalformed(code, error)) return notTaken("the answer is not HTTP");
  return new ConversionError(
    "upstream-disconnected",
    "the connection broke before the answer was complete; the tool may have run",
  );
}

export function notTaken(detail: string): ConversionError {
  return new ConversionError("upstream-protocol", detail);
}

export function timedOut(what: string, milliseconds: number, setting: string): ConversionError {
  return new ConversionError("upstream-timeout", `${what} within ${milliseconds} ms (\`${setting}\`)`);
}

/** Why a call was ended from this side. */
export function reasonOf({ reason }: AbortSignal): ConversionError {
  return isConversionError(reason)
    ? reason
    : new ConversionError("cancelled", "nobody waits for the answer any more");
}

function unreached(detail: string): ConversionError {
  return new ConversionError("upstream-unreachable", detail);
}

function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  return typeof code === "string" ? code : "";
}

/** What the parser refuses, except that the text ends too early; and answers of the wrong kind (1xx). */
function isMalformed(code: string, error: unknown): boolean {
  if (code.startsWith("HPE_")) return code !== "HPE_INVALID_EOF_STATE";
  return (
    code === "UND_ERR_SOCKET" && error instanceof Error && /^bad (response|upgrade)$/.test(error.message)
  );
}

/** Node and OpenSSL name the faults of certificates and handshakes in these ways. */
function isTls(code: string): boolean {
  return /^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|EPROTO$)/.test(code);
}
