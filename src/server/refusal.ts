import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { Pair } from "./connections.ts";
import { problemType } from "./problem.ts";

/** What Node's parser and timers find wrong with a request, by the code of the error; everything else is 400. */
const statuses: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
};

/** The status for a connection whose bytes are no request; undefined where nobody is there any more. */
export function refusalStatus({ code = "" }: NodeJS.ErrnoException): number | undefined {
  return code === "ECONNRESET" || code === "EPIPE" ? undefined : (statuses[code] ?? 400);
}

/** A problem document for what is refused before there is a request to handle: fixed, and the same for all. */
export function refusalText(status: number): string {
  return JSON.stringify({
    type: "about:blank",
    title: STATUS_CODES[status],
    status,
    code: "request-refused",
  });
}

/** Answers on the connection itself, unless the answer could be taken for another's, and closes it. */
export function refuseConnection(socket: Duplex, status: number, pending: readonly Pair[]): void {
  if (!socket.writable || !mayAnswer(pending)) {
    socket.destroy();
    return;
  }
  const body = refusalText(status);
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      `Content-Type: ${problemType}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      "Cache-Control: no-store",
      "X-Content-Type-Options: nosniff",
      "Connection: close",
      "",
      body,
    ].join("\r\n"),
  );
}

/** Not inside an answer, and not in the place of one to a whole request that came before. */
function mayAnswer(pending: readonly Pair[]): boolean {
  const [first, ...others] = pending;
  return (
    first === undefined || (others.length === 0 && !first.incoming.complete && !first.outgoing.headersSent)
  );
}
