import type { MediaPart, Part, ResourcePart } from "../ir.ts";
import { essence, mediaKindOf } from "../media-type.ts";
import { sniffMimeType } from "../platform/base64.ts";

/** Text kinds and containers hold other files' beginnings rightly, so their declaration stands (R61). */
const neverCorrected =
  /^(?:text\/|image\/svg\+xml$|application\/(?:zip|msword|x-ole-storage|epub\+zip|vnd\.))|\+(?:zip|xml|json)$/;

/**
 * The part with its MIME type as the target may rely on it (R61): lower case, `image/jpeg` for `image/jpg`, and the
 * type that the leading bytes tell where the declaration contradicts them. The same object where nothing changes.
 */
export function withTrueMimeType(part: Part): Part {
  if (part.type !== "media" && part.type !== "resource") return part;
  const declared = part.mimeType;
  const mimeType = trueMimeType(declared, part.data);
  if (mimeType === declared || mimeType === undefined) return part;
  return part.type === "media" ? mediaAs(part, mimeType) : resourceAs(part, mimeType);
}

function mediaAs(part: MediaPart, mimeType: string): MediaPart {
  return { ...part, mimeType, kind: mediaKindOf(essence(mimeType)) };
}

function resourceAs(part: ResourcePart, mimeType: string): ResourcePart {
  return { ...part, mimeType };
}

function trueMimeType(declared: string | undefined, data: string | undefined): string | undefined {
  const type = declared === undefined ? undefined : essence(declared);
  const found = data === undefined ? undefined : sniffMimeType(data);
  if (found !== undefined && found !== type && !(type !== undefined && neverCorrected.test(type)))
    return found;
  if (declared === undefined || type === undefined) return declared;
  // Parameters (`; charset=utf-8`) stay as they are; only the spelling of the type itself is mended.
  const semicolon = declared.indexOf(";");
  return semicolon === -1 ? type : type + declared.slice(semicolon);
}
