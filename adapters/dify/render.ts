import { markKey, type RenderContext } from "../../src/adapter.ts";
import type { ToolResult } from "../../src/ir.ts";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import { type Pointer, pointer, rootPointer } from "../../src/pointer.ts";
import { type Aside, readAsides } from "./asides.ts";
import { type Failure, joinedTexts } from "./failure.ts";
import { logMessage, messageOf, withFacts } from "./lower.ts";
import { isObject, type Message, orAbsent } from "./shapes.ts";
import { type Rights, rightsOf } from "./stored.ts";
import { structuredMessages, variableMessage, variableNames } from "./structured.ts";
import { withStatus } from "./wire.ts";

const structuredPlace: Pointer = pointer(rootPointer, "structuredContent");
const statusPlace: Pointer = pointer(rootPointer, "status");
const errorPlace: Pointer = pointer(rootPointer, "error");

/** A result to Dify's messages: content, structured content, variables, logs, error. */
export function render(result: ToolResult, context: RenderContext): JsonValue {
  const content = result.content.map((part, index) => {
    const message = messageOf(part, pointer(rootPointer, "content", index), context);
    return context.shows(message, index);
  });
  const messages = [...withAsides(result, content, context), ...userVariable(result)];
  return withError(messages, result, context);
}

function withAsides(
  result: ToolResult,
  content: readonly JsonObject[],
  context: RenderContext,
): readonly JsonObject[] {
  const rights = rightsOf(context);
  const asides = rights.own ? readAsides(result.extensions?.dify?.asides, content.length) : undefined;
  const logs = (result.logs ?? []).map((log, position) => logMessage(log, position, rights));
  if (asides !== undefined) return placed(content, ownAsides(asides, result, logs, rights));
  const { structuredContent } = result;
  if (structuredContent === undefined) return [...content, ...logs];
  // An opaque part may be any object; it says no structured content.
  const { whole, variables } = structuredMessages(structuredContent, content as readonly Message[]);
  if (!rights.own || whole.length > 0) reportStructured(structuredContent, whole.length > 0, context);
  return [...content, ...whole, ...variables, ...logs];
}

function reportStructured(value: JsonValue, isAdded: boolean, context: RenderContext): void {
  if (!isObject(value)) {
    context.lose("variables-as-json", structuredPlace, "variables need names: the value is one message");
    return;
  }
  if (orAbsent(value) === undefined) {
    context.lose("empty-json-dropped-by-dify", structuredPlace, "written as an empty json message");
    return;
  }
  if (isAdded) context.lose("mirror-added", structuredPlace, "variables, and the whole as one json message");
  for (const [key, name] of variableNames(value)) {
    if (name !== key) context.lose("variable-renamed", pointer(structuredPlace, key), `written as ${name}`);
  }
}

interface Placed {
  readonly at: number;
  readonly message: JsonObject;
}

/** The messages beside the content in the places where they were read (R8); what no aside names comes last. */
function ownAsides(
  asides: readonly Aside[],
  { structuredContent: value, content }: ToolResult,
  logs: readonly Message[],
  rights: Rights,
): readonly Placed[] {
  const names = isObject(value) ? variableNames(value) : new Map<string, string>();
  const left = new Set(names.keys());
  let isWhole = value === undefined;
  let nextLog = 0;
  const listed = asides.flatMap((aside): readonly Placed[] => {
    const message = messageOfAside(aside);
    return message === undefined ? [] : [{ at: aside.at, message: withFacts(message, aside, rights) }];
  });
  const rest = isWhole ? [] : restOf();
  const at = content.length;
  return [...listed, ...[...rest, ...logs.slice(nextLog)].map((message) => ({ at, message }))];

  function messageOfAside(aside: Aside): Message | undefined {
    if ("log" in aside) {
      nextLog += 1;
      return logs[nextLog - 1];
    }
    if ("variable" in aside) {
      if (!left.delete(aside.variable) || !isObject(value)) return undefined;
      const name = aside.name ?? names.get(aside.variable) ?? aside.variable;
      const member = value[aside.variable] as JsonValue;
      const message = variableMessage(name, member);
      // Only texts can be streamed, and the value may have been edited since.
      const isStream = aside.stream === true && typeof member === "string";
      return isStream ? { ...message, message: { ...message.message, stream: true } } : message;
    }
    if ("json" in aside) return suppressed(aside.json);
    if (value === undefined) return undefined;
    isWhole = true;
    return suppressed(value);
  }

  function restOf(): readonly Message[] {
    if (!isObject(value)) return structuredMessages(value as JsonValue, []).whole;
    return [...left].map((key) => variableMessage(names.get(key) ?? key, value[key] as JsonValue));
  }
}

function suppressed(value: JsonValue): Message {
  return { type: "json", message: { json_object: value, suppress_output: true } };
}

/** Stable: what stands at one place keeps its order. */
function placed(content: readonly JsonObject[], asides: readonly Placed[]): readonly JsonObject[] {
  const before: JsonObject[][] = Array.from({ length: content.length + 1 }, () => []);
  for (const { at, message } of asides) before[at]?.push(message);
  return before.flatMap((messages, index) => {
    const part = content[index];
    return part === undefined ? messages : [...messages, part];
  });
}

/** R40: a copy of the texts for the user, which workflows can show; the reader takes it away by the mark. */
function userVariable({ extensions }: ToolResult): readonly Message[] {
  const wanted = extensions?.dify?.userVariable;
  if (!isObject(wanted) || typeof wanted.name !== "string" || !Array.isArray(wanted.texts)) return [];
  return [{ ...variableMessage(wanted.name, wanted.texts), meta: { [markKey]: { user: true } } }];
}

function withError(messages: readonly JsonObject[], result: ToolResult, context: RenderContext): JsonValue {
  const { status, error, extensions } = result;
  const rights = rightsOf(context);
  const args = rights.own ? extensions?.dify?.errorArgs : undefined;
  const failure: Failure | undefined =
    error === undefined ? undefined : { ...error, ...(isObject(args) ? { args } : {}) };
  reportError(result, messages, context);
  return [...withStatus(messages, status, failure, context.dialect)];
}

function reportError(
  { status, error }: ToolResult,
  messages: readonly JsonObject[],
  context: RenderContext,
): void {
  const isFrame = context.dialect === "sse" && status === "error";
  if (isFrame && error === undefined && joinedTexts(messages) === "") {
    context.lose("status-in-band", statusPlace, "the frame demands a message; a fixed one is written");
  }
  if (isFrame || rightsOf(context).own) return;
  if (status === "error") context.lose("status-in-band", statusPlace, "written as variables with a mark");
  if (error?.type !== undefined || error?.code !== undefined) {
    context.lose("error-detail-dropped", errorPlace, "type and code are not written");
  }
}
