import type { PartRenderers, RenderContext } from "../../src/adapter.ts";
import type { LinkPart, Log, MediaPart, Part, ToolResult } from "../../src/ir.ts";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import { compact } from "../../src/json/stringify.ts";
import { essence, isTextType, mediaKindOf } from "../../src/media-type.ts";
import { platform } from "../../src/platform/index.ts";
import type { Pointer } from "../../src/pointer.ts";
import { isObject, type Message, messageTypes, only, orAbsent, stringAt, without } from "./shapes.ts";
import {
  couldNameFile,
  isCut,
  isStoredUrl,
  isWebUrl,
  lastSegment,
  nameOfFile,
  type Rights,
  rightsOf,
  safeExtra,
  safeMeta,
  storedTypes,
} from "./stored.ts";

/** The message that shows a part; `place` is the part's, for losses. */
export function messageOf(part: Part, place: Pointer, context: RenderContext): JsonObject {
  // The table is total and the part has its own type's entry, which the compiler cannot follow.
  const lower = renderers[part.type] as (part: Part, place: Pointer, context: RenderContext) => JsonObject;
  return lower(part, place, context);
}

const renderers: PartRenderers<ToolResult, [place: Pointer, context: RenderContext], JsonObject> = {
  text: (part, place, context) => spelled("text", { text: part.text }, part, {}, place, context),
  json: (part, place, context) => {
    const isPlain = isObject(part.value) || Array.isArray(part.value);
    if (!isPlain && ownType(part) !== "json") {
      context.lose("json-as-text", place, "a scalar is written as its JSON text");
      return spelled("text", { text: compact(part.value) }, part, {}, place, context);
    }
    if (isEmptyContainer(part.value) && !rightsOf(context).own) {
      context.lose("empty-json-dropped-by-dify", place, "written, but Dify's tool node drops an empty value");
    }
    return spelled("json", { json_object: part.value }, part, {}, place, context);
  },
  media: (part, place, context) => {
    if (part.stored !== undefined) return storedMessage(part, part.stored.uri, place, context);
    if (part.data !== undefined) return blobMessage(part, part.data, place, context);
    return textFileMessage(part, place, context);
  },
  link: (part, place, context) => linkMessage(part, place, context),
  resource: (part, place, context) => {
    context.lose("resource-uri-dropped", place, "Dify has content without a URI only");
    if (part.data === undefined) return spelled("text", { text: part.text ?? "" }, part, {}, place, context);
    const fileName = lastSegment(part.uri);
    return spelled("blob", { blob: part.data }, part, fileMeta(part.mimeType, fileName), place, context);
  },
  citations: (part, place, context) => {
    const { context: text } = part;
    const isFilled = text === undefined && !rightsOf(context).own;
    if (isFilled)
      context.lose("name-generated", place, "Dify's readers demand a context; an empty one is written");
    const written = isFilled ? "" : text;
    const payload = {
      retriever_resources: part.sources,
      ...(written === undefined ? {} : { context: written }),
    };
    return spelled("retriever_resources", payload, part, {}, place, context);
  },
  opaque: (part, place, context) => {
    const rights = rightsOf(context);
    const own = rights.own && part.adapter === "dify" && isObject(part.value) ? part.value : undefined;
    if (own !== undefined && mayGoBack(own, rights)) return own;
    if (own !== undefined && (couldNameFile(own) || storedTypes.has(stringAt(own, "type") ?? ""))) {
      context.lose("stored-file-reference-dropped", place, "the raw value of a block that may name a file");
    } else {
      context.lose("opaque-placeholder", place, `the raw value of a block that ${part.adapter} alone knows`);
    }
    if (isObject(part.value) || Array.isArray(part.value))
      return { type: "json", message: { json_object: part.value } };
    return { type: "text", message: { text: compact(part.value) } };
  },
};

/** A message of an unknown type goes back as it came; one that names a stored file only by right (R63). */
function mayGoBack(value: JsonObject, rights: Rights): boolean {
  if (typeof value.type !== "string") return false;
  return rights.stored || (!messageTypes.has(value.type) && !couldNameFile(value));
}

function isEmptyContainer(value: JsonValue): boolean {
  return Array.isArray(value) ? value.length === 0 : isObject(value) && orAbsent(value) === undefined;
}

function blobMessage(part: MediaPart, data: string, place: Pointer, context: RenderContext): Message {
  if (part.kind !== mediaKindOf(part.mimeType)) {
    context.lose("mime-corrected", place, "Dify knows the kind of a file by its MIME type only");
  }
  return spelled(
    "blob",
    { blob: data },
    part,
    fileMeta(part.mimeType, fileNameOf(part, place, context)),
    place,
    context,
  );
}

/** Path parts of a stranger's file name do not reach the disk of Dify (R54). */
function fileNameOf({ fileName }: MediaPart, place: Pointer, context: RenderContext): string | undefined {
  const bare = fileName?.slice(Math.max(fileName.lastIndexOf("/"), fileName.lastIndexOf("\\")) + 1);
  if (bare === fileName || rightsOf(context).own) return fileName;
  context.lose("file-name-changed", place, "written without the parts of a path");
  return bare === "" ? undefined : bare;
}

/** A document given as text; what UTF-8 cannot hold is written as a text message (R7). */
function textFileMessage(part: MediaPart, place: Pointer, context: RenderContext): Message {
  const text = part.text ?? (part.texts ?? []).join("\n\n");
  if (/\p{Surrogate}/u.test(text)) {
    context.lose(
      "document-text-as-bytes",
      place,
      "written as text: it holds a lone surrogate, which has no bytes",
    );
    return spelled("text", { text }, part, {}, place, context);
  }
  context.lose("document-text-as-bytes", place, "written as the bytes of its text");
  const isText = part.mimeType !== undefined && isTextType(essence(part.mimeType));
  const blob = platform.encodeBase64(platform.encodeUtf8(text));
  const meta = fileMeta(isText ? part.mimeType : "text/plain", fileNameOf(part, place, context));
  return spelled("blob", { blob }, part, meta, place, context);
}

/** R63: Dify's own reference goes back to Dify; to a stranger's file there is a link, or its name. */
function storedMessage(part: MediaPart, uri: string, place: Pointer, context: RenderContext): Message {
  const own = part.extensions?.dify;
  const type = own === undefined ? undefined : stringAt(own, "type");
  if (type !== undefined && rightsOf(context).stored) {
    const isFile = type === "file";
    const payload = isFile ? { file_marker: "file_marker" } : { text: uri };
    return spelled(type, payload, part, isFile ? {} : fileMeta(part.mimeType, part.fileName), place, context);
  }
  const isDify = own !== undefined || isStoredUrl(uri);
  const code = isDify ? "stored-file-reference-dropped" : "file-unresolved";
  if (isWebUrl(uri)) {
    context.lose(code, place, "written as a link");
    return spelled("link", { text: uri }, part, {}, place, context);
  }
  context.lose(code, place, "written as a text that names the file");
  return spelled("text", { text: nameOfFile(part) }, part, {}, place, context);
}

function linkMessage(part: LinkPart, place: Pointer, context: RenderContext): Message {
  if (isStoredUrl(part.url)) {
    context.lose("stored-file-reference-dropped", place, "written as a text that names the file");
    return spelled("text", { text: nameOfFile(part) }, part, {}, place, context);
  }
  const own = ownType(part);
  const meta = fileMeta(part.mimeType, undefined);
  if (rightsOf(context).own && (own === "link" || own === "image")) {
    return spelled(own, { text: part.url }, part, meta, place, context);
  }
  if (!isWebUrl(part.url)) {
    context.lose("link-as-text", place, "only http and https are links in Dify");
    const text = part.name === undefined ? part.url : `${part.name}: ${part.url}`;
    return spelled("text", { text }, part, {}, place, context);
  }
  const isImage = part.kind === "image" && part.mimeType !== undefined;
  const leftOut = (["name", "title", "description", "size"] as const).filter(
    (key) => part[key] !== undefined,
  );
  const isRead = part.kind === "hyperlink" || isImage;
  if (leftOut.length > 0 || !isRead) {
    const fields = [...(isRead ? [] : ["kind"]), ...leftOut];
    context.lose(
      "link-detail-dropped",
      place,
      `a link of Dify has an address only; left out: ${fields.join(", ")}`,
    );
  }
  return spelled(isImage ? "image" : "link", { text: part.url }, part, meta, place, context);
}

function fileMeta(mimeType: string | undefined, fileName: string | undefined): JsonObject {
  return {
    ...(mimeType === undefined ? {} : { mime_type: mimeType }),
    ...(fileName === undefined ? {} : { filename: fileName }),
  };
}

function ownType(part: Part): string | undefined {
  const own = part.extensions?.dify;
  return own === undefined ? undefined : stringAt(own, "type");
}

/**
 * A message with what the part has beyond its payload: metadata of any origin, which no model sees, and the facts of
 * Dify's own spelling (R8). `meta` holds the fields of the part that Dify has there.
 */
function spelled(
  type: string,
  payload: JsonObject,
  part: Part,
  meta: JsonObject,
  place: Pointer,
  context: RenderContext,
): Message {
  const rights = rightsOf(context);
  const own = rights.own ? (part.extensions?.dify ?? {}) : {};
  if (isCut(own, rights)) {
    context.lose("stored-file-reference-dropped", place, "written without keys that may name a file");
  }
  const about = { ...partMeta(type, part, rights), ...(isObject(own.meta) ? own.meta : {}), ...meta };
  return withFacts({ type, message: payload }, { meta: about, extra: own.extra }, rights);
}

/** Of a stranger's file, keys that would be read as its type or name are not that. */
function partMeta(type: string, part: Part, rights: Rights): JsonObject {
  const meta = part.meta === undefined ? {} : safeMeta(part.meta, { ...rights, stored: false });
  return type === "text" || type === "json" || rights.own
    ? meta
    : without(meta, ["mime_type", "mimetype", "filename"]);
}

/** Adds metadata and unknown keys; what is known of the message stands above them. */
export function withFacts(
  message: Message,
  facts: { readonly meta?: JsonValue | undefined; readonly extra?: JsonValue | undefined },
  rights: Rights,
): Message {
  const extra = (isObject(facts.extra) ? safeExtra(facts.extra, rights) : undefined) ?? {};
  const inner = isObject(extra.message) ? extra.message : {};
  const meta = isObject(facts.meta) ? orAbsent(safeMeta(facts.meta, rights)) : undefined;
  return {
    ...without(extra, ["meta"]),
    type: message.type,
    message: { ...inner, ...message.message },
    ...(meta === undefined ? {} : { meta }),
  };
}

/** The only keys of `metadata` that the SDK takes; one other makes it refuse the message. */
const sdkMetadata: readonly string[] = [
  "started_at",
  "finished_at",
  "elapsed_time",
  "total_price",
  "total_tokens",
  "provider",
  "currency",
];

/** A log entry. From another format it is made one that Dify's readers take; the reader cannot tell it (R31). */
export function logMessage(log: Log, position: number, rights: Rights): Message {
  const payload: JsonObject = {
    ...(log.id === undefined ? {} : { id: log.id }),
    ...(log.label === undefined ? {} : { label: log.label }),
    ...(log.parentId === undefined ? {} : { parent_id: log.parentId }),
    ...(log.error === undefined ? {} : { error: log.error }),
    ...(log.status === undefined ? {} : { status: log.status }),
    ...(log.data === undefined ? {} : { data: log.data }),
    ...(log.meta === undefined || orAbsent(log.meta) === undefined ? {} : { metadata: log.meta }),
  };
  if (rights.own) return withFacts({ type: "log", message: payload }, log.extensions?.dify ?? {}, rights);
  const { data = {}, metadata, ...rest } = payload;
  const known = isObject(metadata) ? orAbsent(only(metadata, sdkMetadata)) : undefined;
  const message = {
    id: `log-${position}`,
    label: "",
    status: "success",
    ...rest,
    data: isObject(data) ? data : { value: data },
    ...(known === undefined ? {} : { metadata: known }),
  };
  return { type: "log", message };
}
