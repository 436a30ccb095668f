import { stringify } from "./json/stringify.ts";
import type { Conversion } from "./kernel/convert.ts";

/** Whether a media type is that of one JSON document, and not of lines or events. */
export function isJsonType(mediaType: string): boolean {
  return mediaType === "application/json" || mediaType.endsWith("+json");
}

/** What a conversion writes: JSON text, or the text of a dialect of lines or events as it is. */
export function outputText({ output, mediaType }: Conversion, indent = 0): string {
  return typeof output === "string" && !isJsonType(mediaType) ? output : stringify(output, { indent });
}

/** A conversion as one JSON document: `{ output, losses, carry? }`. */
export function envelopeText({ output, losses, carry }: Conversion, indent = 0): string {
  const envelope = {
    output,
    losses: losses.map((loss) => ({ ...loss })),
    ...(carry !== undefined && { carry }),
  };
  return stringify(envelope, { indent });
}
