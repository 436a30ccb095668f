import type { Log, MediaKind, MediaPart, Part } from "../../src/ir.ts";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import { mediaKindOf, mediaTypeOfFileName } from "../../src/media-type.ts";
import {
  isObject,
  knownKeys,
  type Message,
  only,
  orAbsent,
  storedKeys,
  stringAt,
  without,
} from "./shapes.ts";
import { addressOf, fileOf, isWebUrl, lastSegment, namesStoredFile } from "./stored.ts";

/** Facts of one message that the kernel's form of its part would not say (R8). */
interface Facts {
  readonly type?: string;
  /** Keys of `meta` that Dify resolves; they go back to Dify only, and never as `meta` of the part (R63). */
  readonly meta?: JsonObject;
  /** Unknown keys of the message, those of its payload under `message`. */
  readonly extra?: JsonObject;
}

/** The part that a message of the content shows. */
export function partOf(message: Message): Part {
  if (namesStoredFile(message)) return storedPart(message);
  switch (message.type) {
    case "json":
      return jsonPart(message);
    case "blob":
      return blobPart(message);
    case "link":
    case "image":
      return linkPart(message);
    case "retriever_resources":
      return citationsPart(message);
    default:
      return withFacts({ type: "text", text: textOf(message) }, message, [], {});
  }
}

function jsonPart(message: Message): Part {
  const value = message.message.json_object as JsonValue;
  const isPlain = isObject(value) || Array.isArray(value);
  return withFacts({ type: "json", value }, message, [], isPlain ? {} : { type: "json" });
}

function blobPart(message: Message): Part {
  const { mimeType, fileName } = fileFacts(message.meta);
  const part: Part = {
    type: "media",
    kind: mediaKindOf(mimeType),
    ...(mimeType === undefined ? {} : { mimeType }),
    ...(fileName === undefined ? {} : { fileName }),
    data: stringAt(message.message, "blob") ?? "",
  };
  return withFacts(part, message, takenKeys(message.meta), {});
}

function linkPart(message: Message): Part {
  const { mimeType } = fileFacts(message.meta);
  const part: Part = {
    type: "link",
    kind: message.type === "image" ? "image" : "hyperlink",
    url: textOf(message),
    ...(mimeType === undefined ? {} : { mimeType }),
  };
  const isUsual = isWebUrl(part.url) && (message.type === "link" || mimeType !== undefined);
  return withFacts(
    part,
    message,
    mimeType === undefined ? [] : ["mime_type"],
    isUsual ? {} : { type: message.type },
  );
}

/** A reference to a file that Dify stores: a link, or the file object of a workflow. */
function storedPart(message: Message): Part {
  const file = message.type === "file" ? fileOf(message.meta) : undefined;
  if (message.type === "file" && file === undefined)
    return { type: "opaque", adapter: "dify", value: message };
  const uri = file === undefined ? textOf(message) : addressOf(file);
  const stated = file === undefined ? fileFacts(message.meta) : fileFacts(file);
  const part: MediaPart = {
    type: "media",
    kind: kindOf(message, file, uri, stated.mimeType),
    ...(stated.mimeType === undefined ? {} : { mimeType: stated.mimeType }),
    ...(stated.fileName === undefined ? {} : { fileName: stated.fileName }),
    stored: { uri },
  };
  return withFacts(part, message, file === undefined ? takenKeys(message.meta) : [], { type: message.type });
}

function kindOf(
  { type }: Message,
  file: JsonObject | undefined,
  uri: string,
  mimeType: string | undefined,
): MediaKind {
  const kind = file?.type;
  if (kind === "image" || kind === "audio" || kind === "video") return kind;
  if (mimeType !== undefined) return mediaKindOf(mimeType);
  if (type === "image_link" || type === "image") return "image";
  return mediaKindOf(mediaTypeOfFileName(lastSegment(uri) ?? ""));
}

function citationsPart(message: Message): Part {
  const { retriever_resources: sources, context } = message.message;
  const known = typeof context === "string" ? ["retriever_resources", "context"] : ["retriever_resources"];
  const part: Part = {
    type: "citations",
    sources: sources as readonly JsonValue[],
    ...(typeof context === "string" ? { context } : {}),
  };
  return withFacts(part, message, [], {}, known);
}

/** One log entry; members of another type than the SDK's stay as unknown ones. */
export function logOf(message: Message): Log {
  const { id, label, parent_id: parentId, error, status, data, metadata } = message.message;
  const known: [key: string, field: Log][] = [];
  if (typeof id === "string") known.push(["id", { id }]);
  if (typeof label === "string") known.push(["label", { label }]);
  if (typeof parentId === "string") known.push(["parent_id", { parentId }]);
  if (typeof error === "string") known.push(["error", { error }]);
  if (status === "start" || status === "success" || status === "error") known.push(["status", { status }]);
  if (data !== undefined) known.push(["data", { data }]);
  if (isObject(metadata)) known.push(["metadata", { meta: metadata }]);
  const { meta, extra } = factsOf(
    message,
    known.map(([key]) => key),
  );
  const own = orAbsent({
    ...(meta === undefined ? {} : { meta }),
    ...(extra === undefined ? {} : { extra }),
  });
  const log: Log = Object.assign({}, ...known.map(([, field]) => field));
  return own === undefined ? log : { ...log, extensions: { dify: own } };
}

/** What a message says beside the payload that is known of it. */
export function factsOf(
  message: Message,
  known: readonly string[] = knownKeys[message.type] ?? [],
): { readonly meta?: JsonObject; readonly extra?: JsonObject } {
  const { type: _, message: payload, meta, ...top } = message;
  const inner = orAbsent(without(payload, known));
  const extra = orAbsent({ ...top, ...(inner === undefined ? {} : { message: inner }) });
  return { ...(meta === undefined ? {} : { meta }), ...(extra === undefined ? {} : { extra }) };
}

/** The part with its metadata, without the keys that are fields of it or Dify's own. */
function withFacts(
  part: Part,
  message: Message,
  taken: readonly string[],
  facts: Facts,
  known: readonly string[] = knownKeys[message.type] ?? [],
): Part {
  const { meta = {}, extra } = factsOf(message, known);
  const partMeta = orAbsent(without(meta, [...taken, ...storedKeys]));
  const storedMeta = orAbsent(only(meta, storedKeys));
  const own = orAbsent({
    ...facts,
    ...(storedMeta === undefined ? {} : { meta: storedMeta }),
    ...(extra === undefined ? {} : { extra }),
  });
  return {
    ...part,
    ...(partMeta === undefined ? {} : { meta: partMeta }),
    ...(own === undefined ? {} : { extensions: { dify: own } }),
  };
}

interface FileFacts {
  readonly mimeType: string | undefined;
  readonly fileName: string | undefined;
}

function fileFacts(meta: JsonObject | undefined): FileFacts {
  return { mimeType: stringAt(meta ?? {}, "mime_type"), fileName: stringAt(meta ?? {}, "filename") };
}

/** The keys of `meta` that became fields of the part. */
function takenKeys(meta: JsonObject | undefined): readonly string[] {
  const { mimeType, fileName } = fileFacts(meta);
  return [...(mimeType === undefined ? [] : ["mime_type"]), ...(fileName === undefined ? [] : ["filename"])];
}

function textOf({ message }: Message): string {
  return stringAt(message, "text") ?? "";
}
