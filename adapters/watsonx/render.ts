import type { PartRenderers, RenderContext } from "../../src/adapter.ts";
import type { LinkPart, MediaPart, Part, ResourcePart, ToolResult } from "../../src/ir.ts";
import { isJsonObject } from "../../src/json/json-kind.ts";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import { stringify } from "../../src/json/stringify.ts";
import { annotationsOf, mcpBlockOfPart } from "../../src/mcp-block.ts";
import { type Pointer, pointer, rootPointer } from "../../src/pointer.ts";
import { isKnownBlock, isTypedBlock, withExtra } from "./block.ts";
import { citationsText } from "./citations.ts";
import { markdownLink } from "./markdown.ts";
import { isReadAsValue, isReserved, widgetKey, writeEnvelope } from "./wire.ts";

/** IR to wire (section 3 of the contract, column watsonx; R8 for what came from watsonx itself). */
export function render(result: ToolResult, context: RenderContext): JsonValue {
  const own = result.extensions?.watsonx ?? {};
  const { structuredContent, status, widget } = result;
  const structured =
    structuredContent === undefined ? {} : writeStructured(structuredContent, own.structured, context);
  const stated = { ...result.meta, ...(widget === undefined ? {} : { [widgetKey]: widget }) };
  const meta = Object.fromEntries(Object.entries(stated).filter(([key]) => !isReserved(key)));
  const hasOtherMembers = Object.keys(meta).length > 0 || structuredContent !== undefined;
  const bare = bareContent(result, hasOtherMembers, context);
  const content =
    bare === undefined
      ? result.content.flatMap((part, index) => writePart(part, index, context))
      : bare.value;
  return writeEnvelope({
    content,
    ...structured,
    meta,
    isError: status === "error",
    ...(isJsonObject(own.extra) ? { extra: own.extra } : {}),
  });
}

/** watsonx takes objects, and `null` for none; another value goes under `result`. */
function writeStructured(
  value: JsonValue,
  form: JsonValue | undefined,
  context: RenderContext,
): { readonly structuredContent: JsonValue } {
  if (isJsonObject(value) || (form === "raw" && value !== null)) return { structuredContent: value };
  context.lose(
    "structured-wrapped",
    pointer(rootPointer, "structuredContent"),
    "written under the key `result`",
  );
  return { structuredContent: { result: value } };
}

/** The value that a tool returned as it is, where the content still is nothing else. */
function bareContent(
  result: ToolResult,
  hasOtherMembers: boolean,
  context: RenderContext,
): { readonly value: JsonValue } | undefined {
  const [part, ...others] = result.content;
  if (part === undefined) return result.extensions?.watsonx?.bare === null ? { value: null } : undefined;
  if (others.length > 0 || part.extensions?.watsonx?.bare !== true) return undefined;
  if (Object.keys(blockCommon(part, context)).length > 0) return undefined;
  if (part.type === "text") return { value: part.text };
  if (part.type !== "json" || typeof part.value === "string" || part.value === null) return undefined;
  return isReadAsValue(part.value, hasOtherMembers) ? { value: part.value } : undefined;
}

function writePart(part: Part, index: number, context: RenderContext): readonly JsonObject[] {
  const write = renderers[part.type] as (
    part: Part,
    index: number,
    context: RenderContext,
  ) => readonly JsonObject[]; // The table is keyed by the type that is looked up.
  const own = part.extensions?.watsonx;
  return write(part, index, context).map((block) => context.shows(withExtra(block, own?.extra), index));
}

const renderers: PartRenderers<ToolResult, [index: number, context: RenderContext], readonly JsonObject[]> = {
  text: (part, _index, context) => [textBlock(part.text, part, context)],
  json: (part, index, context) => {
    context.lose("json-as-text", place(index), "written as compact JSON");
    return [textBlock(stringify(part.value), part, context)];
  },
  media: writeMedia,
  link: writeLink,
  resource: (part, index, context) => [mcpBlock(part, index, context).block],
  citations: (part, index, context) => {
    context.lose("citations-as-text", place(index), "written as a text that lists the sources");
    return [textBlock(citationsText(part), part, context)];
  },
  opaque: (part, index, context) => {
    if (part.adapter === "watsonx" && isTypedBlock(part.value) && !isKnownBlock(part.value))
      return [part.value];
    context.lose("opaque-placeholder", place(index), "written as a text that names its format");
    return [textBlock(`[A ${part.adapter} block of a kind unknown here.]`, part, context)];
  },
};

function writeMedia(part: MediaPart, index: number, context: RenderContext): readonly JsonObject[] {
  const { texts, data, mimeType, stored } = part;
  if (texts !== undefined && texts.length > 0) {
    context.lose("media-as-resource", place(index), "each text of the document is written as a text block");
    return texts.map((text) => textBlock(text, part, context));
  }
  const form = part.extensions?.watsonx?.block;
  if (data !== undefined && mimeType !== undefined && (form === "image" || form === "audio")) {
    return [{ type: form, data, mimeType, ...blockCommon(part, context) }];
  }
  const { block, generated } = mcpBlock(part, index, context);
  if (stored !== undefined && !isSigned(stored.uri)) {
    context.lose(
      "file-unresolved",
      place(index),
      "written as a resource link, which a stranger cannot fetch",
    );
  } else if (block.type === "resource" || block.type === "resource_link") {
    context.lose("media-as-resource", place(index), `written as \`${block.type}\``);
  } else if (part.fileName !== undefined) {
    context.lose("file-name-changed", place(index), `an \`${block.type}\` block has no file name`);
  }
  if (generated) context.lose("name-generated", place(index), "made up from the file name or kind");
  return [block];
}

/** Whether a URL can be fetched by whoever has it: absolute, and with a signature. */
function isSigned(uri: string): boolean {
  return /^https?:/i.test(uri) && /[?&](?:x-(?:amz|goog)-)?(?:signature|sign|sig)=/i.test(uri);
}

function writeLink(part: LinkPart, index: number, context: RenderContext): readonly JsonObject[] {
  if (part.kind !== "resource" && /^https?:/i.test(part.url)) {
    const isImage = part.kind === "image" && context.options.imageMarkdown !== false;
    context.lose("link-as-text", place(index), "written as Markdown");
    return [textBlock(markdownLink(part, isImage), part, context)];
  }
  const { block, generated } = mcpBlock(part, index, context);
  if (generated && isOwn(context)) return [unnamed(block)];
  if (part.kind !== "resource") context.lose("link-as-resource", place(index), "written as a resource link");
  if (generated) context.lose("name-generated", place(index), "made up from the URL");
  return [block];
}

/** IBM's own resource links have no name, so its readers do without (R8). */
function unnamed({ name: _, ...block }: JsonObject): JsonObject {
  return block;
}

function mcpBlock(part: MediaPart | LinkPart | ResourcePart, index: number, context: RenderContext) {
  const { block, generated } = mcpBlockOfPart(part, index);
  return { block: { ...block, ...blockCommon(part, context) }, generated };
}

function textBlock(text: string, part: Part, context: RenderContext): JsonObject {
  return { type: "text", text, ...blockCommon(part, context) };
}

function blockCommon(part: Part, context: RenderContext): JsonObject {
  const annotations = isOwn(context) ? statedAnnotations(part) : annotationsOf(part);
  return {
    ...(annotations === undefined ? {} : { annotations }),
    ...(part.meta === undefined ? {} : { _meta: part.meta }),
  };
}

/** As watsonx said them, with what strict readers refuse (R8). */
function statedAnnotations({ audience, priority, lastModified }: Part): JsonObject | undefined {
  if (audience === undefined && priority === undefined && lastModified === undefined) return undefined;
  return {
    ...(audience === undefined ? {} : { audience }),
    ...(priority === undefined ? {} : { priority }),
    ...(lastModified === undefined ? {} : { lastModified }),
  };
}

function isOwn({ origin }: RenderContext): boolean {
  return origin.format === "watsonx";
}

function place(index: number): Pointer {
  return pointer(rootPointer, "content", index);
}
