import { carryKey, type ParseContext } from "../../src/adapter.ts";
import { isHopByHop } from "../../src/hop-by-hop.ts";
import { isJsonObject } from "../../src/json/json-kind.ts";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import { type Pointer, pointer, rootPointer } from "../../src/pointer.ts";
import { readBlock } from "./blocks.ts";
import { classType, type Found, isEnvelope, resultsIn, withoutCopies } from "./envelope.ts";
import { defined, type WireBlock, type WireResult, without } from "./wire.ts";

/** A result in its one form, and where in the document it and its blocks stood. */
export interface Normalised {
  readonly wire: WireResult;
  readonly place: Pointer;
  /** One for each block; the two of a block that was split have the same. */
  readonly blockPlaces: readonly Pointer[];
  readonly carry?: JsonValue;
}

/** Every accepted spelling to the one form: all results of a document, in order, each once (R24). */
export function normalise(document: JsonValue, context: ParseContext): readonly Normalised[] {
  refuseTexts(document, context);
  const found = withoutCopies(resultsIn(document, rootPointer));
  if (found.length === 0 && !isEnvelope(document)) {
    return context.fail(
      "invalid-payload",
      rootPointer,
      "expected a tool result, a message or an event with one",
    );
  }
  return found.map((one) => normaliseResult(one, context));
}

/**
 * An event that a server could not write as JSON is sent as a text with Python's spelling of it
 * (bedrock-agentcore-sdk-python#659). It may hold a result, so it is neither passed over nor guessed at.
 */
function refuseTexts(document: JsonValue, context: ParseContext): void {
  const index = Array.isArray(document) ? document.findIndex((item) => typeof item === "string") : -1;
  if (index === -1) return;
  context.fail(
    "invalid-payload",
    pointer(rootPointer, index),
    "expected an event, received a text (the server could not write the event as JSON)",
  );
}

const knownKeys: ReadonlySet<string> = new Set([
  "toolUseId",
  "status",
  "content",
  "structuredContent",
  "metadata",
]);
/** Known to the SDKs, but kept as they are: `isError` and `cancelled` of an MCP result, `error` of a class. */
const nullableKeys = ["isError", "cancelled", "error"] as const;

function normaliseResult({ value, place }: Found, context: ParseContext): Normalised {
  const { content } = value;
  if (!Array.isArray(content)) {
    return context.fail("invalid-payload", pointer(place, "content"), "expected a list of content blocks");
  }
  const blocks: WireBlock[] = [];
  const blockPlaces: Pointer[] = [];
  for (const [index, block] of content.entries()) {
    const blockPlace = pointer(place, "content", index);
    for (const read of readBlock(block, context, blockPlace)) {
      blocks.push(read);
      blockPlaces.push(blockPlace);
    }
  }
  const { metadata, carry } = readMetadata(value.metadata, context, pointer(place, "metadata"));
  const wire = defined({
    toolUseId: readId(value.toolUseId, context, pointer(place, "toolUseId")),
    status: readStatus(value.status, context, pointer(place, "status")) ?? statusOfMcp(value.isError),
    content: blocks,
    structuredContent: value.structuredContent,
    metadata,
    extra: extraOf(value),
  });
  return defined({ wire, place, blockPlaces, carry });
}

function readId(id: JsonValue | undefined, context: ParseContext, place: Pointer): string | undefined {
  if (id === undefined || id === null) return undefined;
  return typeof id === "string" ? id : context.fail("invalid-payload", place, "expected a text");
}

function readStatus(
  status: JsonValue | undefined,
  context: ParseContext,
  place: Pointer,
): WireResult["status"] {
  if (status === undefined || status === null) return undefined;
  if (status === "success" || status === "error") return status;
  return context.fail("invalid-status", place, "expected success or error");
}

/** An MCP result that nobody gave a status says by `isError` that it is one of error, which never disappears (R50). */
function statusOfMcp(isError: JsonValue | undefined): WireResult["status"] {
  return isError === true ? "error" : undefined;
}

/** Without the carry, and without what belongs to one hop (R27). */
function readMetadata(
  metadata: JsonValue | undefined,
  context: ParseContext,
  place: Pointer,
): { readonly metadata?: JsonObject; readonly carry?: JsonValue } {
  if (metadata === undefined || metadata === null) return {};
  if (!isJsonObject(metadata)) return context.fail("invalid-payload", place, "expected an object");
  const carry = Object.hasOwn(metadata, carryKey) ? metadata[carryKey] : undefined;
  const hops = Object.keys(metadata).filter(isHopByHop);
  for (const key of hops)
    context.lose("meta-hop-by-hop", pointer(place, key), "it belongs to one connection");
  const kept = without(metadata, new Set([carryKey, ...hops]));
  return defined({ metadata: kept, carry });
}

function extraOf(result: JsonObject): JsonObject | undefined {
  const dropped = new Set<string>(knownKeys);
  if (result.type === classType) dropped.add("type");
  for (const key of nullableKeys) if (result[key] === null) dropped.add(key);
  // All that `JSON.stringify` makes of an Error.
  if (isJsonObject(result.error) && Object.keys(result.error).length === 0) dropped.add("error");
  return without(result, dropped);
}
