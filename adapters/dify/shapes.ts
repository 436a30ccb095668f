import { isJsonNumber } from "../../src/json/json-number.ts";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import type { Pointer } from "../../src/pointer.ts";

/** An item of a document with its place. */
export interface Item {
  readonly value: JsonObject;
  readonly pointer: Pointer;
}

/** A `ToolInvokeMessage` in the present spelling: what every reader of Dify takes. Further keys are unknown ones. */
export interface Message extends JsonObject {
  readonly type: string;
  readonly message: JsonObject;
  readonly meta?: JsonObject;
}

/** Message types whose payload is `{"text": string}`. */
export const textTypes: ReadonlySet<string> = new Set(["text", "link", "image", "image_link", "binary_link"]);

/** Every type that one of Dify's four models of a message knows (SDK, daemon, API server, graphon). */
export const messageTypes: ReadonlySet<string> = new Set([
  ...textTypes,
  "blob",
  "blob_chunk",
  "json",
  "variable",
  "file",
  "log",
  "retriever_resources",
]);

/** Keys of a payload that the IR has a place for, by type of message; the others are unknown ones. */
export const knownKeys: Readonly<Record<string, readonly string[]>> = {
  text: ["text"],
  link: ["text"],
  image: ["text"],
  image_link: ["text"],
  binary_link: ["text"],
  json: ["json_object", "suppress_output"],
  blob: ["blob"],
  file: ["file_marker"],
  variable: ["variable_name", "variable_value", "stream"],
  retriever_resources: ["retriever_resources"],
};

/** Keys of `meta` that Dify resolves to files it stores (R63). */
export const storedKeys: readonly string[] = ["tool_file_id", "transfer_method", "file"];

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isJsonNumber(value);
}

export function isTexts(value: JsonValue | undefined): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** Whether an item of a rendered document is the error frame, which stands among messages without an envelope. */
export function isErrorFrame(item: JsonObject): boolean {
  return typeof item.code === "number" && !Object.hasOwn(item, "type");
}

/** The member where it is a string. */
export function stringAt(object: JsonObject, key: string): string | undefined {
  const value = object[key];
  return typeof value === "string" ? value : undefined;
}

/** The object without some of its own keys; itself where it has none of them. */
export function without(object: JsonObject, keys: readonly string[]): JsonObject {
  if (!keys.some((key) => Object.hasOwn(object, key))) return object;
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}

/** The object with only these of its own keys. */
export function only(object: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => keys.includes(key)));
}

/** Undefined for an object without own keys, which says nothing. */
export function orAbsent(object: JsonObject): JsonObject | undefined {
  return Object.keys(object).length === 0 ? undefined : object;
}
