import * as z from "zod";
import type { ParseContext } from "./adapter.ts";
import type { LinkPart, MediaKind, MediaPart, Part, ResourcePart } from "./ir.ts";
import { isJsonObject, isNumber, isStrings } from "./json/json-kind.ts";
import type { JsonNumber } from "./json/json-number.ts";
import type { JsonObject, JsonValue } from "./json/json-value.ts";
import { essence } from "./media-type.ts";
import { platform } from "./platform/index.ts";
import { type Pointer, pointer } from "./pointer.ts";

/**
 * Content blocks of the Model Context Protocol (https://modelcontextprotocol.io/specification/2025-11-25/server/tools)
 * that hold files and links: `image`, `audio`, `resource` and `resource_link`. watsonx writes them as they are,
 * Strands as the last way out for media that it has no block for (R56).
 */

const knownRoles: ReadonlySet<string> = new Set(["user", "assistant"]);

/** RFC 3339 date-time with an offset, checked as the official SDK does. */
const dateTime = z.iso.datetime({ offset: true });

/**
 * The part that a block stands for, without its unknown keys; `undefined` for another type or a shape that does not
 * hold. Annotations of another type than MCP's are left out. Bytes are checked by `context.base64`; `pointer` is the
 * place of the block.
 */
export function partOfMcpBlock(block: JsonObject, context: ParseContext, place: Pointer): Part | undefined {
  const common = commonOfMcpBlock(block, context, place);
  switch (block.type) {
    case "image":
    case "audio": {
      if (typeof block.data !== "string") return undefined;
      const bytes = mcpBytes(block.data, block.mimeType, context, pointer(place, "data"));
      return bytes.mimeType === undefined
        ? undefined
        : { type: "media", kind: block.type, mimeType: bytes.mimeType, data: bytes.data, ...common };
    }
    case "resource":
      return isJsonObject(block.resource)
        ? resourceOf(block.resource, common, context, pointer(place, "resource"))
        : undefined;
    case "resource_link":
      if (typeof block.uri !== "string") return undefined;
      return {
        type: "link",
        kind: "resource",
        url: block.uri,
        ...stringsOf(block, ["name", "title", "description", "mimeType"]),
        ...(isNumber(block.size) ? { size: block.size } : {}),
        ...common,
      };
    default:
      return undefined;
  }
}

/** Bytes in standard spelling, and their MIME type: the declared one, else the one of a `data:` URL. */
export function mcpBytes(
  text: string,
  declared: JsonValue | undefined,
  context: ParseContext,
  place: Pointer,
): { readonly data: string; readonly mimeType?: string } {
  const bytes = context.base64(text, place);
  return typeof declared === "string" ? { data: bytes.data, mimeType: declared } : bytes;
}

/**
 * Whether a value is a complete valid block of one of the four types, of which the IR keeps everything (R56): no
 * unknown key at any level, roles known and distinct, bytes as padded standard base64.
 */
export function isCompleteMcpBlock(value: JsonValue): boolean {
  if (!isJsonObject(value)) return false;
  if (value._meta !== undefined && !isJsonObject(value._meta)) return false;
  if (value.annotations !== undefined && !isCompleteAnnotations(value.annotations)) return false;
  switch (value.type) {
    case "image":
    case "audio":
      return (
        hasOnly(value, ["data", "mimeType"]) && isBytes(value.data) && typeof value.mimeType === "string"
      );
    case "resource":
      return hasOnly(value, ["resource"]) && isCompleteResource(value.resource);
    case "resource_link":
      return (
        hasOnly(value, ["uri", "name", "title", "description", "mimeType", "size"]) &&
        typeof value.uri === "string" &&
        typeof value.name === "string" &&
        ["title", "description", "mimeType"].every((key) => isAbsentOrString(value[key])) &&
        (value.size === undefined || isNumber(value.size))
      );
    default:
      return false;
  }
}

/**
 * The block that shows a file, a link or an embedded resource. `generated` is true where a URI or a name that MCP
 * demands was made up (R9): from the file name, the last path segment, `position` in the content, or a fixed word.
 * Several texts of one document are joined by an empty line.
 */
export function mcpBlockOfPart(
  part: MediaPart | LinkPart | ResourcePart,
  position: number,
): { readonly block: JsonObject; readonly generated: boolean } {
  const annotations = annotationsOf(part);
  const common: JsonObject = {
    ...(annotations === undefined ? {} : { annotations }),
    ...(part.meta === undefined ? {} : { _meta: part.meta }),
  };
  switch (part.type) {
    case "media":
      return mediaBlock(part, position, common);
    case "resource": {
      const { uri, mimeType, text, data } = part;
      return { block: resourceBlock({ uri, mimeType, text, data }, common), generated: false };
    }
    case "link": {
      const { url: uri, name, title, description, mimeType, size } = part;
      return linkBlock({ uri, name, title, description, mimeType, size }, common);
    }
  }
}

/** The name that a link gets where it has none: the last segment of its path, else `link` (R9). */
export function nameOfUri(uri: string): string {
  const path = uri.replace(/[?#].*$/s, "").replace(/^[a-z][a-z0-9+.-]*:(\/\/[^/]*)?/i, "");
  const segment = path.slice(path.lastIndexOf("/") + 1);
  return segment === "" ? "link" : decoded(segment);
}

/** What any part can hold, as a block's `annotations` and `_meta` say it; values of another type are left out. */
export type McpCommon = Pick<Part, "audience" | "priority" | "lastModified" | "meta">;

/** Fails for an audience that is no list of roles, as `statedAudience` does. */
export function commonOfMcpBlock(block: JsonObject, context: ParseContext, place: Pointer): McpCommon {
  const { priority, lastModified } = isJsonObject(block.annotations) ? block.annotations : {};
  const audience = statedAudience(block.annotations, context, pointer(place, "annotations"));
  return {
    ...(audience === undefined ? {} : { audience }),
    ...(isNumber(priority) ? { priority } : {}),
    ...(typeof lastModified === "string" ? { lastModified } : {}),
    ...(isJsonObject(block._meta) ? { meta: context.payload(block._meta, pointer(place, "_meta")) } : {}),
  };
}

/**
 * The roles that annotations at `place` name, each once; `undefined` where they name none. Fails with `invalid-payload`
 * for an audience that is no list of roles: nobody can say who may see such a block, of a known type or not.
 */
export function statedAudience(
  annotations: JsonValue | undefined,
  context: ParseContext,
  place: Pointer,
): readonly string[] | undefined {
  const audience = isJsonObject(annotations) ? (annotations.audience ?? undefined) : undefined;
  if (audience === undefined) return undefined;
  if (isStrings(audience)) return [...new Set(audience)];
  return context.fail("invalid-payload", pointer(place, "audience"), "an audience must be an array of roles");
}

/**
 * What of a part's annotations a strict MCP reader accepts (R44): known roles once each, `priority` within 0..1, an
 * RFC 3339 `lastModified`. An audience that is empty stays so; one of unknown roles only is left out.
 */
export function annotationsOf(part: Omit<McpCommon, "meta">): JsonObject | undefined {
  const annotations: JsonObject = {
    ...audienceOf(part.audience),
    ...(part.priority !== undefined && isPriority(part.priority) ? { priority: part.priority } : {}),
    ...(part.lastModified !== undefined && isDateTime(part.lastModified)
      ? { lastModified: part.lastModified }
      : {}),
  };
  return Object.keys(annotations).length === 0 ? undefined : annotations;
}

function audienceOf(audience: readonly string[] | undefined): { readonly audience?: readonly string[] } {
  if (audience === undefined) return {};
  const roles = [...new Set(audience)].filter((role) => knownRoles.has(role));
  return roles.length === 0 && audience.length > 0 ? {} : { audience: roles };
}

function resourceOf(
  resource: JsonObject,
  common: McpCommon,
  context: ParseContext,
  place: Pointer,
): Part | undefined {
  const { uri, mimeType, text, blob } = resource;
  if (typeof uri !== "string") return undefined;
  if (typeof text === "string" && blob === undefined) {
    return { type: "resource", uri, ...stringsOf(resource, ["mimeType"]), text, ...common };
  }
  if (typeof blob !== "string" || text !== undefined) return undefined;
  return { type: "resource", uri, ...mcpBytes(blob, mimeType, context, pointer(place, "blob")), ...common };
}

function mediaBlock(
  part: MediaPart,
  position: number,
  common: JsonObject,
): { readonly block: JsonObject; readonly generated: boolean } {
  const { kind, mimeType, fileName, data, stored } = part;
  if (stored !== undefined) return linkBlock({ uri: stored.uri, name: fileName, mimeType }, common);
  if (data !== undefined && mimeType !== undefined && hasBlock(kind, mimeType)) {
    return { block: { type: kind, data, mimeType, ...common }, generated: false };
  }
  const uri = `attachment:///${position}/${encoded(baseName(fileName) ?? kind)}`;
  const text = part.text ?? part.texts?.join("\n\n");
  return { block: resourceBlock({ uri, mimeType, text, data }, common), generated: true };
}

/** SVG is a text of markup: models that take images refuse it, so it goes the way of other files. */
function hasBlock(kind: MediaKind, mimeType: string): boolean {
  return kind === "audio" || (kind === "image" && essence(mimeType) !== "image/svg+xml");
}

function resourceBlock(
  resource: {
    readonly uri: string;
    readonly mimeType?: string | undefined;
    readonly text?: string | undefined;
    readonly data?: string | undefined;
  },
  common: JsonObject,
): JsonObject {
  const { uri, mimeType, text, data } = resource;
  return { type: "resource", resource: defined({ uri, mimeType, text, blob: data }), ...common };
}

function linkBlock(
  link: { readonly uri: string; readonly name?: string | undefined } & {
    readonly [key in "title" | "description" | "mimeType"]?: string | undefined;
  } & { readonly size?: number | JsonNumber | undefined },
  common: JsonObject,
): { readonly block: JsonObject; readonly generated: boolean } {
  const name = link.name ?? nameOfUri(link.uri);
  return {
    block: { type: "resource_link", ...defined({ ...link, name }), ...common },
    generated: link.name === undefined,
  };
}

function isCompleteAnnotations(value: JsonValue): boolean {
  if (!isJsonObject(value) || Object.keys(value).length === 0) return false;
  const { audience, priority, lastModified, ...rest } = value;
  return (
    Object.keys(rest).length === 0 &&
    (audience === undefined || (isStrings(audience) && isKnownRoles(audience))) &&
    (priority === undefined || (isNumber(priority) && isPriority(priority))) &&
    (lastModified === undefined || (typeof lastModified === "string" && isDateTime(lastModified)))
  );
}

function isKnownRoles(audience: readonly string[]): boolean {
  return new Set(audience).size === audience.length && audience.every((role) => knownRoles.has(role));
}

function isCompleteResource(value: JsonValue | undefined): boolean {
  if (!isJsonObject(value)) return false;
  const { uri, mimeType, text, blob, ...rest } = value;
  return (
    Object.keys(rest).length === 0 &&
    typeof uri === "string" &&
    isAbsentOrString(mimeType) &&
    (blob === undefined ? typeof text === "string" : text === undefined && isBytes(blob))
  );
}

const commonKeys = ["type", "annotations", "_meta"];

function hasOnly(block: JsonObject, keys: readonly string[]): boolean {
  return Object.keys(block).every((key) => commonKeys.includes(key) || keys.includes(key));
}

/** Whether a priority lies in 0..1, told without rounding: a `JsonNumber` that a double takes for 1 may be above. */
function isPriority(value: number | JsonNumber): boolean {
  const number = typeof value === "number" ? value : Number(value.source);
  return number >= 0 && (typeof value === "number" ? number <= 1 : number < 1);
}

function isDateTime(text: string): boolean {
  return dateTime.safeParse(text).success;
}

function isBytes(value: JsonValue | undefined): boolean {
  return typeof value === "string" && platform.isBase64(value);
}

function isAbsentOrString(value: JsonValue | undefined): boolean {
  return value === undefined || typeof value === "string";
}

function stringsOf<Key extends string>(
  object: JsonObject,
  keys: readonly Key[],
): { readonly [key in Key]?: string } {
  return Object.fromEntries(
    keys.filter((key) => typeof object[key] === "string").map((key) => [key, object[key]]),
  ) as { readonly [key in Key]?: string }; // `fromEntries` forgets which keys it was given.
}

/** The members that are there. */
function defined(members: { readonly [key: string]: JsonValue | undefined }): JsonObject {
  return Object.fromEntries(
    Object.entries(members).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined),
  );
}

/** Path parts never survive into a name (R54). */
function baseName(fileName: string | undefined): string | undefined {
  const name = fileName?.split(/[/\\]/).at(-1);
  return name === "" ? undefined : name;
}

/** `encodeURIComponent` refuses a lone surrogate. */
function encoded(name: string): string {
  return encodeURIComponent(name.replaceAll(/\p{Surrogate}/gu, "\ufffd"));
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
