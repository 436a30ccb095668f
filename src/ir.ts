import * as z from "zod";
import { isJsonObject, isNumber } from "./json/json-kind.ts";
import type { JsonNumber } from "./json/json-number.ts";
import type { JsonObject, JsonValue } from "./json/json-value.ts";

/**
 * The canonical intermediate representation (rules R1 to R8): what one tool call gave back, in no platform's
 * spelling, and the call itself. Words follow MCP where MCP has one. Absent is a statement of its own: an absent
 * `status` means that the source did not say, an absent `structuredContent` is not `null`.
 *
 * The schemas check; they never copy. Values are taken from the object that was checked, because a schema's
 * output drops an own `__proto__` key.
 */

const json = () => z.custom<JsonValue>((value) => value !== undefined);
const jsonObject = () => z.custom<JsonObject>(isJsonObject).meta({ type: "object" });
const jsonNumber = () => z.custom<number | JsonNumber>(isNumber).meta({ type: "number" });

/** What every part can hold (R3). */
const common = {
  /** Who the part is for, in the source's order; absent, empty and unknown roles are told apart. */
  audience: z.array(z.string()).exactOptional(),
  /** 1 is the most important, 0 the least; values outside 0..1 are kept (R44). */
  priority: jsonNumber().exactOptional(),
  /** RFC 3339 date-time; another text is kept (R44). */
  lastModified: z.string().exactOptional(),
  /** The platform's metadata about this part (`_meta` of a block, `meta` of a Dify message). */
  meta: jsonObject().exactOptional(),
  /** By adapter id: facts of that format's spelling, which only that adapter reads (R8). */
  extensions: z.record(z.string(), jsonObject()).exactOptional(),
};

export const textPartSchema = z.strictObject({ type: z.literal("text"), text: z.string(), ...common });

export const jsonPartSchema = z.strictObject({ type: z.literal("json"), value: json(), ...common });

export const mediaKinds = ["image", "audio", "video", "file"] as const;

/** Where a stored file lies: not fetchable by a stranger without the platform's own signature or credentials. */
const storedSchema = z.strictObject({ uri: z.string(), owner: z.string().exactOptional() });

/** Exactly one of `data` (padded standard base64), `text`, `texts` (a document of several texts) and `stored`. */
export const mediaPartSchema = z
  .strictObject({
    type: z.literal("media"),
    kind: z.enum(mediaKinds),
    mimeType: z.string().exactOptional(),
    fileName: z.string().exactOptional(),
    data: z.string().exactOptional(),
    text: z.string().exactOptional(),
    texts: z.array(z.string()).exactOptional(),
    stored: storedSchema.exactOptional(),
    ...common,
  })
  .refine(
    (part) =>
      [part.data, part.text, part.texts, part.stored].filter((source) => source !== undefined).length === 1,
    "exactly one of data, text, texts and stored",
  );

export const linkKinds = ["hyperlink", "image", "resource"] as const;

/** A URL that nothing fetches (R62). Kind `resource` is MCP's resource link, `image` one stated to be an image. */
export const linkPartSchema = z.strictObject({
  type: z.literal("link"),
  kind: z.enum(linkKinds),
  url: z.string(),
  name: z.string().exactOptional(),
  title: z.string().exactOptional(),
  description: z.string().exactOptional(),
  mimeType: z.string().exactOptional(),
  /** Bytes. */
  size: jsonNumber().exactOptional(),
  ...common,
});

/** Embedded text or bytes (`data`, padded standard base64) with a URI; exactly one of the two. */
export const resourcePartSchema = z
  .strictObject({
    type: z.literal("resource"),
    uri: z.string(),
    mimeType: z.string().exactOptional(),
    text: z.string().exactOptional(),
    data: z.string().exactOptional(),
    ...common,
  })
  .refine((part) => (part.text === undefined) !== (part.data === undefined), "exactly one of text and data");

/** Retrieval sources, each in the spelling of the format it came from (Dify's RetrieverResource keys). */
export const citationsPartSchema = z.strictObject({
  type: z.literal("citations"),
  sources: z.array(json()),
  /** The text put before the model with the sources. */
  context: z.string().exactOptional(),
  ...common,
});

/** A block that no rule knows, with its raw value (R6). */
export const opaquePartSchema = z.strictObject({
  type: z.literal("opaque"),
  adapter: z.string(),
  value: json(),
  ...common,
});

export const partSchema = z.discriminatedUnion("type", [
  textPartSchema,
  jsonPartSchema,
  mediaPartSchema,
  linkPartSchema,
  resourcePartSchema,
  citationsPartSchema,
  opaquePartSchema,
]);

/** One progress or diagnostic entry; never part of the result's content. */
export const logSchema = z.strictObject({
  id: z.string().exactOptional(),
  parentId: z.string().exactOptional(),
  label: z.string().exactOptional(),
  status: z.enum(["start", "success", "error"]).exactOptional(),
  error: z.string().exactOptional(),
  data: json().exactOptional(),
  meta: jsonObject().exactOptional(),
  extensions: z.record(z.string(), jsonObject()).exactOptional(),
});

export const resultErrorSchema = z.strictObject({
  message: z.string(),
  type: z.string().exactOptional(),
  code: z
    .custom<string | number | JsonNumber>((value) => typeof value === "string" || isNumber(value))
    .exactOptional(),
});

export const toolResultSchema = z.strictObject({
  toolCallId: z.string().exactOptional(),
  /** Absent: the source did not say (R1, R50). */
  status: z.enum(["success", "error"]).exactOptional(),
  error: resultErrorSchema.exactOptional(),
  content: z.array(partSchema),
  structuredContent: json().exactOptional(),
  /** A watsonx widget of any generation, verbatim. */
  widget: jsonObject().exactOptional(),
  /** Result-level metadata (`_meta`). */
  meta: jsonObject().exactOptional(),
  logs: z.array(logSchema).exactOptional(),
  extensions: z.record(z.string(), jsonObject()).exactOptional(),
});

/** The words of one format around a call. */
const callContextSchema = z.strictObject({
  /** Id of the adapter whose words these are. */
  format: z.string(),
  fields: jsonObject(),
});

/** One call of a tool, whatever platform makes it: as small as the result. */
export const toolCallSchema = z.strictObject({
  /** The caller's id of the call, which becomes the id of the result. */
  toolCallId: z.string().min(1).exactOptional(),
  name: z.string().min(1),
  arguments: jsonObject(),
  /**
   * What a platform says around a call (user, conversation, app), in its own words. It goes to an upstream of the same
   * format and nowhere else: never to a result, a carry or a log (R27). Credentials are never in it.
   */
  context: callContextSchema.exactOptional(),
});

/** JSON payloads are read-only by their own type, and endless: the walk stops at them. */
type DeepReadonly<Value> = [JsonValue] extends [Value]
  ? Value
  : [JsonObject] extends [Value]
    ? Value
    : DeepReadonlyEach<Value>;

type DeepReadonlyEach<Value> = Value extends JsonNumber
  ? Value
  : Value extends (infer Item)[]
    ? readonly DeepReadonly<Item>[]
    : Value extends object
      ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }
      : Value;

type Shape<Schema extends z.ZodType> = DeepReadonly<z.infer<Schema>>;

export type TextPart = Shape<typeof textPartSchema>;
export type JsonPart = { readonly value: JsonValue } & Omit<Shape<typeof jsonPartSchema>, "value">;
export type MediaPart = Shape<typeof mediaPartSchema>;
export type MediaKind = (typeof mediaKinds)[number];
export type LinkPart = Shape<typeof linkPartSchema>;
export type LinkKind = (typeof linkKinds)[number];
export type ResourcePart = Shape<typeof resourcePartSchema>;
export type CitationsPart = Shape<typeof citationsPartSchema>;
export type OpaquePart = { readonly value: JsonValue } & Omit<Shape<typeof opaquePartSchema>, "value">;
export type Part = TextPart | JsonPart | MediaPart | LinkPart | ResourcePart | CitationsPart | OpaquePart;
export type PartType = Part["type"];
export type Log = Shape<typeof logSchema>;
export type ResultError = Shape<typeof resultErrorSchema>;
export type ResultStatus = "success" | "error";
export type ToolResult = {
  readonly content: readonly Part[];
  readonly structuredContent?: JsonValue;
} & Omit<Shape<typeof toolResultSchema>, "content" | "structuredContent">;

export type ToolCall = Shape<typeof toolCallSchema>;
export type CallContext = Shape<typeof callContextSchema>;
