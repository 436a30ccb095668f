import * as fc from "fast-check";
import { isJsonObject } from "../../src/json/json-kind.ts";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import { compact } from "../../src/json/stringify.ts";
import { base64, base64Spellings, fileNames, files } from "../../src/testing/arbitraries/bytes.ts";
import {
  jsonArrays,
  jsonObjects,
  jsonScalars,
  jsonValues,
  optional,
  texts,
} from "../../src/testing/arbitraries/json.ts";
import { strictMcpBlocks } from "./mcp-blocks.ts";
import { pythonJson } from "./spellings.ts";

/**
 * Arbitrary tool results as the Strands SDKs and the Bedrock Converse API write them, after the type listings of the
 * Python SDK (`types/tools.py`, `types/media.py`), the TypeScript SDK (`toJSON` and class forms) and botocore's service
 * model of Converse.
 */

type StrandsDialect = "python" | "typescript" | "bedrock";

/** What the type listings of each dialect admit. */
const formats = {
  python: {
    image: ["png", "jpeg", "gif", "webp"],
    document: ["pdf", "csv", "doc", "docx", "xls", "xlsx", "html", "txt", "md"],
    video: ["mp4", "mov", "three_gp", "mpeg"],
  },
  typescript: {
    image: ["png", "jpg", "jpeg", "gif", "webp"],
    document: ["pdf", "csv", "doc", "docx", "xls", "xlsx", "html", "txt", "md", "json", "xml"],
    video: ["mp4", "mov", "3gp", "mpg"],
  },
  bedrock: {
    image: ["png", "jpeg", "gif", "webp"],
    document: ["pdf", "csv", "doc", "docx", "xls", "xlsx", "html", "txt", "md"],
    video: ["mp4", "mov", "three_gp", "mkv"],
  },
} as const;

/** The service takes names of few characters only. */
const bedrockNames = fc.constantFrom("report", "Q1 report", "a (1) [b]-c", "x".repeat(190));

/** Every spelling of bytes in JSON that a Strands program writes. */
function byteSpellings(bytes: Uint8Array): fc.Arbitrary<JsonValue> {
  const list = [...bytes];
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant(base64(bytes)) },
    { weight: 3, arbitrary: fc.constant({ __bytes_encoded__: true, data: base64(bytes) }) },
    {
      weight: 2,
      arbitrary: fc.constantFrom<JsonValue>(
        Object.fromEntries(list.entries()) as JsonObject,
        { type: "Buffer", data: list },
        list,
        `data:image/png;base64,${base64(bytes)}`,
      ),
    },
    { weight: 1, arbitrary: base64Spellings(bytes) },
  );
}

const locations: fc.Arbitrary<JsonObject> = fc
  .tuple(
    fc.constantFrom("s3://bucket/key.png", "s3://b/東京 1.pdf"),
    optional({ bucketOwner: fc.constant("123456789012") }),
  )
  .map(([uri, owner]) => ({ uri, ...owner }));

/** A source with its spelling of the class form (`source.type`), which readers must take too. */
interface Source {
  readonly type: string;
  readonly fields: JsonObject;
}

const bytesSource = (kind: string): fc.Arbitrary<Source> =>
  files
    .chain((file) => byteSpellings(file.bytes))
    .map((bytes) => ({ type: `${kind}SourceBytes`, fields: { bytes } }));

const locationSource = (kind: string): fc.Arbitrary<Source> =>
  fc.tuple(locations, fc.boolean()).map(([location, isBedrock]) => ({
    type: `${kind}SourceS3Location`,
    fields: isBedrock ? { s3Location: location } : { location: { type: "s3", ...location } },
  }));

const contentSource: fc.Arbitrary<Source> = fc
  .array(texts, { maxLength: 2 })
  .map((list) => ({ type: "documentSourceContent", fields: { content: list.map((text) => ({ text })) } }));

const textSource: fc.Arbitrary<Source> = texts.map((text) => ({
  type: "documentSourceText",
  fields: { text },
}));

interface Media {
  readonly kind: "image" | "document" | "video";
  readonly fields: JsonObject;
  readonly source: Source;
}

function media(dialect: StrandsDialect): fc.Arbitrary<Media> {
  const images = fc.tuple(
    fc.constantFrom<string>(...formats[dialect].image),
    fc.oneof(
      { weight: 3, arbitrary: bytesSource("image") },
      { weight: 1, arbitrary: locationSource("image") },
      ...(dialect === "typescript"
        ? [
            {
              weight: 1,
              arbitrary: fc.constant({
                type: "imageSourceUrl",
                fields: { url: "https://example.com/a.png" },
              }),
            },
          ]
        : []),
    ),
  );
  const videos = fc.tuple(
    fc.constantFrom<string>(...formats[dialect].video),
    fc.oneof(bytesSource("video"), locationSource("video")),
  );
  const documents = fc.tuple(
    fc.record(
      {
        format: fc.constantFrom<string>(...formats[dialect].document),
        name: dialect === "bedrock" ? bedrockNames : fileNames,
        citations: fc.constantFrom<JsonValue>({ enabled: true }, { enabled: false }, null),
        context: fc.oneof(texts, fc.constant(null)),
      },
      // Python's type demands nothing; the others demand a name and a format.
      { requiredKeys: dialect === "python" ? [] : ["format", "name"] },
    ),
    fc.oneof(bytesSource("document"), locationSource("document"), textSource, contentSource),
  );
  return fc.oneof(
    {
      weight: 2,
      arbitrary: images.map(([format, source]) => ({ kind: "image" as const, fields: { format }, source })),
    },
    {
      weight: 2,
      arbitrary: documents.map(([fields, source]) => ({ kind: "document" as const, fields, source })),
    },
    {
      weight: 1,
      arbitrary: videos.map(([format, source]) => ({ kind: "video" as const, fields: { format }, source })),
    },
  );
}

/** The data form, and the two class forms that reach the wire by spreading or logging. */
function mediaBlocks(dialect: StrandsDialect): fc.Arbitrary<JsonObject> {
  return fc
    .tuple(media(dialect), fc.constantFrom("data", "data", "data", "class"))
    .map(([{ kind, fields, source }, form]) =>
      form === "class" && dialect === "typescript"
        ? { type: `${kind}Block`, ...fields, source: { type: source.type, ...source.fields } }
        : { [kind]: { ...fields, source: source.fields } },
    );
}

function jsonPayloads(dialect: StrandsDialect): fc.Arbitrary<JsonValue> {
  const objects = fc.oneof(
    { weight: 3, arbitrary: jsonObjects },
    { weight: 1, arbitrary: fc.oneof(jsonArrays, jsonScalars).map((wrapped) => ({ $value: wrapped })) },
    { weight: 1, arbitrary: jsonArrays.map((wrapped) => ({ $value: wrapped, more: 1 })) },
    { weight: 2, arbitrary: strictMcpBlocks },
    {
      weight: 1,
      arbitrary: fc.constantFrom<JsonObject>(
        { __bytes_encoded__: true, data: "AQI=" },
        { toolResult: { toolUseId: "inner", status: "error", content: [{ text: "x" }] } },
        { type: "text", text: "not a block" },
        { type: "image", data: "not base64!", mimeType: "image/png" },
        { type: "resource_link", uri: "https://example.com/", name: "n", unknown: 1 },
        {},
      ),
    },
  );
  // The service takes objects only; the SDKs pass anything a program puts there.
  return dialect === "bedrock"
    ? objects
    : fc.oneof(
        { weight: 5, arbitrary: objects },
        { weight: 1, arbitrary: jsonArrays },
        { weight: 1, arbitrary: jsonScalars },
      );
}

function simpleBlocks(dialect: StrandsDialect): fc.Arbitrary<JsonObject> {
  const typed = dialect === "typescript";
  return fc.oneof(
    texts.map((text) => ({ text })),
    jsonPayloads(dialect).map((json) => ({ json })),
    ...(typed
      ? [
          texts.map((text) => ({ type: "textBlock", text })),
          jsonPayloads(dialect).map((json) => ({ type: "jsonBlock", json })),
        ]
      : []),
  );
}

/** Blocks that only a newer SDK or a model service knows, blocks with keys nobody knows. */
function oddBlocks(dialect: StrandsDialect): fc.Arbitrary<JsonObject> {
  const service = fc.constant<JsonObject>({
    searchResult: { source: "s", title: "t", content: [{ text: "c" }], citations: { enabled: true } },
  });
  if (dialect === "bedrock") return service;
  return fc.oneof(
    service,
    fc.constantFrom<JsonObject>(
      { audio: { format: "mp3", source: { bytes: "AQI=" } } },
      { hologram: { depth: 3 } },
      {},
    ),
    fc.tuple(texts, jsonObjects).map(([text, note]) => ({ text, note })),
    fc.constant<JsonObject>({
      image: { format: "png", filename: "a.png", source: { bytes: "iVBORw0KGgo=" } },
    }),
  );
}

function blocks(dialect: StrandsDialect): fc.Arbitrary<JsonObject> {
  return fc.oneof(
    { weight: 6, arbitrary: simpleBlocks(dialect) },
    { weight: 4, arbitrary: mediaBlocks(dialect) },
    { weight: 1, arbitrary: oddBlocks(dialect) },
  );
}

/** Results whose text repeats a JSON block, in the spellings that programs write. */
const mirrored: fc.Arbitrary<readonly JsonObject[]> = fc
  .tuple(jsonObjects, fc.constantFrom(compact, pythonJson))
  .map(([json, spell]) => [{ text: spell(json) }, { json }]);

/** Structured content that the text repeats, as servers of MCP are told to write it. */
const structuredMirror: fc.Arbitrary<JsonObject> = fc
  .tuple(jsonValues, fc.constantFrom(compact, pythonJson))
  .map(([structuredContent, spell]) => ({
    structuredContent,
    content: [{ text: spell(structuredContent) }],
  }));

function contents(dialect: StrandsDialect): fc.Arbitrary<readonly JsonObject[]> {
  const plain = fc.array(blocks(dialect), { maxLength: 4 });
  return fc.oneof(
    { weight: 6, arbitrary: dialect === "bedrock" ? plain.map(withUniqueNames) : plain },
    { weight: 1, arbitrary: mirrored },
  );
}

/** The service demands different names of all documents in a request. */
function withUniqueNames(list: readonly JsonObject[]): readonly JsonObject[] {
  return list.map(({ document, ...rest }, index) =>
    isJsonObject(document)
      ? { ...rest, document: { ...document, name: `${document.name} ${index}` } }
      : { ...rest },
  );
}

const callIds = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("tooluse_1", "call-1", "a.b:c_d-e") },
  { weight: 1, arbitrary: fc.constantFrom("call|fc_1", "x".repeat(70), "東京", "") },
);

function results(dialect: StrandsDialect): fc.Arbitrary<JsonObject> {
  const base = fc
    .tuple(
      dialect === "bedrock" ? fc.constantFrom("tooluse_1", "a.b:c_d-e") : callIds,
      contents(dialect),
      fc.constantFrom<JsonObject>({ status: "success" }, { status: "success" }, { status: "error" }, {}),
    )
    .map(([toolUseId, content, status]) => ({ toolUseId, ...status, content }));
  if (dialect === "bedrock") return base;
  const extras =
    dialect === "typescript"
      ? optional({ "x-extra": jsonValues })
      : // What the Python MCP client adds to a result.
        fc.oneof(
          { weight: 3, arbitrary: fc.constant<JsonObject>({}) },
          {
            weight: 2,
            arbitrary: optional({
              structuredContent: jsonValues,
              metadata: jsonObjects,
              "x-extra": jsonValues,
            }),
          },
          { weight: 1, arbitrary: fc.constant<JsonObject>({ cancelled: true }) },
          { weight: 1, arbitrary: structuredMirror },
        );
  return fc.tuple(base, extras, fc.boolean()).map(([result, extra, statesError]) => ({
    ...result,
    ...extra,
    // Its key `isError` says the same as the status.
    ...(dialect === "python" && statesError && "status" in result
      ? { isError: result.status === "error" }
      : {}),
  }));
}

type Envelope = (result: JsonObject) => JsonValue;

const messageOf = (result: JsonObject): JsonObject => ({ role: "user", content: [{ toolResult: result }] });

const everywhere: readonly Envelope[] = [
  (result) => result,
  (result) => result,
  (toolResult) => ({ toolResult }),
  messageOf,
  (result) => ({ messages: [{ role: "assistant", content: [{ text: "Let me see." }] }, messageOf(result)] }),
];

const toolResultEvent: Envelope = (toolResult) => ({ type: "toolResultEvent", result: { toolResult } });
const afterToolCallEvent: Envelope = (toolResult) => ({
  type: "afterToolCallEvent",
  toolUse: { name: "n", toolUseId: "t", input: {} },
  result: { toolResult },
});
const messageAddedEvent: Envelope = (result) => ({
  type: "messageAddedEvent",
  message: { ...messageOf(result), trackingId: "u" },
});

/** What a result is found in: a message, a session file, an event, a stream that repeats it; or nothing. */
const envelopes: Readonly<Record<StrandsDialect, readonly Envelope[]>> = {
  python: [
    ...everywhere,
    (result) => ({ message: messageOf(result) }),
    (result) => ({
      message: messageOf(result),
      message_id: 0,
      redact_message: null,
      created_at: "2026-01-01T00:00:00Z",
      updated_at: "2026-01-01T00:00:00Z",
    }),
  ],
  typescript: [
    ...everywhere,
    (result) => ({ type: "toolResultBlock", ...result }),
    toolResultEvent,
    afterToolCallEvent,
    messageAddedEvent,
    // Copies of one result are known by its id.
    (result) =>
      result.toolUseId === ""
        ? afterToolCallEvent(result)
        : [afterToolCallEvent(result), toolResultEvent(result), messageAddedEvent(result)],
  ],
  bedrock: everywhere,
};

function enveloped(dialect: StrandsDialect): fc.Arbitrary<JsonValue> {
  const shapes = envelopes[dialect];
  return fc.tuple(results(dialect), fc.constantFrom(...shapes)).map(([result, wrap]) => wrap(result));
}

/** Arbitrary valid payloads by dialect, in every spelling that is read. */
export const strandsPayloads = {
  python: enveloped("python"),
  typescript: enveloped("typescript"),
  bedrock: enveloped("bedrock"),
};
