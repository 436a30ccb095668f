import { carryKey, type ParseContext, type Reading } from "../../src/adapter.ts";
import type { LinkPart, MediaPart, Part, ToolResult } from "../../src/ir.ts";
import { isJsonObject } from "../../src/json/json-kind.ts";
import type { JsonValue } from "../../src/json/json-value.ts";
import { isCompleteMcpBlock, partOfMcpBlock, statedAudience } from "../../src/mcp-block.ts";
import { type Pointer, pointer } from "../../src/pointer.ts";
import { extensionOf, type PartFacts, type ResultFacts, usualForm } from "./facts.ts";
import { kindOf, mimeTypeOf } from "./media-formats.ts";
import { type Normalised, normalise } from "./normalise.ts";
import {
  defined,
  type WireBlock,
  type WireJson,
  type WireMedia,
  type WireUnknown,
  wrappedArray,
} from "./wire.ts";

/** Wire to IR; what the IR has no word for goes to `extensions.strands` (R8), which `render` reads. */
export function parse(document: JsonValue, context: ParseContext): readonly Reading[] {
  return normalise(document, context).map((normalised) => readingOf(normalised, context));
}

function readingOf({ wire, place, blockPlaces, carry }: Normalised, context: ParseContext): Reading {
  const { toolUseId, status, structuredContent, metadata, extra } = wire;
  const content = wire.content.map((block, index) => {
    const blockPlace = blockPlaces[index] as Pointer;
    const part = withAudience(partOf(block, context, blockPlace), block, context, blockPlace);
    return context.at(part, blockPlace);
  });
  const callId = toolUseId === undefined ? ("absent" as const) : undefined;
  const facts: ResultFacts = defined({ callId, extra });
  const result: ToolResult = {
    ...defined({ toolCallId: toolUseId, status, content, structuredContent, meta: metadata }),
    ...extensionOf(facts),
  };
  context.at(result, place);
  for (const [field, key] of Object.entries(keyOfField)) {
    if (Object.hasOwn(result, field)) context.at(result, pointer(place, key), field);
  }
  if (structuredContent !== undefined)
    context.payload(structuredContent, pointer(place, "structuredContent"));
  if (metadata !== undefined) context.payload(metadata, pointer(place, "metadata"));
  if (isJsonObject(carry)) context.at(carry, pointer(place, "metadata", carryKey));
  return carry === undefined ? { result } : { result, carry };
}

const keyOfField = {
  toolCallId: "toolUseId",
  status: "status",
  structuredContent: "structuredContent",
  meta: "metadata",
} as const;

/**
 * A block of no Strands SDK has annotations, but one of MCP can arrive as one. Whom it is for is heeded all the same:
 * what only the user may see must not reach a model by way of the wrong format.
 */
function withAudience(part: Part, block: WireBlock, context: ParseContext, place: Pointer): Part {
  if (block.type === "unknown" || block.extra === undefined) return part;
  const audience = statedAudience(block.extra.annotations, context, pointer(place, "annotations"));
  return audience === undefined ? part : { ...part, audience };
}

function partOf(block: WireBlock, context: ParseContext, place: Pointer): Part {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text, ...extensionOf(defined({ extra: block.extra })) };
    case "json":
      return partOfJson(block, context, pointer(place, "json"));
    case "unknown":
      return opaqueOf(block);
    default:
      return partOfMedia(block);
  }
}

/** R56: a complete valid MCP block in `json` is the file or link that it says; everything else is a JSON value. */
function partOfJson({ json, extra }: WireJson, context: ParseContext, place: Pointer): Part {
  const held =
    isJsonObject(json) && isCompleteMcpBlock(json) ? partOfMcpBlock(json, context, place) : undefined;
  if (held !== undefined) {
    const form: PartFacts = usualForm(held) === undefined ? {} : { json: true };
    return { ...held, ...extensionOf({ ...form, ...defined({ extra }) }) };
  }
  context.payload(json, place);
  const array = wrappedArray(json);
  const form: PartFacts = array === undefined && !isJsonObject(json) ? { raw: true } : {};
  return { type: "json", value: array ?? json, ...extensionOf({ ...form, ...defined({ extra }) }) };
}

/** A block of an unknown type that states whom it is for is withheld like any part (R56). */
function opaqueOf({ value, audience }: WireUnknown): Part {
  return { type: "opaque", adapter: "strands", value, ...defined({ audience }) };
}

function partOfMedia(block: WireMedia): Part {
  const part = mediaPart(block);
  const usual = usualForm(part);
  const { type, format, citations, context, extra, mediaExtra, sourceExtra } = block;
  const facts: PartFacts = defined({
    block: usual?.type === type ? undefined : type,
    format: usual?.format === format ? undefined : format,
    citations,
    context,
    extra,
    mediaExtra,
    sourceExtra,
  });
  return { ...part, ...extensionOf(facts) };
}

function mediaPart({ type, format, name, source }: WireMedia): MediaPart | LinkPart {
  const mimeType = format === undefined ? undefined : mimeTypeOf(type, format);
  if (source.kind === "url")
    return { type: "link", kind: "image", url: source.url, ...defined({ mimeType }) };
  const media = { type: "media", kind: kindOf(type), ...defined({ mimeType, fileName: name }) } as const;
  switch (source.kind) {
    case "bytes":
      return { ...media, data: source.data };
    case "text":
      return { ...media, text: source.text };
    case "texts":
      return { ...media, texts: source.texts };
    case "s3":
      return { ...media, stored: { uri: source.uri, ...defined({ owner: source.bucketOwner }) } };
  }
}
