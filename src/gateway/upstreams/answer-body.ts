import type { Converter } from "../../converter.ts";
import { ConversionError } from "../../errors.ts";
import type { ClientAnswer } from "../client/http-client.ts";

/** Media types that a payload of any format can come as. */
const payloadTypes = ["application/json", "application/x-ndjson", "text/event-stream"];

/** The media type of a format reference, `dify:sse`. */
export function mediaTypeOf(reference: string, { formats }: Converter): string {
  const [id, dialect] = reference.split(":", 2);
  const dialects = formats().find((format) => format.id === id)?.dialects ?? [];
  return (dialects.find((one) => one.id === dialect) ?? dialects[0])?.mediaType ?? "application/json";
}

/**
 * The body of an answer that can be a payload. Throws the failure that its status says, or `upstream-protocol`, for
 * another media type (a page for people, a file) or a character set that is not UTF-8; a server that names no type is
 * taken by what it sends.
 */
export function readable(
  answer: ClientAnswer,
  failure: ConversionError | undefined,
): AsyncIterable<Uint8Array> {
  const { headers, body } = answer;
  const [type = "", ...parameters] = (headers["content-type"] ?? "").toLowerCase().split(";");
  const mediaType = type.trim();
  const isPayload = mediaType === "" || payloadTypes.includes(mediaType) || mediaType.endsWith("+json");
  const charset = parameters.map((one) => one.trim()).find((one) => one.startsWith("charset="));
  if (isPayload && (charset === undefined || /^charset="?utf-?8"?$/.test(charset))) return body;
  void discard(answer);
  throw (
    failure ??
    new ConversionError("upstream-protocol", `the answer is not ${payloadTypes.join(", ")} in UTF-8`)
  );
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
