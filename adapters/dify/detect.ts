import type { Candidate } from "../../src/adapter.ts";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import { isAgentItem } from "./agent.ts";
import { isManifest } from "./frames.ts";
import { isObject, messageTypes } from "./shapes.ts";
import { isWorkflowItem } from "./workflow.ts";

/** Items looked at: a stream may begin with lines that belong to no format alone. */
const lookedAt = 16;

/** Recognises Dify's documents by the keys of their first items (R80). */
export function detect(document: JsonValue): readonly Candidate[] {
  const list: readonly JsonValue[] = Array.isArray(document) ? document.slice(0, lookedAt) : [document];
  if (Array.isArray(document) && document.length === 0) {
    return [{ dialect: "list", confidence: "possible", evidence: "an empty list may be one of messages" }];
  }
  const items = list.filter((item) => isObject(item));
  if (items.length < list.length) return [];
  for (const item of items) {
    const candidate = candidateOf(item);
    if (candidate !== undefined) return [candidate];
  }
  return [];
}

function candidateOf(item: JsonObject): Candidate | undefined {
  if (item.event === "session" && isObject(item.data))
    return certain("session", "a session line of a plugin process");
  if (isManifest(item)) return certain("session", "the manifest of a plugin process");
  if (isEnvelope(item)) return certain("sse", "the envelope of the plugin daemon: code, message, data");
  if (isAgentItem(item)) return certain("agent", "the thoughts of an agent app");
  if (isWorkflowItem(item)) {
    const isOwn =
      item.event !== undefined ||
      Object.hasOwn(item, "workflow_run_id") ||
      Object.hasOwn(item, "workflow_id");
    const evidence = "a workflow run: status and outputs";
    return {
      dialect: "workflow",
      confidence: isOwn || isObject(item.data) ? "certain" : "possible",
      evidence,
    };
  }
  return isMessage(item) ? certain("list", "messages: a type of Dify's with a message") : undefined;
}

function certain(dialect: string, evidence: string): Candidate {
  return { dialect, confidence: "certain", evidence };
}

function isEnvelope({ code, message, data }: JsonObject): boolean {
  return (
    typeof code === "number" &&
    typeof message === "string" &&
    (isObject(data) ? isMessage(data) : data === null)
  );
}

function isMessage({ type, message }: JsonObject): boolean {
  return (
    typeof type === "string" &&
    messageTypes.has(type) &&
    (isObject(message) || typeof message === "string" || message === null)
  );
}
