import type { ParseContext } from "../../src/adapter.ts";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import { type Pointer, pointer } from "../../src/pointer.ts";
import { isObject, type Message, messageTypes, orAbsent, stringAt, textTypes, without } from "./shapes.ts";

/** One message: in the present spelling, or as it came where its type is none that Dify has today. */
export type ReadMessage =
  | { readonly known: true; readonly message: Message }
  | { readonly known: false; readonly message: JsonObject };

/**
 * One message in the one spelling per meaning: legacy payloads (a string or an object directly, `file_var`,
 * `save_as`), bare `json` objects, `null` and default values, base64 and MIME spellings. A type that its payload
 * contradicts is refused under `strict`, else the payload decides (R26).
 */
export function readMessage(value: JsonObject, place: Pointer, context: ParseContext): ReadMessage {
  // The API server takes a message without a type for a text.
  const type = value.type ?? "text";
  if (typeof type !== "string")
    return context.fail("invalid-payload", pointer(place, "type"), "expected a string");
  const meta = readMeta(value.meta, place, context);
  if (type === "file_var") return readMessage(fileOfVariable(value, meta), place, context);
  if (!messageTypes.has(type)) return { known: false, message: readUnknown(value, meta, place, context) };
  const given = payloadOf(type, value.message, place, context);
  const decided = given === undefined ? type : decideType(type, given, place, context);
  const extra = without(value, ["type", "message", "meta", ...(value.save_as === "" ? ["save_as"] : [])]);
  const file = type === "file" && isObject(meta?.file);
  if (given === undefined && !file)
    context.lose("message-empty", place, `a message of type ${type} without a payload`);
  const [wire, payload] =
    given !== undefined
      ? [decided, given]
      : type === "file"
        ? [type, { file_marker: "file_marker" }]
        : ["text", { text: "" }];
  return { known: true, message: spelled(wire, payload, meta, extra, place, context) };
}

function readMeta(
  value: JsonValue | undefined,
  place: Pointer,
  context: ParseContext,
): JsonObject | undefined {
  if (value === undefined || value === null) return undefined;
  const at = pointer(place, "meta");
  if (!isObject(value)) return context.fail("invalid-payload", at, "expected an object");
  return orAbsent(context.payload(value, at));
}

function readUnknown(
  value: JsonObject,
  meta: JsonObject | undefined,
  place: Pointer,
  context: ParseContext,
): JsonObject {
  const message = context.payload(value, place);
  return meta === undefined ? without(message, ["meta"]) : message;
}

/** Dify up to 0.15 named the file of a variable so. */
function fileOfVariable(value: JsonObject, meta: JsonObject | undefined): JsonObject {
  const { file_var: file, ...rest } = meta ?? {};
  return { ...value, type: "file", meta: { ...rest, ...(file === undefined ? {} : { file }) } };
}

/** The payload as an object, as far as the type says how; undefined where there is none. */
function payloadOf(
  type: string,
  value: JsonValue | undefined,
  place: Pointer,
  context: ParseContext,
): JsonObject | undefined {
  if (value === undefined || value === null) return undefined;
  if (isObject(value)) return value;
  if (typeof value === "string" && textTypes.has(type)) return { text: value };
  if (typeof value === "string" && type === "blob") return { blob: value };
  if (Array.isArray(value) && type === "json") return { json_object: value };
  return context.fail(
    "invalid-payload",
    pointer(place, "message"),
    `expected the payload of a ${type} message`,
  );
}

/** The type that the payload fits. */
function decideType(type: string, payload: JsonObject, place: Pointer, context: ParseContext): string {
  if (fits(type, payload)) return type;
  const said = typeOfPayload(payload);
  const at = pointer(place, "message");
  if (said === undefined)
    return context.fail("invalid-payload", at, `expected the payload of a ${type} message`);
  const detail = `the type is ${type}, the payload that of ${said}`;
  if (context.mode === "strict") return context.fail("contradictory-payload", place, detail);
  context.lose("payload-decides", place, detail);
  return said;
}

function fits(type: string, payload: JsonObject): boolean {
  switch (type) {
    case "json":
      // The API server wraps any other object.
      return true;
    case "file":
      return true;
    case "blob":
      return typeof payload.blob === "string";
    case "blob_chunk":
      return typeof payload.blob === "string" && typeof payload.id === "string";
    case "variable":
      return typeof payload.variable_name === "string" && Object.hasOwn(payload, "variable_value");
    case "log":
      return isLog(payload) || typeOfPayload(payload) === undefined;
    case "retriever_resources":
      return Array.isArray(payload.retriever_resources);
    default:
      return typeof payload.text === "string";
  }
}

function isLog(payload: JsonObject): boolean {
  return ["id", "label", "status", "data"].some((key) => Object.hasOwn(payload, key));
}

function typeOfPayload(payload: JsonObject): string | undefined {
  if (Object.hasOwn(payload, "json_object")) return "json";
  const fitting = ["text", "variable", "blob_chunk", "blob", "retriever_resources"].find((type) =>
    fits(type, payload),
  );
  return fitting ?? (isLog(payload) ? "log" : undefined);
}

function spelled(
  type: string,
  payload: JsonObject,
  meta: JsonObject | undefined,
  extra: JsonObject,
  place: Pointer,
  context: ParseContext,
): Message {
  const at = pointer(place, "message");
  const own =
    type === "blob"
      ? blobPayload(payload, meta, at, context)
      : { payload: payloadSpelling(type, payload, at, context), meta };
  return { ...extra, type, message: own.payload, ...(own.meta === undefined ? {} : { meta: own.meta }) };
}

function payloadSpelling(type: string, payload: JsonObject, at: Pointer, context: ParseContext): JsonObject {
  switch (type) {
    case "json":
      return jsonPayload(payload, at, context);
    case "variable":
      context.payload(payload.variable_value as JsonValue, pointer(at, "variable_value"));
      if (payload.stream === true && typeof payload.variable_value !== "string") {
        return context.fail(
          "invalid-payload",
          pointer(at, "variable_value"),
          "a streamed variable is a text",
        );
      }
      return payload.stream === true ? payload : withoutDefaults(payload, { stream: false });
    case "log":
      for (const key of ["data", "metadata"]) {
        if (Object.hasOwn(payload, key)) context.payload(payload[key] as JsonValue, pointer(at, key));
      }
      return withoutDefaults(
        isEmpty(payload.metadata) ? without(payload, ["metadata"]) : payload,
        logDefaults,
      );
    case "retriever_resources":
      context.payload(payload.retriever_resources as JsonValue, pointer(at, "retriever_resources"));
      return withoutDefaults(payload, { context: null });
    case "file":
      return { ...payload, file_marker: "file_marker" };
    default:
      return payload;
  }
}

const logDefaults: JsonObject = {
  id: null,
  label: null,
  parent_id: null,
  error: null,
  status: null,
  data: null,
  metadata: null,
};

function isEmpty(value: JsonValue | undefined): boolean {
  return isObject(value) && orAbsent(value) === undefined;
}

/** Without members that are null or equal to their default. */
function withoutDefaults(payload: JsonObject, defaults: JsonObject): JsonObject {
  const isDefault = (key: string) => payload[key] === null || payload[key] === defaults[key];
  return without(payload, Object.keys(defaults).filter(isDefault));
}

function jsonPayload(payload: JsonObject, at: Pointer, context: ParseContext): JsonObject {
  if (!Object.hasOwn(payload, "json_object")) return { json_object: context.payload(payload, at) };
  context.payload(payload.json_object as JsonValue, pointer(at, "json_object"));
  return withoutDefaults(payload, { suppress_output: false });
}

/** Bytes in standard base64, and the MIME type where the API server looks for it. */
function blobPayload(
  payload: JsonObject,
  meta: JsonObject | undefined,
  at: Pointer,
  context: ParseContext,
): { readonly payload: JsonObject; readonly meta: JsonObject | undefined } {
  const { data, mimeType } = context.base64(stringAt(payload, "blob") ?? "", pointer(at, "blob"));
  return { payload: { ...payload, blob: data }, meta: blobMeta(meta, mimeType) };
}

/** The meta of a blob: `mimetype` is graphon's spelling of `mime_type`; a `data:` URL says the type too. */
export function blobMeta(meta: JsonObject | undefined, mimeType: string | undefined): JsonObject | undefined {
  const { mimetype, ...rest } = meta ?? {};
  if (meta !== undefined && Object.hasOwn(meta, "mime_type")) return meta;
  if (typeof mimetype === "string") return { ...rest, mime_type: mimetype };
  return mimeType === undefined ? meta : { ...meta, mime_type: mimeType };
}
