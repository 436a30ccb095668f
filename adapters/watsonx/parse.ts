import type { ParseContext, Reading } from "../../src/adapter.ts";
import type { Part, ToolResult } from "../../src/ir.ts";
import { isJsonObject } from "../../src/json/json-kind.ts";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import { commonOfMcpBlock, mcpBlockOfPart, partOfMcpBlock, statedAudience } from "../../src/mcp-block.ts";
import { type Pointer, pointer } from "../../src/pointer.ts";
import { extraOfBlock, isKnownBlock, type TypedBlock } from "./block.ts";
import { type Content, type Located, normalise, type WireResult, widgetKey } from "./wire.ts";

/** Wire to IR. What the IR has no word for goes to `extensions.watsonx` (R8), which `render` reads. */
export function parse(document: JsonValue, context: ParseContext): readonly Reading[] {
  return normalise(document, context).map((wire) => readingOf(wire, context));
}

function readingOf(wire: WireResult, context: ParseContext): Reading {
  const { structuredContent, isError, carry, step } = wire;
  const { [widgetKey]: widget, ...meta } = wire.meta?.value ?? {};
  const hasWidget = isJsonObject(widget);
  const metaFields = hasWidget ? meta : (wire.meta?.value ?? {});
  const extension = resultExtension(wire);
  const result: ToolResult = {
    ...(step?.toolCallId === undefined ? {} : { toolCallId: step.toolCallId.value }),
    ...(isError === undefined ? {} : { status: isError.value ? "error" : "success" }),
    content: partsOf(wire.content, context),
    ...(structuredContent === undefined ? {} : { structuredContent: structuredContent.value }),
    ...(hasWidget ? { widget } : {}),
    ...(Object.keys(metaFields).length === 0 ? {} : { meta: metaFields }),
    ...(extension === undefined ? {} : { extensions: { watsonx: extension } }),
  };
  context.at(result, wire.place);
  placeField(result, "structuredContent", structuredContent, context);
  placeField(result, "status", isError, context);
  placeField(result, "meta", wire.meta, context);
  if (wire.widgetPlace !== undefined) context.at(result, wire.widgetPlace, "widget");
  placeField(result, "toolCallId", step?.toolCallId, context);
  if (isJsonObject(carry?.value)) context.at(carry.value, carry.place);
  return carry === undefined ? { result } : { result, carry: carry.value };
}

function placeField(
  result: ToolResult,
  field: string,
  located: Located<JsonValue> | undefined,
  context: ParseContext,
): void {
  if (located !== undefined) context.at(result, located.place, field);
}

/** What the kernel's form would not say: `content: null`, structured content that is no object, unknown keys. */
function resultExtension({ content, structuredContent, extra, step }: WireResult): JsonObject | undefined {
  const extension = {
    ...(content.form === "value" && content.value.value === null ? { bare: null } : {}),
    ...(structuredContent === undefined || isJsonObject(structuredContent.value)
      ? {}
      : { structured: "raw" }),
    ...(extra === undefined ? {} : { extra }),
    ...(step === undefined || Object.keys(step.rest).length === 0 ? {} : { step: step.rest }),
  };
  return Object.keys(extension).length === 0 ? undefined : extension;
}

function partsOf(content: Content, context: ParseContext): readonly Part[] {
  if (content.form === "blocks")
    return content.blocks.map(({ value, place }) => partOf(value, place, context));
  const { value, place } = content.value;
  if (value === null) return [];
  const extensions = { watsonx: { bare: true } };
  const part: Part =
    typeof value === "string"
      ? { type: "text", text: value, extensions }
      : { type: "json", value, extensions };
  return [context.at(part, place)];
}

function partOf(block: TypedBlock, place: Pointer, context: ParseContext): Part {
  const read = withExtension(bareOf(block, place, context), block);
  context.at(read, place);
  for (const field of ["audience", "priority", "lastModified"] as const) {
    if (read[field] !== undefined) context.at(read, pointer(place, "annotations", field), field);
  }
  if (read.meta !== undefined) context.at(read, pointer(place, "_meta"), "meta");
  return read;
}

function bareOf(block: TypedBlock, place: Pointer, context: ParseContext): Part {
  if (block.type === "text" && typeof block.text === "string") {
    return { type: "text", text: block.text, ...commonOfMcpBlock(block, context, place) };
  }
  return partOfMcpBlock(block, context, place) ?? opaqueOf(block, place, context);
}

/** The raw block says everything about itself; the kernel must only know who may see it (R56). */
function opaqueOf(block: TypedBlock, place: Pointer, context: ParseContext): Part {
  for (const [key, value] of Object.entries(block)) {
    if (key !== "annotations") context.payload(value, pointer(place, key));
  }
  const audience = statedAudience(block.annotations, context, pointer(place, "annotations"));
  return {
    type: "opaque",
    adapter: "watsonx",
    value: block,
    ...(audience === undefined ? {} : { audience }),
  };
}

function withExtension(part: Part, block: TypedBlock): Part {
  if (!isKnownBlock(block)) return part;
  const extra = extraOfBlock(block);
  // SVG and the like: the kernel would write a resource.
  const isOtherBlock = part.type === "media" && mcpBlockOfPart(part, 0).block.type !== block.type;
  if (extra === undefined && !isOtherBlock) return part;
  const watsonx = {
    ...(isOtherBlock ? { block: block.type } : {}),
    ...(extra === undefined ? {} : { extra }),
  };
  return { ...part, extensions: { watsonx } };
}
