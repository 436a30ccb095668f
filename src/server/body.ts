import { ConversionError } from "../errors.ts";

/** What a payload can come as: one JSON document, lines, or events. */
const mediaTypes = ["application/json", "application/x-ndjson", "text/event-stream"];

/**
 * The pieces of a request body as they come. The iteration throws `unsupported-media-type` for another media type,
 * character set or content coding, `invalid-json` at the end of an empty one, and `cancelled` where the connection
 * broke.
 */
export async function* checkedBody(
  headers: Headers,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  checkHeaders(headers);
  let isEmpty = true;
  try {
    for await (const chunk of source) {
      if (chunk.length > 0) isEmpty = false;
      yield chunk;
    }
  } catch (cause) {
    throw new ConversionError("cancelled", "the connection broke before the end of the body", { cause });
  }
  if (isEmpty) throw new ConversionError("invalid-json", "the request has no body");
}

/** The media type without its parameters, in lower case; empty where there is none. */
export function mediaTypeOf(headers: Headers): string {
  const [type = ""] = (headers.get("content-type") ?? "").split(";", 1);
  return type.trim().toLowerCase();
}

export function tooLarge(maxBytes: number): ConversionError {
  return new ConversionError(
    "body-too-large",
    `the body is larger than ${maxBytes} bytes (\`server.maxBodyBytes\`)`,
  );
}

function checkHeaders(headers: Headers): void {
  const coding = headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (coding !== "identity" && coding !== "") refuse("the body has a content coding");
  const mediaType = mediaTypeOf(headers);
  if (mediaType === "") refuse("the request has no Content-Type");
  if (!mediaTypes.includes(mediaType)) refuse("the Content-Type is another");
  const [, ...parameters] = (headers.get("content-type") ?? "").toLowerCase().split(";");
  const charset = parameters.map((one) => one.trim()).find((one) => one.startsWith("charset="));
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset))
    refuse("the character set is not UTF-8");
}

function refuse(reason: string): never {
  throw new ConversionError(
    "unsupported-media-type",
    `${reason}; read are ${mediaTypes.join(", ")} in UTF-8`,
  );
}
