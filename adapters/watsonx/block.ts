import type { ParseContext } from "../../src/adapter.ts";
import { isJsonObject, isNumber } from "../../src/json/json-kind.ts";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import { mcpBytes, statedAudience } from "../../src/mcp-block.ts";
import { essence, isTextType } from "../../src/media-type.ts";
import { type Pointer, pointer } from "../../src/pointer.ts";

/**
 * One content block: MCP's (https://modelcontextprotocol.io/specification/2025-11-25/schema#contentblock), with the
 * spellings that watsonx adds. The adapter knows five types; a block of any other one is nobody's to change.
 */

const blockKeys = {
  text: ["text"],
  image: ["data", "mimeType"],
  audio: ["data", "mimeType"],
  resource: ["resource"],
  resource_link: ["uri", "name", "title", "description", "mimeType", "size"],
} as const;

type BlockType = keyof typeof blockKeys;

const resourceKeys = ["uri", "mimeType", "text", "blob"];

export interface TypedBlock extends JsonObject {
  readonly type: string;
}

export function isTypedBlock(value: JsonValue | undefined): value is TypedBlock {
  return isJsonObject(value) && typeof value.type === "string";
}

/**
 * A text block without a text is none of them: the class form of the SDK writes such blocks of a dictionary, and one
 * of them must not fail the result (R6).
 */
export function isKnownBlock(block: TypedBlock): block is TypedBlock & { readonly type: BlockType } {
  if (block.type === "text" && (block.text ?? null) === null) return false;
  return Object.hasOwn(blockKeys, block.type);
}

/** A block's own keys that no rule knows, in the shape of the block: those of `annotations` and `resource` too. */
export function extraOfBlock(block: TypedBlock): JsonObject | undefined {
  if (!isKnownBlock(block)) return undefined;
  const { annotations, ...rest } = without(block, ["type", "_meta", ...blockKeys[block.type]]);
  const extra = {
    ...rest,
    ...nested("annotations", isJsonObject(annotations) ? extraOfAnnotations(annotations) : {}),
    ...nested("resource", isResource(block) ? without(block.resource, resourceKeys) : {}),
  };
  return Object.keys(extra).length === 0 ? undefined : extra;
}

/** The block with such keys put back, where it does not say something itself there. */
export function withExtra(block: JsonObject, extra: JsonValue | undefined): JsonObject {
  if (!isJsonObject(extra)) return block;
  const { annotations, resource, ...rest } = extra;
  return {
    ...rest,
    ...block,
    ...(annotations === undefined ? {} : { annotations: joined(annotations, block.annotations) }),
    ...(resource === undefined ? {} : { resource: joined(resource, block.resource) }),
  };
}

/**
 * The block in the one spelling that the rest of the adapter reads: `null` optionals left out, annotations on the
 * block, an audience without doubles, a resource link flat. Fails where a known block does not have its shape, and
 * where nobody can say who may see a block, of any type: its audience is no list of roles, or it states two of them.
 */
export function normaliseBlock(block: TypedBlock, place: Pointer, context: ParseContext): TypedBlock {
  if (!isKnownBlock(block)) {
    statedAudience(block.annotations, context, pointer(place, "annotations"));
    return block;
  }
  const flat = block.type === "resource_link" ? flattened(block) : block;
  const lifted = withLiftedAnnotations(
    withoutNulls(flat, ["annotations", "_meta", ...blockKeys[block.type]]),
    place,
    context,
  );
  const annotations = normaliseAnnotations(lifted.annotations, pointer(place, "annotations"), context);
  const { annotations: _, ...bare } = lifted;
  const normal: TypedBlock = { ...bare, type: block.type, ...nested("annotations", annotations) };
  checkMeta(normal, place, context);
  return checkShape(normal, place, context);
}

/** The normal block as the canonical form has it: bytes in standard base64. */
export function spellBlock(block: TypedBlock, place: Pointer, context: ParseContext): JsonObject {
  switch (block.type) {
    case "image":
    case "audio":
      return { ...block, ...mcpBytes(block.data as string, block.mimeType, context, pointer(place, "data")) };
    case "resource": {
      const { blob, ...resource } = block.resource as JsonObject; // `checkShape` has seen to it.
      if (blob === undefined) return block;
      const bytes = mcpBytes(blob as string, resource.mimeType, context, pointer(place, "resource", "blob"));
      const { data, ...mimeType } = bytes;
      return { ...block, resource: { ...resource, ...mimeType, blob: data } };
    }
    default:
      return block;
  }
}

/** IBM's own `resource_link` has its fields in `resource`, with the description as `text`. */
function flattened(block: TypedBlock): TypedBlock {
  if (typeof block.uri === "string" || !isJsonObject(block.resource)) return block;
  const { resource, ...outer } = block;
  const { text, annotations, ...inner } = resource;
  const fields = { ...inner, ...(text === undefined ? {} : { description: text }) };
  const moved = Object.entries(fields).filter(([key]) => isLinkKey(key) && (outer[key] ?? null) === null);
  const left = Object.entries(fields).filter(([key]) => !isLinkKey(key) || (outer[key] ?? null) !== null);
  return {
    ...outer,
    ...Object.fromEntries(moved),
    type: block.type,
    ...nested("resource", {
      ...Object.fromEntries(left),
      ...(annotations === undefined ? {} : { annotations }),
    }),
  };
}

function isLinkKey(key: string): boolean {
  return (blockKeys.resource_link as readonly string[]).includes(key);
}

/** MCP's prose puts annotations into `resource`, its schema onto the block; what the block says itself holds. */
function withLiftedAnnotations(block: JsonObject, place: Pointer, context: ParseContext): JsonObject {
  const { resource } = block;
  if (!["resource", "resource_link"].includes(block.type as string) || !isJsonObject(resource)) return block;
  const { annotations: inner = null, ...bare } = resource;
  if (inner === null) return { ...block, resource: bare };
  const innerPlace = pointer(place, "resource", "annotations");
  if (!isJsonObject(inner)) {
    return context.fail("invalid-payload", innerPlace, "annotations must be an object");
  }
  const outer = block.annotations ?? {};
  if (!isJsonObject(outer)) return block;
  const hasAudience = isAudienceStatedTwice(
    statedAudience(outer, context, pointer(place, "annotations")),
    statedAudience(inner, context, innerPlace),
    pointer(innerPlace, "audience"),
    context,
  );
  const entries = Object.entries(inner).filter(
    ([key, value]) => value !== null && !(hasAudience && key === "audience"),
  );
  const isFree = ([key]: [string, JsonValue]) => !Object.hasOwn(outer, key) || outer[key] === null;
  const left = Object.fromEntries(entries.filter((entry) => !isFree(entry)));
  return {
    ...block,
    annotations: { ...outer, ...Object.fromEntries(entries.filter(isFree)) },
    resource: { ...bare, ...nested("annotations", left) },
  };
}

/** Fails where two audiences of one block differ: one reader would show what another one hides (R26). */
function isAudienceStatedTwice(
  outer: readonly string[] | undefined,
  inner: readonly string[] | undefined,
  innerPlace: Pointer,
  context: ParseContext,
): boolean {
  if (outer === undefined || inner === undefined) return false;
  // Each role stands once in either.
  if (outer.length === inner.length && inner.every((role) => outer.includes(role))) return true;
  return context.fail("contradictory-payload", innerPlace, "the block itself states another audience");
}

function normaliseAnnotations(
  value: JsonValue | undefined,
  place: Pointer,
  context: ParseContext,
): JsonObject {
  if (value === undefined) return {};
  if (!isJsonObject(value)) return context.fail("invalid-payload", place, "annotations must be an object");
  const { audience: _, ...annotations } = withoutNulls(value, ["audience", "priority", "lastModified"]);
  const audience = statedAudience(value, context, place);
  return audience === undefined ? annotations : { ...annotations, audience };
}

function extraOfAnnotations(annotations: JsonObject): JsonObject {
  const { audience: _, priority, lastModified, ...rest } = annotations;
  return {
    ...rest,
    ...(priority === undefined || isNumber(priority) ? {} : { priority }),
    ...(lastModified === undefined || typeof lastModified === "string" ? {} : { lastModified }),
  };
}

function checkMeta(block: JsonObject, place: Pointer, context: ParseContext): void {
  if (block._meta === undefined || isJsonObject(block._meta)) return;
  context.fail("invalid-payload", pointer(place, "_meta"), "`_meta` must be an object");
}

function checkShape(block: TypedBlock, place: Pointer, context: ParseContext): TypedBlock {
  switch (block.type) {
    case "text":
      demandString(block, "text", place, context);
      return block;
    case "image":
    case "audio":
      demandString(block, "data", place, context);
      if (block.mimeType !== undefined || !namesItsType(block.data as string)) {
        demandString(block, "mimeType", place, context);
      }
      return block;
    case "resource":
      return checkResource(block, pointer(place, "resource"), context);
    default:
      demandString(block, "uri", place, context);
      for (const key of ["name", "title", "description", "mimeType"]) {
        if (block[key] !== undefined) demandString(block, key, place, context);
      }
      if (block.size === undefined || isNumber(block.size)) return block;
      return context.fail("invalid-payload", pointer(place, "size"), "`size` must be a number");
  }
}

function checkResource(block: TypedBlock, place: Pointer, context: ParseContext): TypedBlock {
  if (!isJsonObject(block.resource)) {
    return context.fail("invalid-payload", place, "`resource` must be an object");
  }
  const resource = withoutNulls(block.resource, resourceKeys);
  demandString(resource, "uri", place, context);
  if (resource.mimeType !== undefined) demandString(resource, "mimeType", place, context);
  demandString(resource, resource.text === undefined ? "blob" : "text", place, context);
  if (resource.text === undefined || resource.blob === undefined) return { ...block, resource };
  demandString(resource, "blob", place, context);
  return { ...block, resource: withOneCopy(resource, place, context) };
}

/** R26: the MIME type decides which of the two copies is read. */
function withOneCopy(resource: JsonObject, place: Pointer, context: ParseContext): JsonObject {
  if (context.mode === "strict") {
    return context.fail("contradictory-payload", place, "a resource has text or bytes, not both");
  }
  const isText = typeof resource.mimeType === "string" && isTextType(essence(resource.mimeType));
  context.lose("resource-copy-dropped", place, `its ${isText ? "text" : "bytes"} were kept`);
  return without(resource, [isText ? "blob" : "text"]);
}

/** Whether a `data:` URL says the MIME type that the block does not. */
function namesItsType(data: string): boolean {
  return /^\s*data:\s*[^\s,;]/i.test(data.slice(0, 64));
}

function demandString(object: JsonObject, key: string, place: Pointer, context: ParseContext): void {
  if (typeof object[key] === "string") return;
  context.fail("invalid-payload", pointer(place, key), `\`${key}\` must be a string`);
}

function isResource(block: TypedBlock): block is TypedBlock & { readonly resource: JsonObject } {
  return block.type === "resource" && isJsonObject(block.resource);
}

function without(object: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}

function withoutNulls(object: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(object).filter(([key, value]) => value !== null || !keys.includes(key)),
  );
}

/** A member that stands only where it says something. */
function nested(key: string, value: JsonObject): JsonObject {
  return Object.keys(value).length === 0 ? {} : { [key]: value };
}

function joined(added: JsonValue, own: JsonValue | undefined): JsonValue {
  if (own === undefined) return added;
  return isJsonObject(added) && isJsonObject(own) ? { ...added, ...own } : own;
}
