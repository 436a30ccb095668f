import { isJsonObject } from "../../src/json/json-kind.ts";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";

/**
 * A Strands tool result in the one form that every accepted spelling is read to and every dialect is written from.
 * Facts: `strands/types/tools.py` and `media.py` (strands-agents 1.62.0), `types/messages.ts` and `media.ts`
 * (@strands-agents/sdk 1.19.0), the Bedrock Converse API (`ToolResultBlock`).
 */
export interface WireResult {
  readonly toolUseId?: string;
  readonly status?: "success" | "error";
  readonly content: readonly WireBlock[];
  /** Any JSON value; not read by the model. */
  readonly structuredContent?: JsonValue;
  /** Never empty: the SDK does not write an empty one. */
  readonly metadata?: JsonObject;
  /** Keys that are not named here, `isError` and `cancelled` included. */
  readonly extra?: JsonObject;
}

export type WireBlock = WireText | WireJson | WireMedia | WireUnknown;

export interface WireText {
  readonly type: "text";
  readonly text: string;
  /** Keys beside the content key. */
  readonly extra?: JsonObject;
}

export interface WireJson {
  readonly type: "json";
  readonly json: JsonValue;
  readonly extra?: JsonObject;
}

export const mediaTypes = ["image", "document", "video", "audio"] as const;
export type MediaType = (typeof mediaTypes)[number];

export interface WireMedia {
  readonly type: MediaType;
  /** The name of the format as Python spells it (`jpeg`, `three_gp`), or one that nobody knows. */
  readonly format?: string;
  readonly source: WireSource;
  /** Documents only, like the next two. */
  readonly name?: string;
  readonly citations?: JsonValue;
  readonly context?: JsonValue;
  /** Keys inside the block's value that are not named here. */
  readonly mediaExtra?: JsonObject;
  /** Keys inside `source`. */
  readonly sourceExtra?: JsonObject;
  readonly extra?: JsonObject;
}

export type WireSource =
  /** Padded standard base64. */
  | { readonly kind: "bytes"; readonly data: string }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "texts"; readonly texts: readonly string[] }
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "s3"; readonly uri: string; readonly bucketOwner?: string };

/** A block of another type or shape, as it is (R6). */
export interface WireUnknown {
  readonly type: "unknown";
  readonly value: JsonValue;
  /** Whom it says it is for. */
  readonly audience?: readonly string[];
}

export const dialectIds = ["python", "typescript", "bedrock"] as const;
export type DialectId = (typeof dialectIds)[number];

/** Stands for a bytes value in what the Python SDK stores (`encode_bytes_values` of its session types). */
export const bytesMark = "__bytes_encoded__";

/** The key under which both an SDK and we wrap an array, since Bedrock takes objects only. */
export const arrayKey = "$value";

/** The array that `{"$value": [...]}`, that single key, stands for. */
export function wrappedArray(value: JsonValue): readonly JsonValue[] | undefined {
  if (!isJsonObject(value) || !Array.isArray(value[arrayKey]) || Object.keys(value).length !== 1)
    return undefined;
  return value[arrayKey];
}

/** The members whose keys are not among `known`; undefined where there are none. */
export function without(object: JsonObject, known: ReadonlySet<string>): JsonObject | undefined {
  const rest = Object.entries(object).filter(([key]) => !known.has(key));
  return rest.length === 0 ? undefined : Object.fromEntries(rest);
}

/** The members that are there. */
export function defined<Fields extends object>(fields: Fields): Defined<Fields> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  // `fromEntries` forgets which keys it was given.
  return Object.fromEntries(entries) as Defined<Fields>;
}

/** Optional where `undefined` was possible. */
type Defined<Fields> = {
  [Key in keyof Fields as undefined extends Fields[Key] ? never : Key]: Fields[Key];
} & {
  [Key in keyof Fields as undefined extends Fields[Key] ? Key : never]?: Exclude<Fields[Key], undefined>;
};
