import * as fc from "fast-check";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import { compact, stringify } from "../../src/json/stringify.ts";
import {
  base64,
  base64Spellings,
  fileNames,
  files,
  mimeTypes,
  urls,
} from "../../src/testing/arbitraries/bytes.ts";
import {
  jsonArrays,
  jsonKeys,
  jsonObjects,
  jsonScalars,
  jsonValues,
  objectOf,
  optional,
  texts,
} from "../../src/testing/arbitraries/json.ts";
import type { Payload } from "../../src/testing.ts";
import { pythonJson } from "./spellings.ts";

/**
 * Arbitrary message lists of Dify tools, after the models of the plugin SDK, the plugin daemon and the API server,
 * which differ: what any of them takes is read. Types and payloads follow `ToolInvokeMessage`.
 */

type Message = JsonObject;

/** Messages that belong together and keep their order, whatever comes between them. */
interface Group {
  /** What no second group of the same document may have: the name of a streamed variable. */
  readonly name?: string;
  /** Makes the messages; the number is different for each group of a document. */
  readonly messages: (position: number) => readonly Message[];
}

const metas: fc.Arbitrary<JsonValue> = fc.oneof(
  { weight: 3, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.constantFrom<JsonValue>({}, { "x-trace": [1, null] }) },
  { weight: 1, arbitrary: jsonObjects },
);

const message = (type: string, payloads: fc.Arbitrary<JsonValue>, meta = metas): fc.Arbitrary<Group> =>
  fc
    .tuple(payloads, meta, fc.constantFrom<JsonObject>({}, {}, {}, { "x-new": 1 }))
    .map(([payload, about, more]) => single({ type, message: payload, meta: about, ...more }));

const single = (one: Message): Group => ({ messages: () => [one] });

const textPayloads = texts.map((text) => ({ text }));

const storedPaths = fc.constantFrom(
  "/files/tools/1b4e28ba-2fa1-11d2-883f-0016d3cca427.png",
  "/files/tools/2.pdf?timestamp=1&sign=x",
  "https://dify.example.com/files/tools/3.png?sign=x",
);

const storedMeta = fc.oneof(
  fc.constant(null),
  optional({
    tool_file_id: fc.constant("1b4e28ba-2fa1-11d2-883f-0016d3cca427"),
    mime_type: mimeTypes,
    transfer_method: fc.constant("tool_file"),
    filename: fileNames,
  }),
);

const fileObject: JsonObject = {
  dify_model_identity: "__dify__file__",
  id: null,
  type: "image",
  transfer_method: "tool_file",
  remote_url: null,
  related_id: "1",
  filename: "a.png",
  extension: ".png",
  mime_type: "image/png",
  size: 123,
  url: "https://dify.example.com/files/tools/1.png?sign=x",
};

/** Messages that name a file which only Dify can open (R63). */
const stored: fc.Arbitrary<Group> = fc.oneof(
  message(
    "image_link",
    storedPaths.map((text) => ({ text })),
    storedMeta,
  ),
  message(
    "binary_link",
    storedPaths.map((text) => ({ text })),
    storedMeta,
  ),
  message(
    "link",
    storedPaths.map((text) => ({ text })),
    storedMeta,
  ),
  message(
    "file",
    fc.constantFrom<JsonValue>(null, { file_marker: "file_marker" }),
    fc.constant<JsonValue>({ file: fileObject }),
  ),
);

const links: fc.Arbitrary<Group> = fc.oneof(
  message(
    "link",
    fc.oneof(urls, texts).map((text) => ({ text })),
    fc.oneof(metas, optional({ mime_type: mimeTypes })),
  ),
  message(
    "image",
    fc.constantFrom("https://example.com/a.png", "http://example.com/b c.jpg").map((text) => ({ text })),
    fc.oneof(metas, optional({ mime_type: mimeTypes })),
  ),
);

const blobMeta = fc.oneof(
  { weight: 1, arbitrary: metas },
  {
    weight: 3,
    arbitrary: optional({ mime_type: mimeTypes, filename: fileNames, "x-page": fc.constant<JsonValue>(3) }),
  },
  { weight: 1, arbitrary: optional({ mimetype: mimeTypes, file_name: fileNames }) },
);

const blobs: fc.Arbitrary<Group> = fc
  .tuple(
    files.chain((file) => base64Spellings(file.bytes)),
    blobMeta,
  )
  .map(([blob, meta]) => single({ type: "blob", message: { blob }, meta }));

/** The chunks of one blob: cut anywhere, bytes in the last chunk or none, metadata on all of them or the last. */
function chunksOf(
  bytes: Uint8Array,
  cuts: readonly number[],
  meta: JsonValue,
  onAll: boolean,
  id: string,
): Message[] {
  const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  const slices = edges.slice(1).map((end, index) => bytes.slice(edges[index], end));
  return slices.map((slice, sequence) => {
    const end = sequence === slices.length - 1;
    return {
      type: "blob_chunk",
      message: { id, sequence, total_length: bytes.length, blob: base64(slice), end },
      meta: onAll || end ? meta : null,
    };
  });
}

const chunkInputs = fc.tuple(
  files.map((file) => file.bytes),
  fc.array(fc.nat(12), { maxLength: 3 }),
  blobMeta,
  fc.boolean(),
);

const chunked: fc.Arbitrary<Group> = chunkInputs.map(([bytes, cuts, meta, onAll]) => ({
  messages: (position) => chunksOf(bytes, cuts, meta, onAll, `blob-${position}`),
}));

/** Two blobs at once; the one that ends first comes first. */
const interleaved: fc.Arbitrary<Group> = fc
  .tuple(chunkInputs, chunkInputs, fc.array(fc.boolean(), { maxLength: 8 }))
  .map(([first, second, order]) => ({
    messages: (position) => {
      const one = chunksOf(...first, `${position}-one`);
      const other = chunksOf(...second, `${position}-other`);
      const merged = order.flatMap((isFirst) => (isFirst ? one : other).splice(0, 1));
      return [...merged, ...one, ...other];
    },
  }));

const json: fc.Arbitrary<Group> = fc.oneof(
  {
    weight: 4,
    arbitrary: message(
      "json",
      fc
        .tuple(fc.oneof(jsonObjects, jsonArrays), optional({ suppress_output: fc.boolean() }))
        .map(([value, rest]) => ({ json_object: value, ...rest })),
    ),
  },
  // The API takes the bare object too.
  { weight: 1, arbitrary: message("json", objectOf(fc.constantFrom("a", "text"), jsonScalars)) },
);

const variableNames = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("a", "b", "text_", "text__", "__proto__", "result") },
  { weight: 1, arbitrary: fc.constantFrom("is_error", "error_message", "text", "json") },
  { weight: 1, arbitrary: jsonKeys },
);

const variable = (name: string, value: JsonValue, rest: JsonObject = {}): Message => ({
  type: "variable",
  message: { variable_name: name, variable_value: value, ...rest },
  meta: null,
});

const variables: fc.Arbitrary<Group> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .tuple(variableNames, jsonValues, fc.constantFrom<JsonObject>({}, { stream: false }), metas)
      .map(([name, value, rest, meta]) => single({ ...variable(name, value, rest), meta })),
  },
  // Pieces of a text, perhaps replaced in the end.
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom("stream-1", "stream-2"),
        fc.array(texts, { minLength: 1, maxLength: 3 }),
        fc.option(jsonValues, { nil: undefined }),
      )
      .map(([name, pieces, last]) => ({
        name,
        messages: () => [
          ...pieces.map((piece) => variable(name, piece, { stream: true })),
          ...(last === undefined ? [] : [variable(name, last)]),
        ],
      })),
  },
  // Structured content the way this project and Dify's workflows write it: variables, and the whole once more.
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        objectOf(fc.constantFrom("a", "b", "n"), jsonValues),
        optional({ suppress_output: fc.constant(true) }),
      )
      .map(([value, rest]) => ({
        messages: () => [
          ...Object.entries(value).map(([name, member]) => variable(name, member)),
          { type: "json", message: { json_object: value, ...rest }, meta: null },
        ],
      })),
  },
);

const logs: fc.Arbitrary<Group> = fc
  .tuple(
    fc.constantFrom("step", "fetch"),
    jsonObjects,
    fc.constantFrom<JsonObject>(
      { status: "success", error: null },
      { status: "error", error: "no route" },
      { status: "start", error: null },
    ),
    optional({
      metadata: fc.oneof(jsonObjects, fc.constant(null)),
      parent_id: fc.constantFrom<JsonValue>(null, "root"),
    }),
    fc.boolean(),
  )
  .map(([label, data, state, rest, isPair]) => ({
    messages: (position) => {
      const id = `log-${position}`;
      const entry = (own: JsonObject): Message => ({
        type: "log",
        message: { id, label, parent_id: null, error: null, data, metadata: null, ...rest, ...own },
        meta: null,
      });
      return isPair ? [entry({ status: "start" }), entry(state)] : [entry(state)];
    },
  }));

const retrieval: fc.Arbitrary<Group> = message(
  "retriever_resources",
  fc
    .tuple(
      fc.array(
        optional({
          position: fc.constantFrom<JsonValue>(1, 2, null),
          document_name: texts,
          content: texts,
          score: fc.constantFrom<JsonValue>(0.5, null),
          doc_metadata: jsonObjects,
          "x-own": jsonScalars,
        }),
        { maxLength: 2 },
      ),
      optional({ context: texts }),
    )
    .map(([resources, rest]) => ({ retriever_resources: resources, ...rest })),
);

const mirrors: fc.Arbitrary<Group> = fc
  .tuple(fc.oneof(jsonObjects, jsonArrays), fc.constantFrom(compact, pythonJson))
  .map(([value, spell]) => ({
    messages: () => [
      { type: "text", message: { text: spell(value) }, meta: null },
      { type: "json", message: { json_object: value }, meta: null },
    ],
  }));

/** Before plugins, messages held their payload directly. */
const legacy: fc.Arbitrary<Group> = fc.oneof(
  texts.map((text) => single({ type: "text", message: text, meta: {}, save_as: "" })),
  texts.map((text) => single({ type: "text", message: { text }, meta: {}, save_as: "name" })),
);

const odd: fc.Arbitrary<Group> = fc.oneof(
  // A type of tomorrow.
  message("hologram", jsonObjects),
  // A payload that says another thing than the type.
  jsonObjects.map((value) => single({ type: "text", message: { json_object: value }, meta: null })),
  fc.constantFrom("text", "json", "blob").map((type) => single({ type, message: null, meta: null })),
);

const groups: fc.Arbitrary<Group> = fc.oneof(
  { weight: 5, arbitrary: message("text", textPayloads) },
  { weight: 2, arbitrary: links },
  { weight: 2, arbitrary: stored },
  { weight: 3, arbitrary: blobs },
  { weight: 3, arbitrary: fc.oneof(chunked, interleaved) },
  { weight: 3, arbitrary: json },
  { weight: 3, arbitrary: variables },
  { weight: 2, arbitrary: logs },
  { weight: 1, arbitrary: retrieval },
  { weight: 1, arbitrary: mirrors },
  { weight: 1, arbitrary: legacy },
  { weight: 1, arbitrary: odd },
);

/** Our own way to say that a call failed, where there is no error frame (R50a). */
const inbandError: fc.Arbitrary<readonly Message[]> = fc.constantFrom("boom", "").map((text) =>
  [variable("is_error", true), variable("error_message", text)].map((one) => ({
    ...one,
    meta: { "dev.tool-result-gateway/mark": { error: true } },
  })),
);

const lists: fc.Arbitrary<readonly Message[]> = fc
  .tuple(
    fc.uniqueArray(groups, { maxLength: 5, selector: (group) => group.name ?? group }),
    fc.oneof({ weight: 5, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: inbandError }),
  )
  .map(([list, error]) => [...list.flatMap((group, position) => group.messages(position)), ...error]);

/** A tool may also return one message alone. */
const documents: fc.Arbitrary<JsonValue> = lists.map((list) => {
  const [first] = list;
  return list.length === 1 && first !== undefined ? first : list;
});

/** The way of a JSON text through Dify's Python and Go programs. */
const spellings = fc.constantFrom(stringify, pythonJson);

const separators = fc.constantFrom("\n", "\n\n", "\r\n", "\n \n");

const lines: fc.Arbitrary<string> = fc
  .tuple(lists, spellings, separators, fc.boolean(), fc.constantFrom("bare", "bare", "enveloped"))
  .map(([list, spell, separator, isClosed, form]) => {
    const items = form === "bare" ? list : list.map((data) => ({ code: 0, message: "success", data }));
    return items.map((one) => spell(one)).join(separator) + (isClosed && list.length > 0 ? "\n" : "");
  });

/** The error frame of the plugin daemon: JSON inside JSON inside JSON, or fewer levels, or plain text. */
const errorFrames: fc.Arbitrary<JsonValue> = fc
  .tuple(
    texts,
    fc.constantFrom<JsonObject>(
      {},
      { args: { traceback: "Traceback (most recent call last) ..." } },
      { args: null },
    ),
    fc.constantFrom("plain", "once", "twice"),
    fc.constantFrom(-500, -400),
  )
  .map(([text, args, depth, code]) => {
    const inner = compact({ ...args, error_type: "ValueError", message: text });
    const outer = (message: string): string =>
      compact({ message, error_type: "PluginInvokeError", args: null });
    const inString =
      { plain: text, once: outer(text), twice: outer(compact({ message: inner })) }[depth] ?? text;
    return { code, message: inString, data: null };
  });

const eventStreams: fc.Arbitrary<string> = fc
  .tuple(
    lists,
    fc.option(errorFrames, { nil: undefined, freq: 3 }),
    spellings,
    fc.constantFrom("\n", "\r\n", "\r"),
    fc.constantFrom("data: ", "data:"),
    fc.constantFrom("", "event: ping", ": keep-alive"),
  )
  .map(([list, error, spell, lineEnd, field, between]) => {
    const frames: readonly JsonValue[] = [
      ...list.map((data) => ({ code: 0, message: "success", data })),
      ...(error === undefined ? [] : [error]),
    ];
    const pause = between === "" ? "" : between + lineEnd + lineEnd;
    return frames.map((frame) => `${pause}${field}${spell(frame)}${lineEnd}${lineEnd}`).join("");
  });

/** The lines a plugin writes to the daemon; after an error, an end still follows. */
const sessions: fc.Arbitrary<string> = fc
  .tuple(lists, fc.option(texts, { nil: undefined, freq: 3 }), spellings)
  .map(([list, error, spell]) => {
    const events: readonly JsonObject[] = [
      ...list.map((data) => ({ type: "stream", data })),
      ...(error === undefined
        ? []
        : [
            {
              type: "error",
              data: { error_type: "ValueError", message: error, args: { traceback: "Traceback" } },
            },
          ]),
      { type: "end", data: {} },
    ];
    return events.map((data) => `${spell({ event: "session", session_id: "s1", data })}\n\n`).join("");
  });

const workflowRuns: fc.Arbitrary<JsonObject> = fc
  .tuple(
    fc.oneof(
      jsonObjects,
      objectOf(fc.constantFrom("text", "json", "files", "a"), jsonValues),
      fc.constant(null),
    ),
    fc.constantFrom<JsonObject>(
      { status: "succeeded", error: null },
      { status: "failed", error: "boom" },
      { status: "stopped", error: null },
      { status: "partial-succeeded", error: "one node failed" },
    ),
  )
  .map(([outputs, outcome]) => ({
    id: "r",
    workflow_id: "w",
    outputs,
    elapsed_time: 0.5,
    total_tokens: 0,
    ...outcome,
  }));

/** A workflow's run: the answer of a blocking call, or the events of a streaming one. */
const workflows: fc.Arbitrary<Payload> = fc
  .tuple(workflowRuns, fc.option(texts, { nil: undefined }), spellings)
  .map(([data, chunk, spell]) => {
    const run = { task_id: "t", workflow_run_id: "r" };
    if (chunk === undefined) return { ...run, data };
    const events: readonly JsonObject[] = [
      { event: "workflow_started", ...run, data: { id: "r", workflow_id: "w" } },
      { event: "text_chunk", ...run, data: { text: chunk, from_variable_selector: ["llm", "text"] } },
      { event: "workflow_finished", ...run, data },
    ];
    return events.map((event) => `data: ${spell(event)}\n\n`).join("");
  });

/** The events of an agent that used one tool; the thought comes again when it is done. */
const agentRuns: fc.Arbitrary<string> = fc.tuple(texts, fc.boolean()).map(([answer, isKeyed]) => {
  const thought = {
    event: "agent_thought",
    id: "1",
    position: 1,
    thought: "",
    tool: "weather",
    message_files: [],
  };
  const observation = isKeyed ? compact({ weather: answer }) : answer;
  const events: readonly JsonObject[] = [
    { ...thought, tool_input: "", observation: "" },
    { ...thought, tool_input: compact({ weather: { city: "Oslo" } }), observation },
    { event: "message_end", id: "m" },
  ];
  return events.map((event) => `data: ${compact(event)}\n\n`).join("");
});

/** Arbitrary valid payloads by dialect, in every spelling that is read; text for the stream dialects. */
export const difyPayloads = {
  list: fc.oneof(lists, documents),
  ndjson: lines,
  sse: eventStreams,
  session: sessions,
  workflow: workflows,
  agent: agentRuns,
};

/** Whether a payload may name a file stored by Dify, which comes back by a signed carry only (R63). */
export function namesStoredFiles(payload: JsonValue | string): boolean {
  const text = typeof payload === "string" ? payload : stringify(payload);
  return /image_link|binary_link|tool_file_id|upload_file_id|transfer_method|"type": ?"file"|"file":|\/files\//.test(
    text,
  );
}
