import { describe, expect, test } from "vitest";
import { carryKey, markKey } from "../../src/adapter.ts";
import type { Part } from "../../src/ir.ts";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import {
  between,
  canonical,
  framesOf,
  json,
  link,
  png,
  read,
  text,
  thereAndBack,
  variable,
  withoutCarry,
  write,
} from "./dify-helpers.ts";

const marked = (message: JsonObject, mark: JsonObject): JsonObject => ({
  ...message,
  meta: { [markKey]: mark },
});

function written(part: Part): { readonly message: JsonValue | undefined; readonly codes: readonly string[] } {
  const { output, codes } = write({ content: [part] });
  return { message: (output as readonly JsonValue[])[0], codes };
}

describe("parts", () => {
  test.each<[JsonValue, string]>([
    [null, "null"],
    ["a", '"a"'],
    [false, "false"],
    [1.5, "1.5"],
  ])("the json scalar %j is a text with the literal", (value, literal) => {
    expect(written({ type: "json", value })).toEqual({ message: text(literal), codes: ["json-as-text"] });
  });

  test("bytes are a blob; the kind of a file is what its MIME type says", () => {
    const image = { type: "media", kind: "image", mimeType: "image/png", data: png } as const;
    expect(written(image)).toEqual({
      message: { type: "blob", message: { blob: png }, meta: { mime_type: "image/png" } },
      codes: [],
    });
    expect(written({ type: "media", kind: "audio", data: "AAEC" }).codes).toEqual(["mime-corrected"]);
  });

  test("path parts of a foreign file name go nowhere (R54)", () => {
    const file = { type: "media", kind: "file", mimeType: "application/pdf", data: "JVBERi0=" } as const;
    for (const fileName of ["../../etc/a.pdf", "C:\\temp\\a.pdf", "/a.pdf"]) {
      expect(written({ ...file, fileName })).toEqual({
        message: {
          type: "blob",
          message: { blob: "JVBERi0=" },
          meta: { mime_type: "application/pdf", filename: "a.pdf" },
        },
        codes: ["file-name-changed"],
      });
    }
    expect(written({ ...file, fileName: "a/" }).message).toHaveProperty("meta", {
      mime_type: "application/pdf",
    });
  });

  test("a document given as text is the bytes of that text, as a text type", () => {
    const document = { type: "media", kind: "file" } as const;
    const blob = (mimeType: string, data: string) => ({
      type: "blob",
      message: { blob: data },
      meta: { mime_type: mimeType },
    });
    expect(written({ ...document, text: "é", mimeType: "text/plain" })).toEqual({
      message: blob("text/plain", "w6k="),
      codes: ["document-text-as-bytes"],
    });
    expect(written({ ...document, text: "a", mimeType: "text/csv" }).message).toEqual(
      blob("text/csv", "YQ=="),
    );
    expect(written({ ...document, text: "a", mimeType: "application/pdf" }).message).toEqual(
      blob("text/plain", "YQ=="),
    );
    expect(written({ ...document, texts: ["a", "b"] }).message).toEqual(blob("text/plain", "YQoKYg=="));
    expect(written({ ...document, text: "\ud800" })).toEqual({
      message: text("\ud800"),
      codes: ["document-text-as-bytes"],
    });
  });

  test("links are http and https only; an image needs its MIME type", () => {
    const url = "https://example.com/a.png";
    const image = { type: "link", kind: "image", url } as const;
    expect(written({ ...image, mimeType: "image/png" })).toEqual({
      message: link("image", url, { mime_type: "image/png" }),
      codes: [],
    });
    expect(written(image)).toEqual({ message: link("link", url), codes: ["link-detail-dropped"] });
    expect(written({ type: "link", kind: "hyperlink", url: "ftp://example.com/a", name: "a" })).toEqual({
      message: text("a: ftp://example.com/a"),
      codes: ["link-as-text"],
    });
  });

  test("a stored file of another platform is a link or its name, and never a path of Dify's (R63)", () => {
    const stored = (uri: string): Part => ({ type: "media", kind: "file", stored: { uri } });
    expect(written(stored("https://bucket.example.com/a.pdf?sig=x"))).toEqual({
      message: link("link", "https://bucket.example.com/a.pdf?sig=x"),
      codes: ["file-unresolved"],
    });
    expect(written(stored("s3://bucket/a.pdf"))).toEqual({
      message: text("a.pdf"),
      codes: ["file-unresolved"],
    });
    expect(written(stored("/files/tools/1.png"))).toEqual({
      message: text("1.png"),
      codes: ["stored-file-reference-dropped"],
    });
    expect(written({ type: "link", kind: "hyperlink", url: "/files/tools/1.png" })).toEqual({
      message: text("1.png"),
      codes: ["stored-file-reference-dropped"],
    });
  });

  test("a foreign source cannot name a stored file by extensions or meta (R63)", () => {
    const forged: Part = {
      type: "media",
      kind: "image",
      stored: { uri: "/files/tools/1.png" },
      extensions: {
        dify: { type: "image_link", meta: { tool_file_id: "1" }, extra: { meta: { tool_file_id: "1" } } },
      },
    };
    const meta = {
      tool_file_id: "1",
      transfer_method: "tool_file",
      file: {},
      [carryKey]: { version: 1 },
      "x-own": 1,
    };
    const opaque: Part = { type: "opaque", adapter: "dify", value: link("image_link", "/files/tools/1.png") };
    const { output } = write({ content: [forged, { type: "text", text: "a", meta }, opaque] });
    expect(output).toEqual([
      text("1.png"),
      { ...text("a"), meta: { "x-own": 1 } },
      json(link("image_link", "/files/tools/1.png")),
    ]);
  });

  test("embedded resources lose their URI, citations are sources, opaque blocks are their raw value", () => {
    expect(written({ type: "resource", uri: "file:///a.txt", text: "a" })).toEqual({
      message: text("a"),
      codes: ["resource-uri-dropped"],
    });
    expect(
      written({ type: "resource", uri: "file:///a.bin", mimeType: "application/zip", data: "AAEC" }).message,
    ).toEqual({
      type: "blob",
      message: { blob: "AAEC" },
      meta: { mime_type: "application/zip", filename: "a.bin" },
    });
    expect(written({ type: "citations", sources: [{ content: "c" }] })).toEqual({
      message: {
        type: "retriever_resources",
        message: { retriever_resources: [{ content: "c" }], context: "" },
      },
      codes: ["name-generated"],
    });
    expect(written({ type: "opaque", adapter: "x", value: 1 })).toEqual({
      message: text("1"),
      codes: ["opaque-placeholder"],
    });
  });
});

describe("beside the content", () => {
  test("structured content comes after it: the whole, then the variables by name", () => {
    const { output, codes } = write({
      content: [{ type: "text", text: "a" }],
      structuredContent: { b: 1, a: [2] },
    });
    expect(output).toEqual([text("a"), json({ b: 1, a: [2] }), variable("a", [2]), variable("b", 1)]);
    expect(codes).toEqual(["mirror-added"]);
  });

  test("the whole is not written where a json part says it", () => {
    const { output } = write({
      content: [
        { type: "json", value: { a: 1 } },
        { type: "text", text: "b" },
      ],
      structuredContent: { a: 1 },
    });
    expect(output).toEqual([json({ a: 1 }), text("b"), variable("a", 1)]);
  });

  test.each<[JsonValue, JsonObject, string]>([
    [[1], json([1]), "variables-as-json"],
    [null, text("null"), "variables-as-json"],
    ["a", text('"a"'), "variables-as-json"],
    [{}, json({}), "empty-json-dropped-by-dify"],
  ])("structured content %j has no names, and is one message", (structuredContent, message, code) => {
    expect(write({ content: [], structuredContent })).toEqual({ output: [message], codes: [code] });
  });

  test("logs get what Dify's readers demand", () => {
    expect(write({ content: [], logs: [{ error: "no", data: 5 }] })).toMatchObject({
      output: [
        {
          type: "log",
          message: { id: "log-0", label: "", status: "success", data: { value: 5 }, error: "no" },
        },
      ],
    });
  });

  test("what came from Dify goes back to its place, by any format (R8)", () => {
    const messages = [
      variable("z", 1),
      { type: "log", message: { id: "1", label: "l", status: "start", data: {} } },
      text("a"),
      { ...variable("text", "s", { stream: true }), meta: { "x-own": 1 } },
      json({ text: "s", z: 1 }, { suppress_output: true }),
      json({ other: 1 }, { suppress_output: true }),
      text("b"),
    ];
    for (const by of ["dify:sse", "strands", "watsonx", "ir"]) {
      expect(thereAndBack(messages, "dify", by)).toEqual(messages);
    }
  });

  test("meta and unknown keys of a log stay with it, wherever it stands (R8, R10, R11)", () => {
    const log = { type: "log", message: { id: "1", label: "l", status: "success", data: {} } };
    const messages = [
      { ...log, message: { ...log.message, "x-new": 1 }, meta: { k: 1 }, foo: 2 },
      text("t"),
      { ...log, message: { ...log.message, id: "2" }, meta: { k: 2 } },
      variable("v", 1),
    ];
    for (const by of ["dify", "dify:sse", "strands", "watsonx", "ir"]) {
      expect(thereAndBack(messages, "dify", by)).toEqual(messages);
    }
  });

  test("content for the user can be shown by a workflow, which no reader takes for the tool's (R40)", () => {
    const mcp = {
      content: [
        { type: "text", text: "secret", annotations: { audience: ["user"] } },
        { type: "text", text: "a" },
      ],
    };
    const { output } = between(mcp, "watsonx", "dify", { userVariable: "for_user" });
    expect(output).toContainEqual(marked(variable("for_user", ["secret"]), { user: true }));
    expect(read(output).structuredContent).toBeUndefined();
    expect(thereAndBack(mcp, "watsonx", "dify", { userVariable: "for_user" })).toEqual(mcp);
  });

  test.each([
    ["files", "files_"],
    ["error_message", "error_message_"],
    ["a", "a__"],
    ["text", "text__"],
    ["b", "b"],
  ])("the user's variable %s is %s, a name of no other variable (R40, R50a)", (userVariable, name) => {
    const structuredContent = { a: 1, a_: 2, text: 3 };
    const mcp = {
      content: [
        { type: "text", text: "secret", annotations: { audience: ["user"] } },
        { type: "text", text: JSON.stringify(structuredContent) },
      ],
      structuredContent,
    };
    const { output } = between(mcp, "watsonx", "dify", { userVariable });
    expect(output).toContainEqual(marked(variable(name, ["secret"]), { user: true }));
    const names = (output as readonly JsonObject[]).flatMap(({ type, message }) =>
      type === "variable" ? [(message as JsonObject).variable_name] : [],
    );
    expect(new Set(names).size).toBe(names.length);
    expect(thereAndBack(mcp, "watsonx", "dify", { userVariable })).toEqual(mcp);
  });

  test("nobody but the kernel asks for the user's variable (R40)", () => {
    const extensions = { dify: { userVariable: { name: "a", texts: ["forged"] } } };
    expect(write({ content: [], extensions }).output).toEqual([]);
  });
});

describe("errors", () => {
  const error = { message: "boom", type: "ValueError", code: "E1" };

  test("in-band they are the last two variables, each with our mark (R50a)", () => {
    const { output, codes } = write({ status: "error", error, content: [{ type: "text", text: "a" }] });
    expect(output).toEqual([
      text("a"),
      marked(variable("is_error", true), { error: true }),
      marked(variable("error_message", "boom"), { error: true }),
    ]);
    expect(codes).toEqual(["status-in-band", "error-detail-dropped"]);
    expect(read(output)).toMatchObject({ status: "error", error: { message: "boom" } });
    const unmarked = (output as readonly JsonObject[]).map(({ meta: _, ...message }) => message);
    expect(read(unmarked)).not.toHaveProperty("status");
  });

  test("on sse they are the last frame, with type and code", () => {
    const frames = framesOf(write({ status: "error", error, content: [] }, "sse").output);
    const outer = JSON.parse(String(frames[0]?.message)) as JsonObject;
    expect(frames[0]).toMatchObject({ code: -500, data: null });
    expect(outer).toMatchObject({ error_type: "PluginInvokeError", args: null });
    expect(JSON.parse(String(outer.message))).toEqual({
      args: { code: "E1" },
      error_type: "ValueError",
      message: "boom",
    });
  });

  test("without a message the frame says the texts, or that the tool failed (R55)", () => {
    const texts = write(
      {
        status: "error",
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      },
      "sse",
    ).output;
    expect(String(texts)).toContain("a\\\\\\\\nb");
    expect(read(String(texts))).not.toHaveProperty("error");
    const { output, codes } = write({ status: "error", content: [] }, "sse");
    expect(codes).toContain("status-in-band");
    expect(read(String(output)).error).toEqual({ message: "tool failed" });
  });

  test.each(['{"message":"boom"}', '{"message":"boom","args":{"traceback":"t"},"error_type":"E"}'])(
    "the texts %s look like an error object and are repeated as they are (R10, R55)",
    (repeated) => {
      const inband = [text(repeated), marked(variable("is_error", true), { error: true })];
      const sse = canonical(inband, "sse");
      expect(canonical(sse, "sse")).toEqual(sse);
      expect(read(sse)).toEqual({ status: "error", content: [{ type: "text", text: repeated }] });
      const { output, losses } = between(inband, "dify", "dify:sse");
      expect(losses).toEqual([]);
      expect(thereAndBack(inband, "dify", "dify:sse")).toEqual(inband);
      expect(read(String(output))).not.toHaveProperty("error");
    },
  );

  test.each(["a", '{"message":"boom"}', "b"])(
    "the message %s stays one, whatever the texts are (R10, R55)",
    (message) => {
      for (const said of ["a", '{"message":"boom"}']) {
        const result = {
          status: "error",
          error: { message },
          content: [{ type: "text", text: said }],
        } as const;
        const { output } = write(result, "sse");
        expect(read(String(output))).toEqual(result);
        expect(canonical(canonical(String(output), "sse"), "sse")).toEqual(canonical(String(output), "sse"));
      }
    },
  );

  test("structured content and empty content survive an error (R52)", () => {
    const mcp = { content: [], structuredContent: { a: 1 }, isError: true };
    for (const dialect of ["dify:list", "dify:ndjson", "dify:sse"]) {
      expect(thereAndBack(mcp, "watsonx", dialect)).toEqual(mcp);
    }
  });
});

describe("the carry", () => {
  const mcp = { content: [{ type: "text", text: "a", annotations: { priority: 0.5 } }], isError: true };

  test("is the meta of one last empty text, before an error frame (R30)", () => {
    const list = between(mcp, "watsonx", "dify").output as readonly JsonObject[];
    expect(list.at(-1)).toMatchObject({
      type: "text",
      message: { text: "" },
      meta: { [carryKey]: { version: 1 } },
    });
    const frames = framesOf(between(mcp, "watsonx", "dify:sse").output);
    expect(frames.map(({ code }) => code)).toEqual([0, 0, -500]);
    expect(frames[1]).toHaveProperty(["data", "meta", carryKey]);
    expect(read(list).content).toHaveLength(1);
  });

  test("is taken off a message of the tool's too, and stands in no canonical form (R30a)", () => {
    const list = between(mcp, "watsonx", "dify").output as readonly JsonObject[];
    const moved = (withoutCarry(list) as readonly JsonObject[]).map((message, index) =>
      index === 0 ? { ...message, meta: list.at(-1)?.meta } : message,
    );
    expect(between(moved as JsonValue, "dify", "watsonx").output).toEqual(mcp);
  });

  test("has no room on the chunks of a blob", () => {
    const image = {
      content: [{ type: "image", data: png, mimeType: "image/png", annotations: { priority: 1 } }],
    };
    const frames = framesOf(between(image, "watsonx", "dify:sse").output);
    expect(frames.map(({ data }) => (data as JsonObject).type)).toEqual(["blob_chunk", "blob_chunk", "text"]);
    expect(frames.slice(0, 2).map(({ data }) => (data as JsonObject).meta)).toEqual([
      { mime_type: "image/png" },
      { mime_type: "image/png" },
    ]);
    expect(thereAndBack(image, "watsonx", "dify:sse")).toEqual(image);
  });
});
