import { type CanonicalContext, carryKey, defineAdapter, type Traits } from "../../src/adapter.ts";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import { difyCall } from "./call.ts";
import { detect } from "./detect.ts";
import { parse } from "./parse.ts";
import { render } from "./render.ts";
import { isErrorFrame, isObject } from "./shapes.ts";
import { anyStream, frameStream, sessionStream } from "./streaming.ts";
import { decodeAny, decodeFrames, decodeSession, ndjsonOf, sseOf } from "./text.ts";
import { messagesOf, readStreams, withStatus } from "./wire.ts";

const traits: Traits = {
  audience: "withhold",
  structured: "content",
  errorField: true,
  widget: false,
  showsModelText: true,
};

const input = { output: false, traits } as const;

/** Tool results of Dify: the messages of a tool plugin, on every way that they take. */
export const difyAdapter = defineAdapter({
  id: "dify",
  title: "Dify",
  spec: {
    url: "https://docs.dify.ai/en/develop-plugin/features-and-specs/plugin-types/tool",
    version: "dify-plugin 0.10",
  },
  dialects: [
    {
      id: "list",
      title: "JSON array of messages",
      output: true,
      mediaType: "application/json",
      traits,
      embedCarry,
      decode: decodeAny,
      stream: anyStream,
    },
    {
      id: "ndjson",
      title: "One message per line",
      output: true,
      mediaType: "application/x-ndjson",
      traits,
      embedCarry,
      decode: decodeFrames,
      stream: frameStream,
      encode: ndjsonOf,
    },
    {
      id: "sse",
      title: "Event stream of the plugin daemon",
      output: true,
      mediaType: "text/event-stream",
      traits,
      embedCarry,
      decode: decodeFrames,
      stream: frameStream,
      encode: sseOf,
    },
    {
      id: "session",
      title: "Lines of a plugin process",
      mediaType: "application/x-ndjson",
      decode: decodeSession,
      stream: sessionStream,
      ...input,
    },
    {
      id: "workflow",
      title: "Workflow run, body or events",
      mediaType: "application/json",
      decode: decodeAny,
      ...input,
    },
    {
      id: "agent",
      title: "Thoughts of an agent app",
      mediaType: "application/json",
      decode: decodeAny,
      ...input,
    },
  ],
  detect,
  parse,
  render,
  call: difyCall,
  canonical,
});

/** The list of messages that says the same, each in the one spelling; several results as a list of lists. */
function canonical(document: JsonValue, context: CanonicalContext): JsonValue {
  const lists = readStreams(document, context).map(
    (stream): JsonValue => [...withStatus(messagesOf(stream), stream.status, stream.failure, context.target)],
  );
  return lists.length === 1 ? (lists[0] as JsonValue) : lists;
}

/** The carry on a last message that exists only for it, before an error frame (R30). */
function embedCarry(document: JsonValue, carry: JsonValue): JsonValue {
  const messages: readonly JsonValue[] = Array.isArray(document) ? document : [];
  const last = messages.at(-1);
  const holder: JsonObject = { type: "text", message: { text: "" }, meta: { [carryKey]: carry } };
  return isObject(last) && isErrorFrame(last)
    ? [...messages.slice(0, -1), holder, last]
    : [...messages, holder];
}
