import * as fc from "fast-check";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import { compact } from "../../src/json/stringify.ts";
import { mimeTypes, urls } from "../../src/testing/arbitraries/bytes.ts";
import {
  jsonArrays,
  jsonObjects,
  jsonScalars,
  jsonValues,
  optional,
  texts,
} from "../../src/testing/arbitraries/json.ts";
import { annotations, bareBlocks } from "./mcp-blocks.ts";
import { pythonJson } from "./spellings.ts";

/**
 * Arbitrary tool results of watsonx Orchestrate: the dictionary form of its documentation, both serialisers of the
 * Agent Development Kit's `ToolResult`, the runtime's envelope of plain return values, and the MCP blocks that its tool
 * servers return.
 */

const blockMeta: fc.Arbitrary<JsonValue> = fc.oneof(
  jsonObjects,
  fc.constantFrom<JsonValue>(null, { "com.ibm.orchestrate/annotations": { pause: { delay: 300 } } }, {}),
);

const common = optional({ annotations, _meta: blockMeta });

const textBlocks: fc.Arbitrary<JsonObject> = texts.map((text) => ({ type: "text", text }));

/** The link of IBM's examples, which holds its URI one level deeper than MCP's. */
const nestedLinks: fc.Arbitrary<JsonObject> = fc
  .tuple(urls, optional({ mimeType: mimeTypes, text: texts }))
  .map(([uri, rest]) => ({ type: "resource_link", resource: { uri, ...rest } }));

/** Annotations where the prose of the MCP specification once put them. */
const annotatedInside: fc.Arbitrary<JsonObject> = fc.tuple(texts, annotations).map(([text, inner]) => ({
  type: "resource",
  resource: { uri: "file:///a.txt", text, annotations: inner },
}));

const oddBlocks: fc.Arbitrary<JsonObject> = fc.oneof(
  // A later block type, or one of another platform.
  fc
    .tuple(fc.constantFrom("video", "hologram", "tool_use"), jsonObjects)
    .map(([type, rest]) => ({ ...rest, type })),
  // A resource is text or bytes; this one is both.
  fc.constantFrom("text/plain", "image/png").map((mimeType) => ({
    type: "resource",
    resource: { uri: "x:y", text: "AQI=", blob: "AQI=", mimeType },
  })),
  // Unknown keys of a known block.
  fc.tuple(texts, jsonValues).map(([text, more]) => ({ type: "text", text, "x-more": more })),
);

const blocks: fc.Arbitrary<JsonValue> = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(textBlocks, common).map(([block, rest]) => ({ ...block, ...rest })) },
  { weight: 5, arbitrary: fc.tuple(bareBlocks, common).map(([block, rest]) => ({ ...block, ...rest })) },
  { weight: 1, arbitrary: fc.tuple(nestedLinks, common).map(([block, rest]) => ({ ...block, ...rest })) },
  { weight: 1, arbitrary: annotatedInside },
  { weight: 1, arbitrary: fc.tuple(oddBlocks, common).map(([block, rest]) => ({ ...rest, ...block })) },
  // A bare string in `content` is a text block.
  { weight: 1, arbitrary: texts },
);

/** One widget of each generation that the runtime has taken so far. */
const widgets = fc.constantFrom<JsonObject>(
  {
    response_type: "forms",
    name: "form_1",
    json_schema: { type: "object", title: "T", required: [], properties: {} },
    ui_schema: { "ui:order": [] },
    form_data: {},
  },
  { response_type: "user_defined", user_defined: { any: [1, null] } },
  {
    type: "confirmation",
    title: "Sure?",
    on_confirm: { tool: "yes", parameters: {} },
    on_cancel: { tool: "no", parameters: {} },
  },
  {
    type: "options_selector",
    options: [{ label: "a", value: "b" }],
    on_event: { tool: "t", map_input_to: "x" },
  },
  { responseType: "single-choice", onChange: { toolName: "t", parameters: {}, mapSelectionTo: "x" } },
);

const widgetKey = "com.ibm.orchestrate/widget";

const metas: fc.Arbitrary<JsonValue> = fc.oneof(
  { weight: 2, arbitrary: fc.constant(null) },
  { weight: 3, arbitrary: jsonObjects },
  {
    weight: 2,
    arbitrary: fc.tuple(widgets, jsonObjects).map(([widget, rest]) => ({ ...rest, [widgetKey]: widget })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<JsonObject>(
      { "com.ibm.orchestrate/extensions": { end_interaction: {} }, nextTool: { name: "n", arguments: {} } },
      // Keys of one hop, which go no further (R27).
      { traceparent: "00-1-2-3", "io.modelcontextprotocol/related-task": { taskId: "1" }, kept: true },
      { progressToken: 7 },
      { "io.modelcontextprotocolx/not": "one of those" },
    ),
  },
);

const structured: fc.Arbitrary<JsonValue> = fc.oneof(jsonObjects, fc.constant({}), fc.constant(null));

/** Content and structured content that say the same, in the spellings of programs that write both. */
const mirrored: fc.Arbitrary<JsonObject> = fc
  .tuple(jsonObjects, fc.constantFrom(compact, pythonJson), fc.array(textBlocks, { maxLength: 1 }), common)
  .map(([structuredContent, spell, more, rest]) => ({
    content: [{ type: "text", text: spell(structuredContent), ...rest }, ...more],
    structuredContent,
  }));

const flat: fc.Arbitrary<JsonObject> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        fc.array(blocks, { maxLength: 4 }),
        optional({
          structuredContent: structured,
          _meta: metas,
          isError: fc.constantFrom<JsonValue>(true, false, null),
        }),
      )
      .map(([content, rest]) => ({ content, ...rest })),
  },
  { weight: 1, arbitrary: mirrored },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.array(blocks, { maxLength: 2 }), jsonValues, fc.constantFrom("context_updates", "x-more"))
      .map(([content, value, key]) => ({ content, [key]: value })),
  },
  // A result that is a widget and nothing else.
  { weight: 1, arbitrary: widgets.map((widget) => ({ _meta: { [widgetKey]: widget } })) },
  // The model dump says the widget twice.
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.array(textBlocks, { maxLength: 1 }), widgets)
      .map(([content, widget]) => ({ content, widget, _meta: { [widgetKey]: widget } })),
  },
);

/** A plain return value in the runtime's envelope: no blocks, but a string, a scalar, an object or a list. */
const bare: fc.Arbitrary<JsonObject> = fc
  .oneof(texts, jsonScalars, jsonArrays, jsonObjects)
  .map((content) => ({ content }));

const payloads: fc.Arbitrary<JsonValue> = fc.oneof(
  { weight: 8, arbitrary: flat },
  // The runtime wraps a dictionary result once more.
  { weight: 1, arbitrary: flat.map((content) => ({ content })) },
  { weight: 1, arbitrary: bare },
);

/** Arbitrary valid payloads by dialect, in every spelling that is read. */
export const watsonxPayloads = { dictionary: payloads, openapi: payloads };
