import { describe, expect, test } from "vitest";
import { markKey } from "../../src/adapter.ts";
import type { JsonObject } from "../../src/json/json-value.ts";
import {
  canonical,
  chunk,
  codesOf,
  errorFrame,
  failure,
  frame,
  json,
  lines,
  link,
  partsOf,
  png,
  read,
  reading,
  session,
  text,
  thereAndBack,
  variable,
  write,
} from "./dify-helpers.ts";

describe("messages", () => {
  test("our mark of a user's copy hides an array of texts and nothing else (R40)", () => {
    const meta = { [markKey]: { user: true } };
    const hidden = { ...variable("v", ["a", "b"]), meta };
    const shown = [
      { ...text("a"), meta },
      { ...json(["a"]), meta },
      { ...variable("v", "a"), meta },
      { ...variable("w", ["a", 1]), meta },
      { type: "log", message: { id: "1", label: "l", status: "start", data: {} }, meta },
      { ...link("link", "https://example.com/"), meta },
    ];
    expect(read([hidden])).toEqual({ content: [] });
    expect(canonical([...shown, hidden])).toEqual(shown);
    expect(read(shown)).toMatchObject({
      content: [{ text: "a" }, { value: ["a"] }, { type: "link" }],
      structuredContent: { v: "a", w: ["a", 1] },
      logs: [{ id: "1" }],
    });
    for (const by of ["dify", "strands", "watsonx"]) expect(thereAndBack(shown, "dify", by)).toEqual(shown);
  });

  test("null optionals, empty meta and defaults say nothing", () => {
    const long = [
      { type: "text", message: { text: "a" }, meta: null },
      { type: "text", message: { text: "b" }, meta: {}, save_as: "" },
      json({ a: 1 }, { suppress_output: false }),
      variable("v", null, { stream: false }),
      { type: "log", message: { id: "1", label: "l", status: "start", data: {}, error: null, metadata: {} } },
    ];
    expect(canonical(long)).toEqual([
      text("a"),
      text("b"),
      json({ a: 1 }),
      variable("v", null),
      { type: "log", message: { id: "1", label: "l", status: "start", data: {} } },
    ]);
  });

  test("legacy payloads are read into the present spelling", () => {
    const legacy = [
      { type: "text", message: "a", meta: {}, save_as: "" },
      { type: "link", message: "https://example.com/" },
      { type: "json", message: [1] },
      { type: "blob", message: png, meta: { mimetype: "image/png" } },
      { message: { text: "no type" } },
    ];
    const file = {
      type: "file_var",
      message: "",
      meta: { file_var: { url: "https://example.com/f", type: "image" } },
    };
    expect(canonical(legacy)).toEqual([
      text("a"),
      link("link", "https://example.com/"),
      json([1]),
      { type: "blob", message: { blob: png }, meta: { mime_type: "image/png" } },
      text("no type"),
    ]);
    expect(partsOf({ ...file, message: null })).toMatchObject([{ type: "media", kind: "image" }]);
    expect(read(text("one message, not in a list")).content).toHaveLength(1);
  });

  test("unknown keys are kept on every level, and so are messages of an unknown type", () => {
    const messages = [
      { type: "text", message: { text: "a", tone: "calm" }, trace: null },
      { type: "hologram", message: [1, null], meta: { a: 1 } },
      { ...variable("v", 1), trace: 2 },
    ];
    const { content, extensions } = read(messages);
    expect(content).toEqual([
      {
        type: "text",
        text: "a",
        extensions: { dify: { extra: { trace: null, message: { tone: "calm" } } } },
      },
      { type: "opaque", adapter: "dify", value: messages[1] },
    ]);
    expect(extensions?.dify?.asides).toEqual([{ at: 2, variable: "v", extra: { trace: 2 } }]);
    expect(canonical(messages)).toEqual(messages);
  });

  test("meta is the part's, but what Dify resolves is Dify's alone (R63)", () => {
    const meta = { "x-page": 3, tool_file_id: "1", mime_type: "application/pdf", filename: "a.pdf" };
    expect(partsOf(link("binary_link", "/files/tools/1.pdf", meta))).toEqual([
      {
        type: "media",
        kind: "file",
        mimeType: "application/pdf",
        fileName: "a.pdf",
        stored: { uri: "/files/tools/1.pdf" },
        meta: { "x-page": 3 },
        extensions: { dify: { type: "binary_link", meta: { tool_file_id: "1" } } },
      },
    ]);
    expect(partsOf(link("link", "https://example.com/", { transfer_method: "tool_file" }))).toMatchObject([
      { type: "media" },
    ]);
    expect(partsOf({ ...text("a"), meta: { tool_file_id: "1" } })).toEqual([
      { type: "text", text: "a", extensions: { dify: { meta: { tool_file_id: "1" } } } },
    ]);
  });

  test("retrieval sources are citations, as they came", () => {
    const sources = [{ position: 1, score: 0.5, page: null }];
    const message = {
      type: "retriever_resources",
      message: { retriever_resources: sources, context: "ctx" },
    };
    expect(partsOf(message)).toEqual([{ type: "citations", sources, context: "ctx" }]);
  });

  test.each<[string, JsonObject, string]>([
    ["a text that is a number", { type: "text", message: { text: 5 } }, "/0/message"],
    ["a payload of no type", { type: "text", message: { nothing: 1 } }, "/0/message"],
    ["a meta that is a list", { ...text("a"), meta: [] }, "/0/meta"],
    ["a type that is a number", { type: 1, message: {} }, "/0/type"],
    ["a streamed number", variable("v", 1, { stream: true }), "/0/message/variable_value"],
    ["an object that is nothing of Dify's", { hello: 1 }, "/0"],
    ["an event that brings no result", { event: "tts_message", audio: "" }, "/0"],
  ])("%s is refused where it stands", (_, message, pointer) => {
    expect(failure(() => read([message]))).toMatchObject({ code: "invalid-payload", pointer });
  });

  test("a stream that goes on after a value that is no text is refused, as Dify does", () => {
    const messages = [variable("v", 1), variable("v", "a", { stream: true })];
    expect(failure(() => read(messages))).toMatchObject({ code: "invalid-payload", pointer: "/1" });
  });

  test("chunks without a sequence count as they come, and fail under strict", () => {
    const bare = (rest: JsonObject) => ({ type: "blob_chunk", message: { id: "a", ...rest } });
    const messages = [bare({ blob: "AAEC" }), bare({ blob: "AwQF", end: true })];
    expect(partsOf(...messages)).toMatchObject([{ data: "AAECAwQF" }]);
    expect(failure(() => read(messages, { mode: "strict" })).code).toBe("blob-out-of-sequence");
  });

  test("a chunk after the end and a length that changes are errors, whatever the mode (R64)", () => {
    const whole = [chunk("b", 0, "AAECAwQF", { end: true })];
    expect(failure(() => read([...whole, chunk("b", 1, "")])).code).toBe("blob-out-of-sequence");
    const changed = [chunk("b", 0, "AAEC"), chunk("b", 1, "", { total_length: 7, end: true })];
    expect(failure(() => read(changed)).code).toBe("blob-length-mismatch");
  });
});

describe("structured content", () => {
  test("variables without json are an object, whatever their names", () => {
    const messages = [variable("text", 1), variable("__proto__", 2), variable("is_error", true)];
    const { structuredContent, status, extensions } = read(messages);
    expect(Object.entries(structuredContent as JsonObject)).toEqual([
      ["text", 1],
      ["__proto__", 2],
      ["is_error", true],
    ]);
    expect(status).toBeUndefined();
    expect(extensions?.dify?.asides).toHaveLength(3);
    expect(canonical(messages)).toEqual(messages);
  });

  test("json that Dify keeps from the model is never content (R5)", () => {
    const outputs = { text: "x", n: 1 };
    const workflowTool = [
      variable("n", 1),
      variable("text_", "x"),
      text('{"n": 1}'),
      json(outputs, { suppress_output: true }),
    ];
    expect(read(workflowTool)).toMatchObject({ structuredContent: outputs, content: [{ type: "text" }] });
    const alone = read([json([1], { suppress_output: true })]);
    expect(alone).toMatchObject({ structuredContent: [1], content: [] });
    const several = read([variable("a", 1), json({ b: 2 }, { suppress_output: true })]);
    expect(several).toMatchObject({ structuredContent: { a: 1 }, content: [] });
    expect(several.extensions?.dify?.asides).toEqual([
      { at: 0, variable: "a" },
      { at: 0, json: { b: 2 } },
    ]);
  });

  test("what the kernel's form says needs no extension", () => {
    const messages = [text("a"), json({ a: 1, b: 2 }), variable("a", 1), variable("b", 2)];
    expect(read(messages)).not.toHaveProperty("extensions");
  });
});

describe("errors", () => {
  const inner = { error_type: "ValueError", message: "city not found", args: { description: "d" } };

  test.each<[string, string]>([
    ["plain text", "city not found"],
    ["JSON in a string", JSON.stringify({ error_type: "ValueError", message: "city not found", args: null })],
    [
      "JSON in a string in JSON",
      JSON.stringify({ message: JSON.stringify(inner), error_type: "PluginInvokeError", args: null }),
    ],
  ])("the message of a frame is %s", (_, message) => {
    const { status, error } = read([{ code: -500, message, data: null }]);
    expect(status).toBe("error");
    expect(error?.message).toBe("city not found");
  });

  test("all spellings of one error have one canonical form", () => {
    const twice = {
      code: -500,
      message: JSON.stringify({
        message: JSON.stringify(inner),
        error_type: "PluginInvokeError",
        args: null,
      }),
      data: null,
    };
    const once = { code: -500, message: JSON.stringify(inner), data: null };
    expect(canonical([twice], "sse")).toEqual(canonical([once], "sse"));
    expect(canonical([session("error", inner), session("end", {})], "sse")).toEqual(canonical([once], "sse"));
  });

  test("codes of the daemon stand in the envelope, others in args, and come back exactly", () => {
    for (const code of [-400, -404, "E42", 0, 7, -500, -429, 1.5]) {
      const result = { status: "error", error: { message: "m", type: "T", code }, content: [] } as const;
      expect(read(String(write(result, "sse").output)).error).toEqual(result.error);
    }
    expect(read([{ code: -401, message: "no key", data: null }]).error).toEqual({
      message: "no key",
      code: -401,
    });
  });

  test("a message that looks like an error object comes back exactly", () => {
    const message = '{"message":"inner","error_type":"X"}';
    const { output } = write({ status: "error", error: { message }, content: [] }, "sse");
    expect(read(String(output)).error).toEqual({ message });
  });

  test("a message that repeats the texts stands for none (R55)", () => {
    const repeated = [text("a"), text("b"), errorFrame({ args: {}, message: "a\nb" })];
    expect(read(repeated)).toMatchObject({ status: "error", content: [{ text: "a" }, { text: "b" }] });
    expect(read(repeated)).not.toHaveProperty("error");
    expect(canonical(repeated, "sse")).toEqual(repeated);
  });

  test("a body of the Service API and a bare error are errors too", () => {
    expect(read({ code: "invalid_param", message: "no", status: 400 }).error).toEqual({
      message: "no",
      code: "invalid_param",
    });
    expect(read([text("a"), { event: "error", status: 500, code: "boom", message: "no" }]).error).toEqual({
      message: "no",
      code: "boom",
    });
    expect(read([{ error: "gone" }]).error).toEqual({ message: "gone" });
  });

  test("an envelope of success without a message is named, and no error", () => {
    const { result, losses } = reading([{ code: 0, message: "success", data: null }]);
    expect(result).toEqual({ content: [] });
    expect(codesOf(losses)).toEqual(["message-empty"]);
  });
});

describe("plugin lines of dify-plugin 0.10.2", () => {
  const manifest = { version: "0.0.1", type: "plugin", author: "demo", plugins: { tools: ["w.yaml"] } };

  test("manifest, log, heartbeat and prints are no messages", () => {
    const log = '{"event": "log", "data": {"level": "INFO", "message": "Installed tool: weather"}}\n';
    const heartbeat = { event: "heartbeat", session_id: null, data: {} };
    const stream =
      lines(manifest) +
      log +
      lines(heartbeat, session("stream", text("ok")), heartbeat) +
      "printed\n" +
      lines(session("end", {}));
    const { result, losses } = reading(stream, {}, "dify:session");
    expect(result).toEqual({ content: [{ type: "text", text: "ok" }] });
    expect(codesOf(losses)).toEqual(["line-skipped"]);
    expect(read(stream)).toEqual(result);
  });

  test("an error comes after its messages and before the end", () => {
    const error = { error_type: "ValueError", message: "city not found", args: { traceback: "..." } };
    const stream = lines(session("stream", text("partial")), session("error", error), session("end", {}));
    expect(read(stream)).toMatchObject({
      status: "error",
      error: { message: "city not found", type: "ValueError" },
      content: [{ text: "partial" }],
    });
  });

  test("a session without its end was cut", () => {
    expect(read(lines(session("stream", text("a"))))).toMatchObject({
      status: "error",
      error: { code: "truncated" },
    });
  });

  test("a session that only ends is a success without content", () => {
    expect(read(lines(session("end", {})))).toEqual({ content: [] });
  });

  test("lines of the slim command and of backwards invocations", () => {
    const enveloped = { event: "chunk", data: { code: 0, message: "success", data: text("a") } };
    expect(partsOf(enveloped, { event: "chunk", data: text("b") }, { event: "done", data: {} })).toHaveLength(
      2,
    );
    expect(partsOf({ data: text("a"), error: "" })).toHaveLength(1);
    expect(read([{ event: "error", data: { code: "DAEMON_ERROR", message: "no" } }]).error).toEqual({
      message: "no",
      code: "DAEMON_ERROR",
    });
  });
});

describe("workflow runs", () => {
  const finished = (data: JsonObject) => ({
    event: "workflow_finished",
    data: { id: "r", workflow_id: "w", ...data },
  });

  test("outputs are the structured content; the run is kept", () => {
    const outputs = { text: "x", n: 1 };
    const result = read({
      task_id: "t",
      workflow_run_id: "r",
      data: { id: "r", workflow_id: "w", status: "succeeded", outputs, error: null, total_tokens: 3 },
    });
    expect(result).toMatchObject({ status: "success", content: [], structuredContent: outputs });
    expect(result.extensions?.dify?.about).toEqual({
      id: "r",
      workflow_id: "w",
      status: "succeeded",
      total_tokens: 3,
    });
  });

  test("events: the last one decides, logs are kept, pieces of text stand in where outputs lack", () => {
    const chunkOf = (piece: string) => ({
      event: "text_chunk",
      data: { text: piece, from_variable_selector: [] },
    });
    const log = {
      event: "agent_log",
      data: { id: "1", label: "l", status: "success", data: {}, node_id: "n" },
    };
    const events = [{ event: "workflow_started", data: {} }, chunkOf("a"), log, chunkOf("b")];
    const stream = (last: JsonObject) =>
      [...events, last].map((event) => `data: ${JSON.stringify(event)}\n\n`).join("event: ping\n\n");
    const done = read(stream(finished({ status: "succeeded", outputs: { n: 1 } })));
    expect(done).toMatchObject({ structuredContent: { n: 1 }, content: [], logs: [{ id: "1", label: "l" }] });
    const failed = read(stream(finished({ status: "stopped", outputs: null, error: null })));
    expect(failed).toMatchObject({
      status: "error",
      error: { message: "the workflow run is stopped" },
      content: [{ text: "ab" }],
    });
    const cut = read(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
    expect(cut).toMatchObject({ status: "error", error: { code: "truncated" }, content: [{ text: "ab" }] });
  });

  test("a partial success is a success with a warning (R25)", () => {
    const { result, losses } = reading([finished({ status: "partial-succeeded", outputs: {} })]);
    expect(result).toMatchObject({ status: "success", structuredContent: {} });
    expect(codesOf(losses)).toEqual(["partial-success"]);
  });

  test("a paused stream is not a result", () => {
    const events = [
      { event: "workflow_started", data: {} },
      { event: "workflow_paused", data: {} },
    ];
    expect(failure(() => read(events))).toMatchObject({ code: "not-a-result", pointer: "/1" });
  });
});

describe("agents", () => {
  test("an observation that is no JSON is the answer of every tool (R5)", () => {
    const thought = { event: "agent_thought", id: "1", tool: "weather", observation: "18C" };
    expect(read([thought]).content).toEqual([{ type: "text", text: "18C" }]);
    expect(read([{ ...thought, observation: '{"weather": 18}' }]).content).toEqual([
      { type: "text", text: "18" },
    ]);
  });

  test("files are stored files of the thought that names them, or of the last one", () => {
    const thought = {
      event: "agent_thought",
      id: "1",
      tool: "draw",
      observation: '{"draw": "ok"}',
      message_files: [],
    };
    const file = {
      event: "message_file",
      id: "f",
      type: "image",
      belongs_to: "assistant",
      url: "/files/tools/1.png?sign=x",
    };
    expect(read([thought, file, { event: "message_end" }]).content).toMatchObject([
      { type: "text" },
      { type: "media", kind: "image", stored: { uri: file.url } },
    ]);
    const { event: _, ...history } = thought;
    const message = {
      agent_thoughts: [{ ...history, message_files: ["f"] }],
      message_files: [{ ...file, event: null }],
    };
    expect(read({ data: [message], has_more: false }).content).toHaveLength(2);
  });

  test("an error event and a cut stream fail the call that came last", () => {
    const thought = { event: "agent_thought", id: "1", tool: "a", observation: '{"a": "ok"}' };
    expect(read([thought, { event: "error", code: "quota", message: "no", status: 400 }])).toMatchObject({
      status: "error",
      error: { message: "no", code: "quota" },
      content: [{ text: "ok" }],
    });
    const cut = `data: ${JSON.stringify(thought)}\n\n${frame(text("a")).slice(0, 30)}`;
    expect(read(cut)).toMatchObject({ status: "error", error: { code: "truncated" } });
  });
});
