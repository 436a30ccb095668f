import type { LinkPart, MediaPart, ResourcePart } from "../../src/ir.ts";
import type { LossCode } from "../../src/losses.ts";
import { annotationsOf, mcpBlockOfPart, nameOfUri } from "../../src/mcp-block.ts";
import { platform } from "../../src/platform/index.ts";
import { isWellFormed } from "../../src/platform/plain.ts";
import { usualForm } from "./facts.ts";
import { kindOf, type MediaForm, mediaFormOf, mimeTypeOf } from "./media-formats.ts";
import type { Target } from "./target.ts";
import { defined, type MediaType, type WireBlock, type WireMedia, type WireSource } from "./wire.ts";

type FilePart = MediaPart | LinkPart | ResourcePart;

/** A file: in the form it was read in, else as the block for its MIME type, else as MCP's block in `json`. */
export function mediaBlock(part: MediaPart, index: number, target: Target): WireBlock {
  return ownBlock(part, index, target) ?? usualMedia(part, index, target) ?? mcpBlock(part, index, target);
}

/** A link: in the form it was read in, else a place in S3, else MCP's resource link in `json`. */
export function linkBlock(part: LinkPart, index: number, target: Target): WireBlock {
  return ownBlock(part, index, target) ?? usualLink(part, index, target) ?? mcpBlock(part, index, target);
}

/** An embedded resource: in the form it was read in, else its text or bytes without the URI. */
export function resourceBlock(part: ResourcePart, index: number, target: Target): WireBlock {
  return ownBlock(part, index, target) ?? usualResource(part, index, target) ?? mcpBlock(part, index, target);
}

/** R8. Undefined where Strands has no such form, as for a part that another format brought along. */
function ownBlock(part: FilePart, index: number, target: Target): WireBlock | undefined {
  if (!target.keepsForm(part)) return undefined;
  const facts = target.factsOf(part);
  const extra = target.extraOf(part);
  const usual = usualForm(part);
  const type = facts.block ?? usual?.type;
  if (facts.json === true || type === undefined) {
    return isMcp(part) ? { ...ownMcp(part, index), ...extra } : undefined;
  }
  const source = sourceOf(part);
  if (source === undefined) return undefined;
  const { citations, context, mediaExtra, sourceExtra } = facts;
  return {
    type,
    source,
    ...defined({
      format: facts.format ?? (facts.block === undefined ? usual?.format : undefined),
      name: ownName(part, type, index, target),
      citations,
      context,
      mediaExtra,
      sourceExtra,
    }),
    ...extra,
  };
}

/** A document may have none. */
function ownName(part: FilePart, type: MediaType, index: number, target: Target): string | undefined {
  if (part.type !== "media" || type !== "document") return undefined;
  return target.repairsNames
    ? documentName(part.fileName, type, part.mimeType, index, target)
    : part.fileName;
}

/** Whether MCP's block says all of the part, so that it is what the part was read from. */
function isMcp(part: FilePart): boolean {
  switch (part.type) {
    case "resource":
      return true;
    case "link":
      return part.kind === "resource" && part.name !== undefined;
    case "media":
      return (
        part.data !== undefined &&
        part.mimeType !== undefined &&
        (part.kind === "image" || part.kind === "audio")
      );
  }
}

/** The very block: an SVG too is an image here, which for other readers it is not. */
function ownMcp(part: FilePart, index: number): WireBlock {
  if (part.type !== "media") return { type: "json", json: mcpBlockOfPart(part, index).block };
  const { kind: type, data, mimeType, meta: _meta } = part;
  return { type: "json", json: defined({ type, data, mimeType, annotations: annotationsOf(part), _meta }) };
}

/** As it is; undefined for a resource or a link to anything but an image, which no media block holds. */
function sourceOf(part: FilePart): WireSource | undefined {
  if (part.type === "resource") return undefined;
  if (part.type === "link") return part.kind === "image" ? { kind: "url", url: part.url } : undefined;
  const { data, text, texts, stored } = part;
  if (data !== undefined) return { kind: "bytes", data };
  if (text !== undefined) return { kind: "text", text };
  if (texts !== undefined) return { kind: "texts", texts };
  return stored && { kind: "s3", uri: stored.uri, ...defined({ bucketOwner: stored.owner }) };
}

function usualMedia(part: MediaPart, index: number, target: Target): WireMedia | undefined {
  const form = writableForm(usualForm(part), target);
  const source = form === undefined ? undefined : usualSource(part, form, index, target);
  if (form === undefined || source === undefined) return undefined;
  const name = documentName(part.fileName, form.type, part.mimeType, index, target);
  if (name !== part.fileName) {
    target.lose(
      "file-name-changed",
      index,
      name === undefined ? "this block has no name" : "made valid and unique",
    );
  }
  if (part.mimeType !== mimeTypeOf(form.type, form.format) || part.kind !== kindOf(form.type)) {
    target.lose("mime-corrected", index, `written as ${form.type} of format ${form.format}`);
  }
  return { ...form, source, ...defined({ name }) };
}

/** What the dialect's results can have: Python's type of a result's content has no video. */
function writableForm(form: MediaForm | undefined, { dialect }: Target): MediaForm | undefined {
  return form?.type === "video" && dialect === "python" ? undefined : form;
}

function usualSource(
  part: MediaPart,
  form: MediaForm,
  index: number,
  target: Target,
): WireSource | undefined {
  const source = sourceOf(part);
  switch (source?.kind) {
    case "s3":
      return source.uri.startsWith("s3://") ? source : undefined;
    case "text":
    case "texts":
      if (form.type !== "document") return undefined;
      return target.dialect === "python" ? bytesOfText(source, index, target) : source;
    default:
      return source;
  }
}

/** The Python SDK's formatter fails on a source of text (`DocumentSource` of 1.62.0 has none). */
function bytesOfText(
  source: Extract<WireSource, { kind: "text" | "texts" }>,
  index: number,
  target: Target,
): WireSource | undefined {
  const text = source.kind === "text" ? source.text : source.texts.join("\n\n");
  if (!isWellFormed(text)) return undefined;
  target.lose("document-text-as-bytes", index, "written as the bytes of the text");
  return { kind: "bytes", data: platform.encodeBase64(platform.encodeUtf8(text)) };
}

function usualLink(part: LinkPart, index: number, target: Target): WireMedia | undefined {
  const { context, dialect } = target;
  const isImage = part.kind === "image" && /^https?:/i.test(part.url);
  const image = isImage ? mediaFormOf("image", part.mimeType) : undefined;
  if (image !== undefined && dialect === "typescript" && context.options.imageUrl === true) {
    const { name, title, description, size } = part;
    if ([name, title, description, size].some((field) => field !== undefined)) {
      target.lose("link-detail-dropped", index, "an image by URL has no name, title, description or size");
    }
    return { ...image, source: { kind: "url", url: part.url } };
  }
  const form = writableForm(mediaFormOf("file", part.mimeType), target);
  if (form === undefined || !part.url.startsWith("s3://")) return undefined;
  target.lose("link-as-json", index, "written as a location in S3");
  const name = documentName(part.name ?? nameOfUri(part.url), form.type, part.mimeType, index, target);
  return { ...form, source: { kind: "s3", uri: part.url }, ...defined({ name }) };
}

function usualResource(part: ResourcePart, index: number, target: Target): WireBlock | undefined {
  const { text, data, mimeType, uri } = part;
  if (text !== undefined) {
    target.lose("resource-uri-dropped", index, "written as text");
    return { type: "text", text };
  }
  const form = writableForm(mediaFormOf("file", mimeType), target);
  if (form === undefined || data === undefined) return undefined;
  target.lose("resource-uri-dropped", index, `written as ${form.type}`);
  const name = documentName(nameOfUri(uri), form.type, mimeType, index, target);
  return { ...form, source: { kind: "bytes", data }, ...defined({ name }) };
}

/** Documents alone have a name. One that comes from Strands and is fit already may have been made so before. */
function documentName(
  fileName: string | undefined,
  type: MediaType,
  mimeType: string | undefined,
  index: number,
  { names, isOwn }: Target,
): string | undefined {
  if (type !== "document") return undefined;
  return isOwn && names.take(fileName) ? fileName : names.nameFor(fileName, mimeType, index);
}

const mcpLosses = {
  media: "media-as-json",
  resource: "media-as-json",
  link: "link-as-json",
} as const satisfies Record<FilePart["type"], LossCode>;

/** The last way out, which the reader takes back. What is about the part is not for the model. */
function mcpBlock(part: FilePart, index: number, target: Target): WireBlock {
  const { audience: _, priority: __, lastModified: ___, meta: ____, ...bare } = part;
  const { block, generated } = mcpBlockOfPart(bare as FilePart, index);
  const isStored = part.type === "media" && part.stored !== undefined;
  target.lose(
    isStored ? "file-unresolved" : mcpLosses[part.type],
    index,
    `written as MCP's ${block.type} in \`json\``,
  );
  if (generated) target.lose("name-generated", index, "a name or URI that MCP demands");
  return { type: "json", json: block };
}
