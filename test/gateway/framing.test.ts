import { expect, test } from "vitest";
import { framingOf } from "../../src/gateway/faces/framing.ts";
import { formats } from "../../src/index.ts";

const json = "application/json";
const lines = "application/x-ndjson";
const events = "text/event-stream";

function framed(accept: string | null, to: string): readonly [string, string, string, string] {
  const { to: target, mediaType, before, after } = framingOf(accept, to, formats());
  return [target, mediaType, before, after];
}

test.each([
  [null, "dify", "dify:list", json],
  ["", "dify:sse", "dify:sse", events],
  ["*/*", "dify:ndjson", "dify:ndjson", lines],
  [json, "dify:sse", "dify:list", json],
  [lines, "dify", "dify:ndjson", lines],
  [events, "dify", "dify:sse", events],
  ["text/*", "dify", "dify:sse", events],
  ["text/html, application/x-ndjson;q=0.5", "dify", "dify:ndjson", lines],
  ["application/json;q=0.2, text/event-stream;q=0.9", "dify", "dify:sse", events],
  ["application/json;q=0, */*", "dify", "dify:ndjson", lines],
  ["TEXT/EVENT-STREAM", "dify", "dify:sse", events],
])("Accept %j chooses a dialect of %s by its framing: %s", (accept, to, target, mediaType) => {
  expect(framed(accept, to)).toEqual([target, mediaType, "", ""]);
});

test.each([
  [null, "strands", ["strands:python", json, "", ""]],
  [json, "strands:bedrock", ["strands:bedrock", json, "", ""]],
  [lines, "strands", ["strands:python", lines, "", "\n"]],
  [events, "watsonx:openapi", ["watsonx:openapi", events, "data: ", "\n\n"]],
] as const)("Accept %j puts the one document of %s into its frame", (accept, to, expected) => {
  expect(framed(accept, to)).toEqual(expected);
});

test.each(["image/png", "application/json;q=0", "text/html, application/xhtml+xml"])(
  "Accept %j, which no answer can meet, is refused",
  (accept) => {
    expect(() => framingOf(accept, "strands", formats())).toThrow(
      expect.objectContaining({ code: "not-acceptable" }),
    );
  },
);
