import type { Candidate } from "../../src/adapter.ts";
import { isJsonObject } from "../../src/json/json-kind.ts";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import { rootPointer } from "../../src/pointer.ts";
import { type Found, resultsIn } from "./envelope.ts";
import { bytesMark, type DialectId, mediaTypes } from "./wire.ts";

/** Recognises a document by the first result in it. */
export function detect(document: JsonValue): readonly Candidate[] {
  const [found] = resultsIn(document, rootPointer);
  return found === undefined ? [] : candidates(found);
}

function candidates({ value, envelope }: Found): readonly Candidate[] {
  const { content } = value;
  if (!Array.isArray(content)) return [];
  switch (envelope) {
    case "class":
      return [{ dialect: "typescript", confidence: "certain", evidence: "the type `toolResultBlock`" }];
    case "wrapped":
    case "message":
    case "event":
      return [{ ...dialectOf(content), confidence: "certain", evidence: "the key `toolResult`" }];
    case "bare":
      return bareCandidates(value, content);
  }
}

function bareCandidates(value: JsonObject, content: readonly JsonValue[]): readonly Candidate[] {
  if (Object.hasOwn(value, "toolUseId")) {
    return [{ dialect: "python", confidence: "certain", evidence: "the keys `toolUseId` and `content`" }];
  }
  if (!content.every(isBlock)) return [];
  const evidence = "a list `content` whose items are Strands blocks";
  return [
    {
      dialect: "python",
      confidence: content.length > 0 && hasStatus(value) ? "certain" : "possible",
      evidence,
    },
  ];
}

function hasStatus({ status }: JsonObject): boolean {
  return status === "success" || status === "error";
}

/** A block in data form: one key that says what it is, and no `type` as MCP's blocks have. */
function isBlock(item: JsonValue): boolean {
  if (!isJsonObject(item) || Object.hasOwn(item, "type")) return false;
  return ["text", "json", ...mediaTypes].some((key) => Object.hasOwn(item, key));
}

/** The spelling of bytes and locations tells the dialects apart; many results have neither. */
function dialectOf(content: readonly JsonValue[]): { readonly dialect?: DialectId } {
  for (const item of content) {
    const media = mediaTypes.map((type) => (isJsonObject(item) ? item[type] : undefined)).find(isJsonObject);
    const source = media?.source;
    if (!isJsonObject(source)) continue;
    if (source.s3Location !== undefined) return { dialect: "bedrock" };
    if (isJsonObject(source.bytes) && source.bytes[bytesMark] === true) return { dialect: "python" };
  }
  return {};
}
