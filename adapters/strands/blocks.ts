import type { ParseContext } from "../../src/adapter.ts";
import { isJsonObject } from "../../src/json/json-kind.ts";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import { statedAudience } from "../../src/mcp-block.ts";
import { type Pointer, pointer } from "../../src/pointer.ts";
import { readMedia } from "./media.ts";
import { defined, type MediaType, mediaTypes, type WireBlock, type WireUnknown, without } from "./wire.ts";

/** Keys of which a block has one, and which says what it is. */
const contentKeys: ReadonlySet<string> = new Set(["text", "json", ...mediaTypes, "searchResult"]);

/** `type` of the TypeScript classes, whose media blocks have their fields on the block itself. */
const classTypes: ReadonlyMap<JsonValue | undefined, MediaType | "text" | "json"> = new Map([
  ["textBlock", "text"],
  ["jsonBlock", "json"],
  ["imageBlock", "image"],
  ["documentBlock", "document"],
  ["videoBlock", "video"],
  ["audioBlock", "audio"],
] as const);

/**
 * One content block in any spelling: data form, class form, mixed, Bedrock's. A block of another type or shape is
 * `unknown` as it is, and fails where its audience is no list of roles. One with two content keys, of which the SDKs
 * take different ones, is refused under `strict` and else split in the order of its keys (R26).
 */
export function readBlock(value: JsonValue, context: ParseContext, place: Pointer): readonly WireBlock[] {
  if (!isJsonObject(value)) return [{ type: "unknown", value }];
  const keys = Object.keys(value).filter((key) => contentKeys.has(key) && isPresent(value, key));
  const [first, ...others] = keys;
  if (first === undefined) return [readClassForm(value, context, place)];
  if (others.length === 0) return [readKey(first, value, value, context, place)];
  if (context.mode === "strict") {
    return context.fail("contradictory-payload", place, `expected one content key, found ${keys.join(", ")}`);
  }
  context.lose("block-split", place, `read as ${keys.length} blocks: ${keys.join(", ")}`);
  const withRest = { ...without(value, contentKeys), [first]: value[first] as JsonValue };
  return [withRest, ...others.map((key) => ({ [key]: value[key] as JsonValue }))].map((block, index) =>
    readKey(keys[index] as string, block, block, context, place),
  );
}

/** `null` is a JSON value, and for every other key the same as no key. */
function isPresent(block: JsonObject, key: string): boolean {
  return key === "json" || block[key] !== null;
}

/** The block under its one content key; `raw` is what stands there if its shape is none that is known. */
function readKey(
  key: string,
  block: JsonObject,
  raw: JsonObject,
  context: ParseContext,
  place: Pointer,
): WireBlock {
  const value = block[key] as JsonValue;
  const extra = extraOf(block);
  switch (key) {
    case "text":
      return typeof value === "string"
        ? { type: "text", text: value, ...extra }
        : unknownBlock(raw, context, place);
    case "json":
      return { type: "json", json: value, ...extra };
    case "image":
    case "document":
    case "video":
    case "audio": {
      const media = isJsonObject(value) ? readMedia(key, value, context, pointer(place, key)) : undefined;
      return media === undefined ? unknownBlock(raw, context, place) : { ...media, ...extra };
    }
    default:
      return unknownBlock(raw, context, place);
  }
}

function extraOf(block: JsonObject): { readonly extra?: JsonObject } {
  const known = classTypes.has(block.type) ? new Set([...contentKeys, "type"]) : contentKeys;
  const extra = without(block, known);
  return extra === undefined ? {} : { extra };
}

function readClassForm(block: JsonObject, context: ParseContext, place: Pointer): WireBlock {
  const type = classTypes.get(block.type);
  const { type: _, ...fields } = block;
  const media =
    type === undefined || type === "text" || type === "json"
      ? undefined
      : readMedia(type, fields, context, place);
  return media ?? unknownBlock(block, context, place);
}

function unknownBlock(block: JsonObject, context: ParseContext, place: Pointer): WireUnknown {
  const audience = statedAudience(block.annotations, context, pointer(place, "annotations"));
  return { type: "unknown", value: block, ...defined({ audience }) };
}
