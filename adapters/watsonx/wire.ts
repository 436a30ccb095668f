import { carryKey, type ParseContext } from "../../src/adapter.ts";
import { isHopByHop } from "../../src/hop-by-hop.ts";
import { isJsonObject } from "../../src/json/json-kind.ts";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import { type Pointer, pointer, rootPointer } from "../../src/pointer.ts";
import { isKnownBlock, isTypedBlock, normaliseBlock, spellBlock, type TypedBlock } from "./block.ts";
import { type ToolStep, toolSteps } from "./history.ts";

/**
 * The document of a tool result as watsonx Orchestrate has it
 * (https://developer.watson-orchestrate.ibm.com/tools/tool_response): read in every spelling, written in one.
 */

/** The `_meta` key of a form or another interactive element. */
export const widgetKey = "com.ibm.orchestrate/widget";

export interface Located<Value extends JsonValue> {
  readonly value: Value;
  /** Where in the document it stood. */
  readonly place: Pointer;
}

/** What stands in `content`: blocks, or the value that a tool returned as it is. */
export type Content =
  | { readonly form: "blocks"; readonly blocks: readonly Located<TypedBlock>[] }
  | { readonly form: "value"; readonly value: Located<JsonValue> };

/** One result in the one spelling that the rest of the adapter reads. */
export interface WireResult {
  readonly place: Pointer;
  readonly content: Content;
  /** Never `null`, which says nothing here. */
  readonly structuredContent?: Located<JsonValue>;
  /** Never empty; with the widget, without the carry and what belongs to one hop (R27). */
  readonly meta?: Located<JsonObject>;
  /** Where the widget in `meta` stood. */
  readonly widgetPlace?: Pointer;
  readonly isError?: Located<boolean>;
  /** Keys that no rule knows, `context_updates` among them. */
  readonly extra?: JsonObject;
  readonly carry?: Located<JsonValue>;
  readonly step?: ToolStep;
}

/** The members that a result is written from. */
export interface Envelope {
  /** An array of blocks, or a bare value. */
  readonly content: JsonValue;
  readonly structuredContent?: JsonValue;
  readonly meta?: JsonObject;
  readonly isError?: boolean;
  readonly extra?: JsonObject;
}

/** Every result of the document: one, or one for each tool step of a thread's history. */
export function normalise(document: JsonValue, context: ParseContext): readonly WireResult[] {
  const steps = toolSteps(document, context);
  if (steps === undefined) return [readResult(document, rootPointer, context)];
  return steps.map((step) => ({ ...readResult(step.content.value, step.content.place, context), step }));
}

/** The canonical document of a result. */
export function spell(result: WireResult, context: ParseContext): JsonObject {
  return writeEnvelope({
    content:
      result.content.form === "value"
        ? result.content.value.value
        : result.content.blocks.map(({ value, place }) => spellBlock(value, place, context)),
    ...(result.structuredContent === undefined ? {} : { structuredContent: result.structuredContent.value }),
    ...(result.meta === undefined ? {} : { meta: result.meta.value }),
    ...(result.isError === undefined ? {} : { isError: result.isError.value }),
    ...(result.extra === undefined ? {} : { extra: result.extra }),
  });
}

export function writeEnvelope({ content, structuredContent, meta, isError, extra }: Envelope): JsonObject {
  const envelope = {
    ...(extra === undefined ? {} : extraOfEnvelope(extra)),
    content,
    ...(structuredContent === undefined ? {} : { structuredContent }),
    ...(meta === undefined || Object.keys(meta).length === 0 ? {} : { _meta: meta }),
    ...(isError === true ? { isError } : {}),
  };
  // A value that looks like an envelope of its own would be taken for one, unless it stands a level deeper.
  return isEnvelopeInside(content) ? { content: envelope } : envelope;
}

/** Puts a carry into a document that `writeEnvelope` made. */
export function embedCarry(document: JsonValue, carry: JsonValue): JsonValue {
  if (!isJsonObject(document)) return document;
  const { content } = document;
  if (isEnvelopeInside(content)) return { ...document, content: embedCarry(content, carry) };
  const meta = isJsonObject(document._meta) ? document._meta : {};
  return { ...document, _meta: { ...meta, [carryKey]: carry } };
}

/** Whether a value, written as `content`, is read as that value and as nothing else. */
export function isReadAsValue(value: JsonValue, hasOtherMembers: boolean): boolean {
  if (Array.isArray(value)) return !value.every(isBlockOrText) && !value.some(isBlock);
  return hasOtherMembers || !isEnvelopeInside(value);
}

type Fields = ReadonlyMap<string, Located<JsonValue>>;

function readResult(document: JsonValue, place: Pointer, context: ParseContext): WireResult {
  if (!isEnvelope(document, place, context)) {
    return { place, content: readContent({ value: document, place }, context) };
  }
  const fields = unwrapped(fieldsOf(document, place), context);
  const meta = readMeta(fields, context);
  const structured = fields.get("structuredContent");
  const isError = fields.get("isError");
  const extra = readExtra(fields, context);
  if (structured !== undefined) context.payload(structured.value, structured.place);
  return {
    place,
    content: readContent(fields.get("content"), context),
    ...(structured === undefined ? {} : { structuredContent: structured }),
    ...meta,
    ...(isError === undefined ? {} : { isError: readIsError(isError, context) }),
    ...(extra === undefined ? {} : { extra }),
  };
}

/** Whether a document says itself that it is a result. Fails for what is one of another protocol's messages. */
function isEnvelope(document: JsonValue, place: Pointer, context: ParseContext): document is JsonObject {
  if (!isJsonObject(document)) return false;
  refuseMessages(document, place, context);
  return (
    document.content !== undefined ||
    document.structuredContent !== undefined ||
    document._meta !== undefined ||
    document.isError !== undefined ||
    isJsonObject(document.widget)
  );
}

/** R25: what a server answers when it has no result yet, and JSON-RPC's own messages. */
function refuseMessages(document: JsonObject, place: Pointer, context: ParseContext): void {
  if (document.jsonrpc === "2.0") {
    if (isJsonObject(document.error)) {
      context.fail("protocol-error", pointer(place, "error"), "a JSON-RPC error is no answer of the tool");
    }
    context.fail("invalid-payload", place, "a JSON-RPC message is no result; MCP's result is its `result`");
  }
  const { resultType, task } = document;
  if (typeof resultType === "string" && resultType !== "complete") {
    context.fail("not-a-result", pointer(place, "resultType"), "only `complete` is a result");
  }
  if (isJsonObject(task) && typeof task.taskId === "string") {
    context.fail("not-a-result", pointer(place, "task"), "a task is no result yet");
  }
  for (const key of ["inputRequests", "requestState"]) {
    if (document[key] !== undefined)
      context.fail("not-a-result", pointer(place, key), "input is asked for first");
  }
}

const envelopeKeys = ["content", "structuredContent", "_meta", "isError"];

/** The members of an envelope; those that `null` makes absent are left out. `content: null` is a value. */
function fieldsOf(object: JsonObject, place: Pointer): Fields {
  return new Map(
    Object.entries(object)
      .filter(
        ([key, value]) =>
          value !== null || !["structuredContent", "_meta", "isError", "widget"].includes(key),
      )
      .filter(([key, value]) => key !== "resultType" || value !== "complete")
      .map(([key, value]) => [key, { value, place: pointer(place, key) }]),
  );
}

/** A tool that returns a dictionary has it put into `content` whole: one level is taken off, never two. */
function unwrapped(outer: Fields, context: ParseContext): Fields {
  const content = outer.get("content");
  if (content === undefined || !isEnvelopeInside(content.value)) return outer;
  const fields = new Map(outer);
  fields.delete("content");
  for (const [key, field] of fieldsOf(content.value, content.place)) {
    if (fields.has(key))
      context.fail("duplicate-key", field.place, "the envelope around this one says it too");
    fields.set(key, field);
  }
  return fields;
}

function isEnvelopeInside(value: JsonValue | undefined): value is JsonObject {
  if (!isJsonObject(value)) return false;
  const { content, structuredContent, _meta } = value;
  return (
    Array.isArray(content) ||
    (structuredContent !== undefined && structuredContent !== null) ||
    (isJsonObject(_meta) && Object.keys(_meta).some((key) => !isReserved(key)))
  );
}

/** Whether a `_meta` key is no metadata of the result: the carry (R30a), or what belongs to one hop (R27). */
export function isReserved(key: string): boolean {
  return key === carryKey || isHopByHop(key);
}

function readMeta(fields: Fields, context: ParseContext): Pick<WireResult, "meta" | "widgetPlace" | "carry"> {
  const field = fields.get("_meta");
  const metaPlace = field?.place ?? rootPointer;
  if (field !== undefined && !isJsonObject(field.value)) {
    return context.fail("invalid-payload", metaPlace, "`_meta` must be an object");
  }
  const { [carryKey]: carry, ...stated } = isJsonObject(field?.value) ? field.value : {};
  for (const key of Object.keys(stated).filter(isHopByHop)) {
    context.lose("meta-hop-by-hop", pointer(metaPlace, key), "it belongs to one connection");
  }
  const kept = Object.fromEntries(Object.entries(stated).filter(([key]) => !isHopByHop(key)));
  if (field !== undefined) context.payload(kept, metaPlace);
  const widget = readWidget(kept, metaPlace, fields.get("widget"), context);
  const meta = widget === undefined ? kept : { ...kept, [widgetKey]: widget.value };
  return {
    ...(Object.keys(meta).length === 0 ? {} : { meta: { value: meta, place: metaPlace } }),
    ...(widget === undefined ? {} : { widgetPlace: widget.place }),
    ...(carry === undefined ? {} : { carry: { value: carry, place: pointer(metaPlace, carryKey) } }),
  };
}

/** R28: a model dump repeats the widget, cut to its base class; the copy in `_meta` is the whole one. */
function readWidget(
  meta: JsonObject,
  metaPlace: Pointer,
  copy: Located<JsonValue> | undefined,
  context: ParseContext,
): Located<JsonObject> | undefined {
  const own = meta[widgetKey];
  if (isJsonObject(own)) {
    if (isJsonObject(copy?.value)) {
      context.lose("widget-duplicate-dropped", copy.place, "the widget in `_meta` was kept");
    }
    return { value: own, place: pointer(metaPlace, widgetKey) };
  }
  if (copy === undefined || !isJsonObject(copy.value)) return undefined;
  return { value: context.payload(copy.value, copy.place), place: copy.place };
}

function readIsError({ value, place }: Located<JsonValue>, context: ParseContext): Located<boolean> {
  if (typeof value === "boolean") return { value, place };
  return context.fail("invalid-status", place, "`isError` must be true or false");
}

function readExtra(fields: Fields, context: ParseContext): JsonObject | undefined {
  const extra = extraOfEnvelope(Object.fromEntries([...fields].map(([key, { value }]) => [key, value])));
  const keys = Object.keys(extra);
  for (const key of keys) {
    const field = fields.get(key);
    if (field !== undefined) context.payload(field.value, field.place);
  }
  return keys.length === 0 ? undefined : extra;
}

function extraOfEnvelope(members: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(members).filter(
      ([key, value]) => !envelopeKeys.includes(key) && !(key === "widget" && isJsonObject(value)),
    ),
  );
}

function readContent(field: Located<JsonValue> | undefined, context: ParseContext): Content {
  if (field === undefined) return { form: "blocks", blocks: [] };
  const { value, place } = field;
  if (!Array.isArray(value) || !(value.every(isBlockOrText) || value.some(isBlock))) {
    return { form: "value", value: { value: context.payload(value, place), place } };
  }
  const blocks = (value as readonly JsonValue[]).map((item, index): Located<TypedBlock> => {
    const at = pointer(place, index);
    if (typeof item === "string") return { value: { type: "text", text: item }, place: at };
    if (isTypedBlock(item)) return { value: normaliseBlock(item, at, context), place: at };
    return context.fail(
      "invalid-payload",
      at,
      "a content block must be an object with a `type`, or a string",
    );
  });
  return { form: "blocks", blocks };
}

/** A tool may return any array; it is content where every item can be a block, or one surely is. */
function isBlockOrText(item: JsonValue): boolean {
  return typeof item === "string" || isTypedBlock(item);
}

function isBlock(item: JsonValue): boolean {
  return isTypedBlock(item) && isKnownBlock(item);
}
