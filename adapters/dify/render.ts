import { markKey, type RenderContext } from "../../src/adapter.ts";
import type { ToolResult } from "../../src/ir.ts";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import { type Pointer, pointer, rootPointer } from "../../src/pointer.ts";
import { withAsides } from "./aside-messages.ts";
import { readAsides } from "./asides.ts";
import { type Failure, joinedTexts } from "./failure.ts";
import { logMessage, messageOf } from "./lower.ts";
import { isObject, isTexts, type Message, orAbsent, stringAt } from "./shapes.ts";
import { rightsOf } from "./stored.ts";
import { freeName, structuredMessages, variableMessage, variableNames } from "./structured.ts";
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
  const messages = messagesOf(result, content, context);
  return withError([...messages, ...userVariable(result, messages, context)], result, context);
}

/** In the places where they were read, or in the kernel's order. */
function messagesOf(
  result: ToolResult,
  content: readonly JsonObject[],
  context: RenderContext,
): readonly JsonObject[] {
  const rights = rightsOf(context);
  const asides = rights.own ? readAsides(result.extensions?.dify?.asides, content.length) : undefined;
  const logs = (result.logs ?? []).map((log, position) => logMessage(log, position, rights));
  if (asides !== undefined) return withAsides(content, asides, result, logs, rights);
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

/**
 * R40: a copy of the texts for the user, which workflows can show; the reader takes it away by the mark. Its name is
 * none of the other variables', since to Dify the last value of a name is the only one.
 */
function userVariable(
  { extensions }: ToolResult,
  messages: readonly JsonObject[],
  { options }: RenderContext,
): readonly Message[] {
  const wanted = extensions?.dify?.userVariable;
  // Where the option is off, the extension is not the kernel's.
  if (options.userVariable === undefined || !isObject(wanted) || !isTexts(wanted.texts)) return [];
  const name = freeName(options.userVariable, namesOfVariables(messages));
  return [{ ...variableMessage(name, wanted.texts), meta: { [markKey]: { user: true } } }];
}

function namesOfVariables(messages: readonly JsonObject[]): ReadonlySet<string> {
  const names = messages.map(({ type, message }) =>
    type === "variable" && isObject(message) ? stringAt(message, "variable_name") : undefined,
  );
  return new Set(names.filter((name) => name !== undefined));
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
