import type { Candidate } from "../../src/adapter.ts";
import { isJsonObject } from "../../src/json/json-kind.ts";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import { isKnownBlock, isTypedBlock } from "./block.ts";
import { hasToolStep } from "./history.ts";

/** Recognises a result by what only watsonx writes, then by MCP's typed blocks, then by its envelope (R80). */
export function detect(document: JsonValue): readonly Candidate[] {
  if (hasToolStep(document)) return certain("a `tool_response` step");
  if (!isJsonObject(document) || isForeign(document)) return [];
  const { content, _meta, structuredContent, isError } = document;
  if (isJsonObject(_meta) && Object.keys(_meta).some((key) => key.startsWith("com.ibm.orchestrate/"))) {
    return certain("a `com.ibm.orchestrate/` key in `_meta`");
  }
  if (content !== undefined && document.context_updates !== undefined) {
    return certain("`context_updates` beside `content`");
  }
  if (Array.isArray(content) && content.some((block) => isTypedBlock(block) && block.annotations === null)) {
    return certain("`annotations: null` on a typed block");
  }
  if (isJsonObject(content) && Array.isArray(content.content)) return certain("a result inside `content`");
  if (Array.isArray(content) && content.some((block) => isTypedBlock(block) && isKnownBlock(block))) {
    return possible("typed content blocks");
  }
  if (content !== undefined) return possible("a `content` member");
  if (isJsonObject(_meta) || isJsonObject(structuredContent) || typeof isError === "boolean") {
    return possible("`_meta`, `structuredContent` or `isError` without `content`");
  }
  return [];
}

/** Keys that other formats demand and watsonx does not have. */
function isForeign(document: JsonObject): boolean {
  return ["toolUseId", "toolResultIr", "jsonrpc", "resultType"].some((key) => document[key] !== undefined);
}

function certain(evidence: string): readonly Candidate[] {
  return [{ confidence: "certain", evidence }];
}

function possible(evidence: string): readonly Candidate[] {
  return [{ confidence: "possible", evidence }];
}
