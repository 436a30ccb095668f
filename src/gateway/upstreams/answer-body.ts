import type { Converter } from "../../converter.ts";
import { ConversionError } from "../../errors.ts";
import type { ClientAnswer } from "../client/http-client.ts";

/** Media types that a payload of any format can come as. */
const payloadTypes = ["application/json", "application/x-ndjson", "text/event-stream"];

/** What to accept for a format reference: the media type of `dify:sse`, those of all that `dify` has. */
export function acceptOf(reference: string, { formats }: Converter): string {
  const [id, dialect] = reference.split(":", 2);
  const dialects = formats().find((format) => format.id === id)?.dialects ?? [];
  const named = dialects.filter((one) => dialect === undefined || one.id === dialect);
  return [...new Set(named.map(({ mediaType }) => mediaType))].join(", ");
}

/**
 * The body of an answer that can be a payload. Throws the failure that its status says, or `upstream-protocol`, for
 * another media type (a page for people, a file) or a character set that is not UTF-8; a server that names no type is
 * taken by what it sends.
 */
export async function readable(
  answer: ClientAnswer,
  failure?: ConversionError,
): Promise<AsyncIterable<Uint8Array>> {
  const isEmpty = answer.status === 204 || answer.status === 205 || answer.headers["content-length"] === "0";
  if (!isEmpty && isPayload(answer.headers["content-type"] ?? "")) return answer.body;
  await discard(answer);
  if (isEmpty) throw failure ?? new ConversionError("answer-invalid", "the answer has no body");
  const detail = `the answer is not ${payloadTypes.join(", ")} in UTF-8`;
  throw failure ?? new ConversionError("upstream-protocol", detail);
}

function isPayload(contentType: string): boolean {
  const [type = "", ...parameters] = contentType.toLowerCase().split(";");
  const mediaType = type.trim();
  if (mediaType !== "" && !payloadTypes.includes(mediaType) && !mediaType.endsWith("+json")) return false;
  const charset = parameters.map((one) => one.trim()).find((one) => one.startsWith("charset="));
  return charset === undefined || /^charset="?utf-?8"?$/.test(charset);
}

/** What the HTTP status of an answer says of the call. */
export function failureOf({ status }: ClientAnswer): ConversionError | undefined {
  return status < 400
    ? undefined
    : new ConversionError("upstream-status", `the server of the tool answered with HTTP ${status}`);
}

/** Leaves an answer, which ends its connection. */
export async function discard({ body }: ClientAnswer): Promise<void> {
  await body[Symbol.asyncIterator]().return?.();
}
