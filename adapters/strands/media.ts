import type { ParseContext } from "../../src/adapter.ts";
import { isJsonObject } from "../../src/json/json-kind.ts";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import { type Pointer, pointer } from "../../src/pointer.ts";
import { readBytes } from "./bytes.ts";
import { formatName, formatOfMimeType } from "./media-formats.ts";
import { defined, type MediaType, type WireMedia, type WireSource, without } from "./wire.ts";

const documentKeys: ReadonlySet<string> = new Set(["format", "source", "name", "citations", "context"]);
const otherKeys: ReadonlySet<string> = new Set(["format", "source"]);

/** The value of a media block (`place` is its own); undefined where the shape is none that is known. */
export function readMedia(
  type: MediaType,
  media: JsonObject,
  context: ParseContext,
  place: Pointer,
): WireMedia | undefined {
  const { format, source, name, citations, context: modelContext } = media;
  const isDocument = type === "document";
  if (!isTextOrAbsent(format) || !isJsonObject(source)) return undefined;
  if (isDocument && !isTextOrAbsent(name)) return undefined;
  const read = readSource(type, source, context, pointer(place, "source"));
  if (read === undefined) return undefined;
  const known = typeof format === "string" ? formatName(type, format) : undefined;
  return defined({
    type,
    format: known ?? formatOfMimeType(type, read.mimeType),
    source: read.source,
    ...(isDocument
      ? {
          name: typeof name === "string" ? name : undefined,
          citations: citations ?? undefined,
          context: modelContext ?? undefined,
        }
      : {}),
    mediaExtra: without(media, isDocument ? documentKeys : otherKeys),
    sourceExtra: read.extra,
  });
}

interface SourceReading {
  readonly source: WireSource;
  /** That of a `data:` URL. */
  readonly mimeType?: string | undefined;
  readonly extra: JsonObject | undefined;
}

const sourceKeys: ReadonlySet<string> = new Set([
  "bytes",
  "text",
  "content",
  "url",
  "location",
  "s3Location",
]);

/** Exactly one source, of a kind that blocks of this type can have. */
function readSource(
  type: MediaType,
  source: JsonObject,
  context: ParseContext,
  place: Pointer,
): SourceReading | undefined {
  const [key, ...others] = Object.keys(source).filter(
    (name) => sourceKeys.has(name) && source[name] !== null,
  );
  if (key === undefined || others.length > 0) return undefined;
  const isClassForm = typeof source.type === "string" && source.type.startsWith(`${type}Source`);
  const extra = without(source, isClassForm ? new Set([...sourceKeys, "type"]) : sourceKeys);
  const value = source[key] as JsonValue;
  if (key === "bytes") {
    const bytes = readBytes(value, context, pointer(place, key));
    return bytes && { source: { kind: "bytes", data: bytes.data }, mimeType: bytes.mimeType, extra };
  }
  const read = readReference(type, key, value);
  return read && { source: read, extra };
}

function readReference(type: MediaType, key: string, value: JsonValue): WireSource | undefined {
  switch (key) {
    case "text":
      return type === "document" && typeof value === "string" ? { kind: "text", text: value } : undefined;
    case "content":
      return type === "document" && Array.isArray(value) ? readTexts(value) : undefined;
    case "url":
      return type === "image" && typeof value === "string" ? { kind: "url", url: value } : undefined;
    case "location":
      return isJsonObject(value) && value.type === "s3" ? readS3(value) : undefined;
    default:
      return isJsonObject(value) && (value.type ?? "s3") === "s3" ? readS3(value) : undefined;
  }
}

function readTexts(items: readonly JsonValue[]): WireSource | undefined {
  const texts = items.map(textOfItem);
  return texts.every((text) => text !== undefined) ? { kind: "texts", texts } : undefined;
}

/** `{"text": ...}`, or the same as a class; nothing else beside it. */
function textOfItem(item: JsonValue): string | undefined {
  if (!isJsonObject(item) || typeof item.text !== "string") return undefined;
  const known = item.type === "textBlock" ? 2 : 1;
  return Object.keys(item).length === known ? item.text : undefined;
}

function readS3(location: JsonObject): WireSource | undefined {
  const { type: _, uri, bucketOwner, ...rest } = location;
  if (typeof uri !== "string" || !isTextOrAbsent(bucketOwner) || Object.keys(rest).length > 0)
    return undefined;
  return typeof bucketOwner === "string" ? { kind: "s3", uri, bucketOwner } : { kind: "s3", uri };
}

function isTextOrAbsent(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || typeof value === "string";
}
