import type { PartRenderers, RenderContext } from "../../src/adapter.ts";
import { isHopByHop } from "../../src/hop-by-hop.ts";
import type { Part, ToolResult } from "../../src/ir.ts";
import { isJsonObject } from "../../src/json/json-kind.ts";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import { stringify } from "../../src/json/stringify.ts";
import { findMirrors } from "../../src/kernel/mirror.ts";
import { isCompleteMcpBlock } from "../../src/mcp-block.ts";
import { defaultLimits } from "../../src/options.ts";
import { pointer, rootPointer } from "../../src/pointer.ts";
import type { ResultFacts } from "./facts.ts";
import { linkBlock, mediaBlock, resourceBlock } from "./files.ts";
import { bedrockCallId } from "./names.ts";
import { spellBlock, spellResult } from "./spelling.ts";
import { type Target, targetOf } from "./target.ts";
import { arrayKey, defined, type WireBlock, type WireResult, without, wrappedArray } from "./wire.ts";

/** IR to wire (section 3 of the contract, column Strands; R8 for what came from Strands itself). */
export function render(result: ToolResult, context: RenderContext): JsonValue {
  const target = targetOf(context);
  const facts = target.resultFactsOf(result);
  // One block for each part, in order; the kernel matches them by position.
  const blocks = result.content.map((part, index) =>
    spellBlock(writePart(part, index, target), target.dialect),
  );
  const structured = structuredBlock(result, target);
  if (structured !== undefined) blocks.push(spellBlock(structured, target.dialect));
  if (blocks.length === 0 && context.options.nonEmpty === true) {
    context.lose("content-filled", pointer(rootPointer, "content"), "an empty text is written");
    blocks.push({ text: "" });
  }
  const wire: Omit<WireResult, "content"> = defined({
    toolUseId: writtenCallId(facts.callId, target),
    status: result.status,
    structuredContent: target.hasTopLevel ? result.structuredContent : undefined,
    metadata: target.hasTopLevel ? metadataOf(result) : undefined,
    extra: facts.extra,
  });
  return spellResult(wire, blocks, target.dialect);
}

/** A result that was read without an id stays so in its dialect (R8); every other one gets the one it needs (R53). */
function writtenCallId(own: ResultFacts["callId"], { context, dialect, isSame }: Target): string | undefined {
  if (isSame && own === "absent" && context.toolCallId === undefined) return undefined;
  const id = context.demandCallId();
  return dialect === "bedrock" && !isSame ? bedrockCallId(id) : id;
}

function metadataOf({ meta = {} }: ToolResult): JsonObject | undefined {
  return without(meta, new Set(Object.keys(meta).filter(isHopByHop)));
}

/** The model reads content alone, so what no block says yet becomes the last one; Strands' own is left where it was. */
function structuredBlock(result: ToolResult, { context, isOwn, hasTopLevel }: Target): WireBlock | undefined {
  const { structuredContent } = result;
  if (structuredContent === undefined || (isOwn && hasTopLevel)) return undefined;
  const place = pointer(rootPointer, "structuredContent");
  const mirrors = findMirrors(result, defaultLimits.maxDepth).find(({ structured }) => structured);
  if (mirrors !== undefined && mirrors.parts.length > 0) {
    if (!hasTopLevel) context.lose("mirror-folded", place, "a block of the content says it");
    return undefined;
  }
  context.lose("structured-as-json", place, "written as the last block");
  return jsonBlock(structuredContent) ?? { type: "text", text: stringify(structuredContent) };
}

function writePart(part: Part, index: number, target: Target): WireBlock {
  // The table is keyed by the type that is looked up.
  const write = renderers[part.type] as (part: Part, index: number, target: Target) => WireBlock;
  return write(part, index, target);
}

const renderers: PartRenderers<ToolResult, [index: number, target: Target], WireBlock> = {
  text: (part, _index, target) => ({ type: "text", text: part.text, ...target.extraOf(part) }),
  json: (part, index, target) => {
    const extra = target.extraOf(part);
    if (target.factsOf(part).raw === true) return { type: "json", json: part.value, ...extra };
    const block = jsonBlock(part.value);
    if (block !== undefined) return { ...block, ...extra };
    target.lose("json-as-text", index, "written as its JSON text");
    return { type: "text", text: stringify(part.value) };
  },
  media: mediaBlock,
  link: linkBlock,
  resource: resourceBlock,
  citations: ({ sources, context }, index, target) => {
    target.lose("citations-as-json", index, "written as a JSON block");
    return { type: "json", json: { sources, ...defined({ context }) } };
  },
  opaque: ({ adapter, value }, index, target) => {
    if (adapter === "strands" && target.takes(value)) return { type: "unknown", value };
    target.lose("opaque-placeholder", index, "written as a JSON block");
    return { type: "json", json: isJsonObject(value) ? value : { [arrayKey]: value } };
  },
};

/** Undefined where the value would be refused, or read as something else: a file of MCP, or a wrapped array. */
function jsonBlock(value: JsonValue): WireBlock | undefined {
  if (Array.isArray(value)) return { type: "json", json: { [arrayKey]: value } };
  const isPlain = isJsonObject(value) && wrappedArray(value) === undefined && !isCompleteMcpBlock(value);
  return isPlain ? { type: "json", json: value } : undefined;
}
