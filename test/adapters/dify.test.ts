import { describe, expect, test } from "vitest";
import { markKey } from "../../src/adapter.ts";
import { JsonNumber } from "../../src/json/json-number.ts";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import { stringify } from "../../src/json/stringify.ts";
import {
  between,
  canonical,
  chunk,
  codesOf,
  converter,
  errorFrame,
  failure,
  frame,
  framesOf,
  json,
  lines,
  link,
  partsOf,
  png,
  read,
  readAll,
  reading,
  session,
  text,
  thereAndBack,
  variable,
  withoutCarry,
  write,
} from "./dify-helpers.ts";

const mark = { [markKey]: { error: true } };

describe("rows of the format page", () => {
  test.each(["link", "binary_link"])(
    "dify 7.1 a %s to /files/tools/ is a stored file, https a hyperlink",
    (type) => {
      const uri = "/files/tools/1b4e28ba.pdf";
      const [stored, hyperlink] = partsOf(link(type, uri), link("link", "https://example.com/a.pdf"));
      expect(stored).toEqual({
        type: "media",
        kind: "file",
        stored: { uri },
        extensions: { dify: { type } },
      });
      expect(hyperlink).toEqual({ type: "link", kind: "hyperlink", url: "https://example.com/a.pdf" });
      const { output, losses } = between([link(type, uri)], "dify", "watsonx", { carry: "off" });
      expect(codesOf(losses)).toContain("file-unresolved");
      expect(output).toHaveProperty("content.0.uri", uri);
    },
  );

  test("dify 7.2 text is never parsed: JSON text stays text (the contract's R5), an array is one json", () => {
    const array = '["a",null,true]';
    const mcp = { content: [{ type: "text", text: array }] };
    expect(between(mcp, "watsonx", "dify").output).toEqual([text(array)]);
    expect(write({ content: [{ type: "json", value: ["a", null, true] }] })).toEqual({
      output: [json(["a", null, true])],
      codes: [],
    });
  });

  test("dify 7.3 renames the reserved key, and the json message gives the original name back", () => {
    const value = { text: "x", n: 1 };
    const { output, codes } = write({ content: [], structuredContent: value });
    expect(output).toEqual([json(value), variable("n", 1), variable("text_", "x")]);
    expect(codes).toContain("variable-renamed");
    expect(read(output).structuredContent).toEqual(value);
    expect(write({ content: [], structuredContent: { text: 1, text_: 2 } }).output).toContainEqual(
      variable("text__", 1),
    );
  });

  test("dify 7.4 writes structured content and its JSON text once, and restores both", () => {
    const mcp = { content: [{ type: "text", text: '{"a": 1}' }], structuredContent: { a: 1 } };
    const { output } = between(mcp, "watsonx", "dify");
    expect(withoutCarry(output)).toEqual([json({ a: 1 }), variable("a", 1)]);
    expect(thereAndBack(mcp, "watsonx", "dify")).toEqual(mcp);
  });

  test("dify 7.5 folds a streamed variable, and a value that comes after replaces it", () => {
    const streamed = [variable("a", "1", { stream: true }), variable("a", "2", { stream: true })];
    expect(read(streamed).structuredContent).toEqual({ a: "12" });
    expect(canonical(streamed)).toEqual([variable("a", "12", { stream: true })]);
    const { result, losses } = reading([...streamed, variable("a", 3)]);
    expect(result.structuredContent).toEqual({ a: 3 });
    expect(codesOf(losses)).toEqual(["variable-folded"]);
  });

  test("dify 7.6 sorts chunks under lenient, refuses them under strict, and gaps and doubles always (R64)", () => {
    const disordered = [
      chunk("b", 0, "AAEC"),
      chunk("b", 2, "", { end: false, blob: "BQ==" }),
      chunk("b", 1, "AwQ="),
    ];
    const messages = [...disordered, chunk("b", 3, "", { end: true })];
    const { result, losses } = reading(messages);
    expect(result.content).toEqual([{ type: "media", kind: "file", data: "AAECAwQF" }]);
    expect(codesOf(losses)).toEqual(["chunks-sorted"]);
    expect(failure(() => read(messages, { mode: "strict" })).code).toBe("blob-out-of-sequence");
    const gap = [chunk("b", 0, "AAEC"), chunk("b", 2, "", { end: true })];
    const double = [chunk("b", 0, "AAEC"), chunk("b", 0, "AAEC")];
    for (const wrong of [gap, double]) {
      expect(failure(() => read(wrong))).toMatchObject({ code: "blob-out-of-sequence", pointer: "/1" });
    }
  });

  test("dify 7.7 keeps the bytes of an end chunk, and writes an empty one", () => {
    const messages = [chunk("b", 0, "AAEC"), chunk("b", 1, "AwQF", { end: true })];
    expect(read(messages).content).toEqual([{ type: "media", kind: "file", data: "AAECAwQF" }]);
    const frames = framesOf(between(messages, "dify", "dify:sse").output);
    expect(frames.map(({ data }) => (data as JsonObject).message)).toEqual([
      { id: "blob-0", sequence: 0, total_length: 6, blob: "AAECAwQF", end: false },
      { id: "blob-0", sequence: 1, total_length: 6, blob: "", end: true },
    ]);
  });

  test("dify 7.8 two blobs at once come in the order of their end chunks", () => {
    const messages = [
      chunk("first", 0, "AAEC"),
      chunk("second", 0, "AwQF", { total_length: 3 }),
      text("between"),
      chunk("second", 1, "", { total_length: 3, end: true }),
      chunk("first", 1, "AwQF", { end: true }),
    ];
    expect(canonical(messages)).toEqual([
      text("between"),
      { type: "blob", message: { blob: "AwQF" } },
      { type: "blob", message: { blob: "AAECAwQF" } },
    ]);
  });

  test("dify 7.9 never allocates what is announced: too short is a loss, too long and no count an error (R64)", () => {
    const announced = (total: JsonValue) => [chunk("b", 0, "AAEC", { total_length: total, end: true })];
    const { losses } = reading(announced(9e12));
    expect(losses).toMatchObject([{ code: "length-mismatch", pointer: "/0" }]);
    expect(failure(() => read(announced(9e12), { mode: "strict" })).code).toBe("blob-length-mismatch");
    expect(failure(() => read(announced(2))).code).toBe("blob-length-mismatch");
    expect(failure(() => read(announced(-1)))).toMatchObject({
      code: "invalid-payload",
      pointer: "/0/message/total_length",
    });
  });

  test("dify 7.10 an open chunk or a cut frame at the end is an error with what came before", () => {
    const open = read([text("a"), chunk("b", 0, "AAEC")]);
    expect(open.status).toBe("error");
    expect(open.error).toEqual({ message: 'the stream ended within the blob "b"', code: "truncated" });
    expect(open.content).toEqual([{ type: "text", text: "a" }]);
    const cut = frame(text("a")) + frame(text("b")).slice(0, 40);
    for (const dialect of ["dify", "dify:sse"]) {
      expect(read(cut, {}, dialect)).toMatchObject({
        status: "error",
        error: { code: "truncated" },
        content: [{ text: "a" }],
      });
    }
    const malformed = frame(text("a")).replace("success", 'suc"cess') + frame(text("b"));
    expect(failure(() => read(malformed, {}, "dify:sse"))).toMatchObject({ code: "invalid-json" });
  });

  test("dify 7.11 a blob of no bytes is one end chunk, and there", () => {
    const empty = [chunk("b", 0, "", { total_length: 0, end: true })];
    expect(read(empty).content).toEqual([{ type: "media", kind: "file", data: "" }]);
    const [only, ...others] = framesOf(between(empty, "dify", "dify:sse").output);
    expect(only).toHaveProperty("data.message", {
      id: "blob-0",
      sequence: 0,
      total_length: 0,
      blob: "",
      end: true,
    });
    expect(others).toEqual([]);
  });

  test.each([
    ["-_-_", "+/+/"],
    ["data:image/png;base64,iVBORw0KGgo=", png],
    ["iVBORw0KGgo", png],
  ])("dify 7.12 reads the base64 %s as the bytes it means", (blob, data) => {
    const { result, losses } = reading([{ type: "blob", message: { blob } }]);
    expect(result.content).toMatchObject([{ type: "media", data }]);
    expect(codesOf(losses)).toEqual(["base64-normalised"]);
    expect(failure(() => read([{ type: "blob", message: { blob: "no base64!" } }]))).toMatchObject({
      code: "invalid-base64",
      pointer: "/0/message/blob",
    });
  });

  test.each([{}, []])("dify 7.13 keeps an empty json, and says that Dify's node drops it", (value) => {
    expect(partsOf(json(value))).toEqual([{ type: "json", value }]);
    expect(canonical([json(value)])).toEqual([json(value)]);
    expect(write({ content: [{ type: "json", value }] })).toEqual({
      output: [json(value)],
      codes: ["empty-json-dropped-by-dify"],
    });
  });

  test("dify 7.14 big integers survive, 1.0 is 1, NaN is an error that names it (R7, R28)", () => {
    const list = '[{"type":"json","message":{"json_object":{"id":9007199254740993,"x":1.0}}}]';
    expect(read(list).content).toEqual([
      { type: "json", value: { id: new JsonNumber("9007199254740993"), x: 1 } },
    ]);
    expect(stringify(between(list, "dify", "dify:ndjson").output)).toContain("9007199254740993");
    for (const broken of [list.replace("1.0", "NaN"), frame(text("a")).replace('"a"', "NaN")]) {
      const { code, message } = failure(() => read(broken));
      expect(code).toBe("invalid-json");
      expect(message).toContain("NaN");
    }
  });

  test("dify 7.15 an error with content: the frame comes last on sse, marked variables on list", () => {
    const mcp = { content: [{ type: "text", text: "no route" }], isError: true };
    const [first, last] = framesOf(between(mcp, "watsonx", "dify:sse").output);
    expect(first).toEqual({ code: 0, message: "success", data: text("no route") });
    expect(last).toEqual(errorFrame({ args: {}, message: "no route" }));
    expect(between(mcp, "watsonx", "dify").output).toEqual([
      text("no route"),
      { ...variable("is_error", true), meta: mark },
    ]);
    for (const dialect of ["dify:list", "dify:ndjson", "dify:sse"]) {
      expect(thereAndBack(mcp, "watsonx", dialect)).toEqual(mcp);
    }
  });

  test("dify 7.16 keeps the texts before an error frame, takes the innermost message, and no traceback", () => {
    const error = {
      error_type: "ValueError",
      message: "city not found",
      args: { traceback: "Traceback ..." },
    };
    const stream = `${frame(text("1"))}${frame(text("2"))}${frame(text("3"))}data: ${JSON.stringify(errorFrame(error))}\n\n`;
    const { result, losses } = reading(stream);
    expect(result.status).toBe("error");
    expect(result.error).toEqual({ message: "city not found", type: "ValueError" });
    expect(result.content).toHaveLength(3);
    expect(losses).toMatchObject([{ code: "traceback-removed", pointer: "/3/message" }]);
    expect(canonical(stream, "sse")).toContainEqual(
      errorFrame({ args: {}, error_type: "ValueError", message: "city not found" }),
    );
  });

  test("dify 7.17 takes a bare json object, and writes json_object", () => {
    const bare = [{ type: "json", message: { a: 1 } }];
    expect(partsOf(...bare)).toEqual([{ type: "json", value: { a: 1 } }]);
    expect(canonical(bare)).toEqual([json({ a: 1 })]);
  });

  test("dify 7.18 a type that its payload contradicts: the payload decides, strict refuses (R26)", () => {
    const wrong = [{ type: "text", message: { json_object: { a: 1 } } }];
    const { result, losses } = reading(wrong);
    expect(result.content).toEqual([{ type: "json", value: { a: 1 } }]);
    expect(losses).toMatchObject([{ code: "payload-decides", pointer: "/0" }]);
    expect(failure(() => read(wrong, { mode: "strict" })).code).toBe("contradictory-payload");
  });

  test("dify 7.19 message null is a file where meta says which, else an empty text and a loss (R28)", () => {
    const file = { url: "https://dify.example.com/files/tools/1.png" };
    expect(partsOf({ type: "file", message: null, meta: { file } })).toMatchObject([
      { type: "media", stored: { uri: file.url } },
    ]);
    const { result, losses } = reading([{ type: "json", message: null }]);
    expect(result.content).toEqual([{ type: "text", text: "" }]);
    expect(codesOf(losses)).toEqual(["message-empty"]);
  });

  test("dify 7.20 a file message is a stored file, and never goes to Dify from elsewhere", () => {
    const file = {
      url: "https://dify.example.com/files/tools/1.png?sign=x",
      type: "image",
      mime_type: "image/png",
      filename: "a.png",
    };
    const messages = [{ type: "file", message: { file_marker: "file_marker" }, meta: { file } }];
    const [part] = partsOf(...messages);
    expect(part).toMatchObject({
      type: "media",
      kind: "image",
      mimeType: "image/png",
      fileName: "a.png",
      stored: { uri: file.url },
    });
    expect(part).not.toHaveProperty("meta");
    expect(between(messages, "dify", "dify").output).toEqual(messages);
    const unsigned = thereAndBack(messages, "dify", "strands");
    expect(withoutCarry(unsigned)).toEqual([{ type: "link", message: { text: file.url } }]);
    expect(thereAndBack(messages, "dify", "strands", { carryKey: "secret" })).toEqual(messages);
  });

  test("dify 7.21 several texts stay several blocks", () => {
    const messages = [text("a"), text("b")];
    expect(between(messages, "dify", "watsonx").output).toHaveProperty("content", [
      { type: "text", text: "a" },
      { type: "text", text: "b" },
    ]);
    expect(thereAndBack(messages, "dify", "strands")).toEqual(messages);
  });

  test("dify 7.22 a text of links from a node's outputs stays text", () => {
    const outputs = { text: "Link: https://example.com/a\n", files: [], json: [{ data: [] }] };
    const body = {
      event: "node_finished",
      data: { node_type: "tool", status: "succeeded", outputs, error: null },
    };
    expect(read(body)).toMatchObject({ status: "success", content: [], structuredContent: outputs });
  });

  test("dify 7.23 json between texts keeps its place", () => {
    const messages = [text("a"), json({ n: 1 }), text("b")];
    expect(between(messages, "dify", "strands").output).toHaveProperty("content", [
      { text: "a" },
      { json: { n: 1 } },
      { text: "b" },
    ]);
    expect(canonical(messages)).toEqual(messages);
  });

  test("dify 7.24 the same tool twice in one round is one result, and a loss says so", () => {
    const thought = {
      event: "agent_thought",
      id: "1",
      tool: "weather;weather",
      observation: '{"weather": "18C"}',
    };
    const { result, losses } = reading([thought]);
    expect(result.content).toEqual([{ type: "text", text: "18C" }]);
    expect(losses).toMatchObject([{ code: "calls-merged", pointer: "/0/tool" }]);
  });

  test("dify 7.25 a thought that comes again is one result with the last observation", () => {
    const thought = { event: "agent_thought", id: "1", tool: "weather", observation: "" };
    const again = { ...thought, observation: '{"weather": "18C"}' };
    expect(read([thought, again, again]).content).toEqual([{ type: "text", text: "18C" }]);
    expect(failure(() => read([thought])).code).toBe("not-a-result");
  });

  test("dify 7.26 a run with status failed is an error with its message, not a success with null", () => {
    const data = { id: "r", workflow_id: "w", status: "failed", outputs: null, error: "node 3 timed out" };
    const result = read({ task_id: "t", workflow_run_id: "r", data });
    expect(result).toMatchObject({ status: "error", error: { message: "node 3 timed out" }, content: [] });
    expect(result).not.toHaveProperty("structuredContent");
  });

  test("dify 7.27 keep-alive events, comments, blank lines and data without a space are no obstacle", () => {
    const body = JSON.stringify({ code: 0, message: "success", data: text("a") });
    const stream = `\uFEFFevent: ping\n\n: hello\r\n\r\n\ndata:${body}\r\rdata: {"code":0,"message":"success",\ndata: "data":${JSON.stringify(text("b"))}}\n\n`;
    expect(read(stream).content).toEqual([
      { type: "text", text: "a" },
      { type: "text", text: "b" },
    ]);
  });

  test("dify 7.28 an image by its URL is a link that nothing fetches (R62)", () => {
    const url = "https://example.com/a.png";
    expect(partsOf(link("image", url, { mime_type: "image/png" }), link("image", url))).toEqual([
      { type: "link", kind: "image", url, mimeType: "image/png" },
      { type: "link", kind: "image", url, extensions: { dify: { type: "image" } } },
    ]);
  });

  test("dify 7.29 start and end of a step are one log entry in its last state, and no content", () => {
    const step = (rest: JsonObject) => ({
      type: "log",
      message: { id: "1", label: "fetch", parent_id: null, data: {}, ...rest },
    });
    const messages = [
      step({ status: "start", error: null }),
      text("a"),
      step({ status: "error", error: "no route" }),
    ];
    const result = read(messages);
    expect(result).not.toHaveProperty("status");
    expect(result.content).toEqual([{ type: "text", text: "a" }]);
    expect(result.logs).toEqual([{ id: "1", label: "fetch", status: "error", error: "no route", data: {} }]);
    expect(canonical(messages)).toEqual([
      { type: "log", message: { id: "1", label: "fetch", data: {}, status: "error", error: "no route" } },
      text("a"),
    ]);
  });

  test("dify 7.30 audio goes to Dify as a blob with type and name", () => {
    const audio = {
      type: "media",
      kind: "audio",
      mimeType: "audio/mpeg",
      fileName: "a.mp3",
      data: "AAEC",
    } as const;
    const { output, codes } = write({ content: [audio] });
    expect(output).toEqual([
      { type: "blob", message: { blob: "AAEC" }, meta: { mime_type: "audio/mpeg", filename: "a.mp3" } },
    ]);
    expect(codes).toEqual([]);
    expect(read(output).content).toEqual([audio]);
  });
});

describe("several results and none", () => {
  test("each tool of a thought is a result, and one must be picked", () => {
    const thought = {
      event: "agent_thought",
      id: "t1",
      tool: "a;b",
      observation: '{"a": "1", "b": {"n": 2}}',
    };
    expect(readAll([thought]).map(({ result }) => [result.toolCallId, result.content])).toEqual([
      ["t1:a", [{ type: "text", text: "1" }]],
      ["t1:b", [{ type: "json", value: { n: 2 } }]],
    ]);
    const { code, data } = failure(() => between([thought], "dify", "strands"));
    expect(code).toBe("many-results");
    expect(stringify(data as JsonObject)).toContain("t1:a");
  });

  test("sessions of one plugin process that interleave are results of their own", () => {
    const line = (id: string, type: string, data: JsonValue) => ({
      event: "session",
      session_id: id,
      data: { type, data },
    });
    const stream = lines(
      line("x", "stream", text("1")),
      line("y", "stream", text("2")),
      line("y", "end", {}),
      line("x", "end", {}),
    );
    expect(readAll(stream).map(({ result }) => [result.toolCallId, result.content])).toEqual([
      ["x", [{ type: "text", text: "1" }]],
      ["y", [{ type: "text", text: "2" }]],
    ]);
  });

  test.each(["running", "paused"])("a %s workflow is not a result (R25)", (status) => {
    expect(failure(() => read({ data: { id: "r", workflow_id: "w", status, outputs: null } })).code).toBe(
      "not-a-result",
    );
  });

  test("an unknown status of a run is an error, never a guess (R50)", () => {
    expect(failure(() => read({ data: { id: "r", workflow_id: "w", status: "ok", outputs: {} } })).code).toBe(
      "invalid-status",
    );
  });
});

test("every dialect is recognised by its own keys (R80)", () => {
  const documents: readonly (readonly [string, JsonValue])[] = [
    ["list", [text("a")]],
    ["sse", [{ code: 0, message: "success", data: text("a") }]],
    ["sse", [errorFrame({ message: "boom" })]],
    ["session", [session("end", {})]],
    ["workflow", { task_id: "t", workflow_run_id: "r", data: { status: "succeeded", outputs: {} } }],
    ["workflow", [{ event: "workflow_started", data: {} }]],
    ["agent", [{ event: "agent_thought", id: "1" }]],
  ];
  for (const [dialect, document] of documents) {
    expect(converter.detect(document)).toMatchObject({ outcome: "recognised", format: "dify", dialect });
  }
  expect(converter.detect([{ text: "a" }])).not.toMatchObject({ format: "dify" });
});
