import { ConversionError } from "../errors.ts";

/** What a payload can come as: one JSON document, lines, or events. */
const mediaTypes = ["application/json", "application/x-ndjson", "text/event-stream"];

/**
 * The bytes of a request body, counted while they come. Throws `unsupported-media-type` for another media type,
 * character set or content coding, `body-too-large` as soon as the limit is passed, and `invalid-json` for none.
 */
export async function readBody(request: Request, maxBytes: number): Promise<Uint8Array> {
  checkHeaders(request.headers);
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const pieces: Uint8Array[] = [];
  let length = 0;
  // The type of `body` says nothing about its chunks; by the Fetch standard they are bytes.
  const chunks = (request.body ?? []) as AsyncIterable<Uint8Array> | readonly Uint8Array[];
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > maxBytes) throw tooLarge(maxBytes);
    pieces.push(chunk);
  }
  if (length === 0) throw new ConversionError("invalid-json", "the request has no body");
  return Buffer.concat(pieces, length);
}

function checkHeaders(headers: Headers): void {
  const coding = headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (coding !== "identity" && coding !== "") refuse("the body has a content coding");
  const [type = "", ...parameters] = (headers.get("content-type") ?? "").toLowerCase().split(";");
  const mediaType = type.trim();
  if (mediaType === "") refuse("the request has no Content-Type");
  if (!mediaTypes.includes(mediaType)) refuse("the Content-Type is another");
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

function tooLarge(maxBytes: number): ConversionError {
  return new ConversionError("body-too-large", `the body is larger than ${maxBytes} bytes`);
}
