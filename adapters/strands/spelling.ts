import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import { spelledFormat } from "./media-formats.ts";
import {
  bytesMark,
  type DialectId,
  defined,
  type WireBlock,
  type WireMedia,
  type WireResult,
} from "./wire.ts";

/** The one form as a dialect writes it; `blocks` are its blocks, already spelled. */
export function spellResult(
  wire: Omit<WireResult, "content">,
  blocks: readonly JsonValue[],
  dialect: DialectId,
): JsonObject {
  const { toolUseId, status, structuredContent, metadata, extra } = wire;
  const result: JsonObject = {
    ...extra,
    ...defined({ toolUseId }),
    // Both SDKs and the models take a result without a status for a success.
    status: status ?? "success",
    content: blocks,
    ...defined({ structuredContent, metadata }),
  };
  return dialect === "python" ? result : { toolResult: result };
}

export function spellBlock(block: WireBlock, dialect: DialectId): JsonValue {
  switch (block.type) {
    case "text":
      return { ...block.extra, text: block.text };
    case "json":
      return { ...block.extra, json: block.json };
    case "unknown":
      return block.value;
    default:
      return { ...block.extra, [block.type]: spellMedia(block, dialect) };
  }
}

function spellMedia(media: WireMedia, dialect: DialectId): JsonObject {
  const { format, name, citations, context } = media;
  return {
    ...media.mediaExtra,
    ...defined({ format: format === undefined ? undefined : spelledFormat(format, dialect), name }),
    source: { ...media.sourceExtra, ...spellSource(media, dialect) },
    ...defined({ citations, context }),
  };
}

function spellSource({ source }: WireMedia, dialect: DialectId): JsonObject {
  switch (source.kind) {
    case "bytes":
      return { bytes: dialect === "python" ? { [bytesMark]: true, data: source.data } : source.data };
    case "text":
      return { text: source.text };
    case "texts":
      return { content: source.texts.map((text) => ({ text })) };
    case "url":
      return { url: source.url };
    case "s3": {
      const { uri, bucketOwner } = source;
      const location = { uri, ...defined({ bucketOwner }) };
      return dialect === "bedrock" ? { s3Location: location } : { location: { type: "s3", ...location } };
    }
  }
}
