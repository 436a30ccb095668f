import { describe, expect, test } from "vitest";
import type { Part } from "../../src/ir.ts";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import { stringify } from "../../src/json/stringify.ts";
import {
  bare,
  between,
  canonical,
  converter,
  type DialectId,
  pdf,
  png,
  read,
  write,
  written,
} from "./strands-helpers.ts";

describe("from other formats", () => {
  test("text beyond ASCII is written unescaped", () => {
    const { output } = write({ toolCallId: "c", content: [{ type: "json", value: "é" }] }, "python");
    expect(stringify(output)).toContain('{"text":"\\"é\\""}');
  });

  test("structured content becomes the last block, and is at the top level for Python too", () => {
    const result = {
      toolCallId: "c",
      content: [{ type: "text", text: "a" }],
      structuredContent: { b: 1 },
    } as const;
    expect(write(result, "python")).toEqual({
      output: {
        toolUseId: "c",
        status: "success",
        content: [{ text: "a" }, { json: { b: 1 } }],
        structuredContent: { b: 1 },
      },
      codes: ["structured-as-json"],
    });
    expect(write(result, "typescript").output).toEqual({
      toolResult: { toolUseId: "c", status: "success", content: [{ text: "a" }, { json: { b: 1 } }] },
    });
  });

  test("a mirror of structured content is written once", () => {
    const result = {
      toolCallId: "c",
      content: [{ type: "text", text: '{"b": 1}' }],
      structuredContent: { b: 1 },
    } as const;
    expect(write(result, "python").output).toEqual({
      toolUseId: "c",
      status: "success",
      content: [{ json: { b: 1 } }],
      structuredContent: { b: 1 },
    });
  });

  test("Strands' own structured content stays outside the content where it can", () => {
    const document = { ...bare({ text: "a" }), structuredContent: { b: 1 } };
    expect(between(document, "python", "python")).toEqual({ output: document, codes: [] });
    const other = between(document, "python", "typescript");
    expect(other.output).toEqual({ toolResult: bare({ text: "a" }, { json: { b: 1 } }) });
    expect(other.codes).toEqual(["structured-as-json"]);
    const mirrored = between(
      { ...bare({ text: '{"b":1}' }), structuredContent: { b: 1 } },
      "python",
      "bedrock",
    );
    expect(mirrored.output).toEqual({ toolResult: bare({ text: '{"b":1}' }) });
    expect(mirrored.codes).toEqual(["mirror-folded"]);
  });

  test.each<[string, Part, DialectId, JsonValue, readonly string[]]>([
    [
      "video",
      { type: "media", kind: "video", mimeType: "video/3gpp", data: "AQ==" },
      "typescript",
      { video: { format: "3gp", source: { bytes: "AQ==" } } },
      [],
    ],
    [
      "video for Python, whose results have none",
      { type: "media", kind: "video", mimeType: "video/mp4", data: "AQ==" },
      "python",
      {
        json: {
          type: "resource",
          resource: { uri: "attachment:///0/video", mimeType: "video/mp4", blob: "AQ==" },
        },
      },
      ["media-as-json", "name-generated"],
    ],
    [
      "a document of text",
      { type: "media", kind: "file", mimeType: "text/plain", fileName: "n", text: "t" },
      "bedrock",
      { document: { format: "txt", name: "n", source: { text: "t" } } },
      [],
    ],
    [
      "a document of texts for Python",
      { type: "media", kind: "file", mimeType: "text/markdown", fileName: "n", texts: ["a", "b"] },
      "python",
      {
        document: {
          format: "md",
          name: "n",
          source: { bytes: { __bytes_encoded__: true, data: "YQoKYg==" } },
        },
      },
      ["document-text-as-bytes"],
    ],
    [
      "a file in S3",
      {
        type: "media",
        kind: "image",
        mimeType: "image/png",
        stored: { uri: "s3://b/k", owner: "123456789012" },
      },
      "bedrock",
      { image: { format: "png", source: { s3Location: { uri: "s3://b/k", bucketOwner: "123456789012" } } } },
      [],
    ],
    [
      "a file stored elsewhere",
      {
        type: "media",
        kind: "image",
        mimeType: "image/png",
        fileName: "a.png",
        stored: { uri: "/files/tools/1.png" },
      },
      "python",
      { json: { type: "resource_link", uri: "/files/tools/1.png", name: "a.png", mimeType: "image/png" } },
      ["file-unresolved"],
    ],
    [
      "a link",
      { type: "link", kind: "hyperlink", url: "https://example.com/a%20b" },
      "python",
      { json: { type: "resource_link", uri: "https://example.com/a%20b", name: "a b" } },
      ["link-as-json", "name-generated"],
    ],
    [
      "a link to S3 of a known type",
      { type: "link", kind: "resource", url: "s3://b/k.png", name: "k", mimeType: "image/png" },
      "python",
      { image: { format: "png", source: { location: { type: "s3", uri: "s3://b/k.png" } } } },
      ["link-as-json"],
    ],
    [
      "an embedded text",
      { type: "resource", uri: "file:///a", text: "t" },
      "python",
      { text: "t" },
      ["resource-uri-dropped"],
    ],
    [
      "an embedded image",
      { type: "resource", uri: "file:///a", mimeType: "image/png", data: png },
      "typescript",
      { image: { format: "png", source: { bytes: png } } },
      ["resource-uri-dropped"],
    ],
    [
      "an embedded file of another type",
      { type: "resource", uri: "file:///a", data: "AQ==" },
      "python",
      { json: { type: "resource", resource: { uri: "file:///a", blob: "AQ==" } } },
      ["media-as-json"],
    ],
    [
      "citations",
      { type: "citations", sources: [{ title: "t" }], context: "c" },
      "python",
      { json: { sources: [{ title: "t" }], context: "c" } },
      ["citations-as-json"],
    ],
    [
      "an opaque object",
      { type: "opaque", adapter: "dify", value: { a: 1 } },
      "python",
      { json: { a: 1 } },
      ["opaque-placeholder"],
    ],
    [
      "an opaque scalar",
      { type: "opaque", adapter: "dify", value: 5 },
      "python",
      { json: { $value: 5 } },
      ["opaque-placeholder"],
    ],
  ])("%s", (_, part, dialect, block, codes) => {
    expect(written(part, dialect, { documentSuffix: false })).toEqual({ block, codes });
  });

  test("what is about a part does not reach the model", () => {
    const { block } = written(
      { type: "media", kind: "audio", mimeType: "audio/wav", data: "AQ==", priority: 1, meta: { k: 1 } },
      "python",
    );
    expect(block).toEqual({ json: { type: "audio", data: "AQ==", mimeType: "audio/wav" } });
  });

  test("imageUrl writes a link to an image as a source", () => {
    const part = {
      type: "link",
      kind: "image",
      url: "https://example.com/a.png",
      mimeType: "image/png",
    } as const;
    expect(written(part, "typescript", { imageUrl: true })).toEqual({
      block: { image: { format: "png", source: { url: "https://example.com/a.png" } } },
      codes: [],
    });
    expect(written(part, "python", { imageUrl: true }).codes).toContain("link-as-json");
  });

  test("metadata goes to Python, without what belongs to one hop", () => {
    const result = { toolCallId: "c", content: [], meta: { k: 1, traceparent: "00-1" } };
    expect(write(result, "python").output).toHaveProperty("metadata", { k: 1 });
    expect(write(result, "bedrock").output).toEqual({
      toolResult: { toolUseId: "c", status: "success", content: [] },
    });
    const [reading] = converter.parse({ ...bare(), metadata: { traceparent: "00-1" } }, { from: "strands" });
    expect(reading?.result).not.toHaveProperty("meta");
    expect(reading?.losses.map(({ code, pointer }) => [code, pointer])).toEqual([
      ["meta-hop-by-hop", "/metadata/traceparent"],
    ]);
  });
});

describe("between dialects", () => {
  const own = bare(
    { json: [1] },
    { audio: { format: "mp3", source: { bytes: { __bytes_encoded__: true, data: "AQ==" } } } },
    {
      document: {
        format: "pdf",
        name: "Q1.v2",
        source: { bytes: pdf },
        citations: { enabled: true },
        context: "c",
      },
    },
    { searchResult: { source: "s" } },
    { hologram: 1 },
  );

  test("Bedrock gets no form that it refuses", () => {
    expect(between({ ...own, extra: 1 }, "python", "bedrock", { documentSuffix: false }).output).toEqual({
      toolResult: bare(
        { json: { $value: [1] } },
        { json: { type: "audio", data: "AQ==", mimeType: "audio/mpeg" } },
        {
          document: {
            format: "pdf",
            name: "Q1 v2",
            source: { bytes: pdf },
            citations: { enabled: true },
            context: "c",
          },
        },
        { searchResult: { source: "s" } },
        { json: { hologram: 1 } },
      ),
    });
  });

  test("TypeScript gets every form as it was read", () => {
    expect(between({ ...own, extra: 1 }, "python", "typescript")).toEqual({
      output: canonical({ ...own, extra: 1 }, "typescript"),
      codes: [],
    });
  });

  test("a name that Bedrock takes is kept", () => {
    const document = bare({ document: { format: "pdf", name: "Q1 report", source: { bytes: pdf } } });
    expect(between(document, "python", "bedrock")).toEqual({ output: { toolResult: document }, codes: [] });
  });
});

describe("a result without an id", () => {
  const content = [{ text: "a" }];
  const documents: readonly (readonly [DialectId, JsonObject])[] = [
    ["python", { status: "success", content }],
    ["typescript", { toolResult: { status: "success", content } }],
    ["bedrock", { toolResult: { status: "success", content } }],
  ];

  test.each(documents)("is read as such and comes back to %s from watsonx (R8, R11)", (dialect, document) => {
    expect(read(document).extensions).toEqual({ strands: { callId: "absent" } });
    const from = `strands:${dialect}`;
    const there = converter.convert(document, { from, to: "watsonx" });
    expect(there.losses).toMatchObject([{ code: "extension-dropped", carried: true }]);
    const back = converter.convert(there.output as JsonValue, { from: "watsonx", to: from });
    expect(back).toMatchObject({ output: document, losses: [] });
  });

  test.each(documents)("stays without one within %s, unless the caller gives one", (dialect, document) => {
    expect(between(document, dialect, dialect)).toEqual({ output: document, codes: [] });
    const { output } = between(document, dialect, dialect, { toolCallId: "caller" });
    expect(stringify(output)).toContain('"toolUseId":"caller"');
  });

  test.each(documents)("of %s gets one in the other dialects (R53)", (from, document) => {
    for (const [to] of documents.filter(([other]) => other !== from)) {
      const { output, codes } = between(document, from, to);
      expect(stringify(output)).toMatch(/"toolUseId":"tooluse_[0-9a-f]{22}"/);
      expect(codes).toContain("call-id-generated");
    }
  });

  test("gets one where it was not read as such (R53)", () => {
    const origin = { format: "strands", dialect: "python" };
    const { output, losses } = converter.render(
      { content: [] },
      { to: "strands:python", origin, carry: "off" },
    );
    expect(output).toHaveProperty("toolUseId");
    expect(losses.map(({ code }) => code)).toEqual(["call-id-generated"]);
  });
});

describe("carry", () => {
  test("stands in Python's metadata and in nothing that is read", () => {
    const content = [{ type: "json", value: 1 }] as const;
    const result = { toolCallId: "c", status: "success", content, meta: { k: 1 } } as const;
    const { output } = converter.render(result, { to: "strands:python" });
    expect(output).toHaveProperty(["metadata", "dev.tool-result-gateway/carry"]);
    expect(canonical(output)).toHaveProperty("metadata", { k: 1 });
    const [back] = converter.parse(output, { from: "strands" });
    expect(back?.result).toEqual(result);
    expect(back?.losses).toEqual([]);
  });

  test("leaves no metadata behind where there was none", () => {
    const { output } = converter.render(
      { toolCallId: "c", content: [{ type: "json", value: 1 }] },
      { to: "strands" },
    );
    expect(canonical(output)).not.toHaveProperty("metadata");
  });
});

test("structured content that the written error message happens to say is not lost in silence (R12)", () => {
  const result = {
    structuredContent: null,
    status: "error",
    error: { message: "null" },
    content: [],
  } as const;
  const { losses } = converter.render(result, { to: "strands:typescript", toolCallId: "t" });
  expect(losses.map(({ code }) => code)).toContain("mirror-folded");
});
