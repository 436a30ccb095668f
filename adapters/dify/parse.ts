import type { ParseContext, Reading } from "../../src/adapter.ts";
import type { Log, Part, ResultError, ToolResult } from "../../src/ir.ts";
import { equalJson } from "../../src/json/equal-json.ts";
import type { JsonValue } from "../../src/json/json-value.ts";
import type { Pointer } from "../../src/pointer.ts";
import { type Aside, asidesExtension } from "./asides.ts";
import type { Failure } from "./failure.ts";
import { factsOf, logOf, partOf } from "./parts.ts";
import { isObject, type Message } from "./shapes.ts";
import type { Entry, Stream } from "./stream.ts";
import { isMirror, variableNames } from "./structured.ts";
import { readStreams } from "./wire.ts";

/** Every spelling of Dify's documents to results; see the README for what becomes what. */
export function parse(document: JsonValue, context: ParseContext): readonly Reading[] {
  return readStreams(document, context).map((stream) => readingOf(stream, context));
}

/** What a call gave back, in the IR. */
export function readingOf(stream: Stream, context: ParseContext): Reading {
  const lifted = lift(stream.entries, context);
  const structured = stream.outputs === undefined ? structuredOf(lifted) : undefined;
  const value = stream.outputs === undefined ? structured?.value : stream.outputs.value;
  const { failure, status, toolCallId } = stream;
  const result: ToolResult = {
    ...(toolCallId === undefined ? {} : { toolCallId }),
    ...(status === undefined ? {} : { status }),
    ...(failure?.message === undefined ? {} : { error: errorOf(failure, failure.message) }),
    content: lifted.content,
    ...(value === undefined ? {} : { structuredContent: value }),
    ...(lifted.logs.length === 0 ? {} : { logs: lifted.logs }),
  };
  const asides =
    stream.outputs === undefined ? asidesExtension(asidesOf(lifted, structured), result) : undefined;
  const whole = withFacts(result, { asides, errorArgs: failure?.args, about: stream.about });
  locate(whole, stream, lifted, context);
  return stream.carry === undefined ? { result: whole } : { result: whole, carry: stream.carry.value };
}

function locate(result: ToolResult, stream: Stream, { asides }: Lifted, context: ParseContext): void {
  context.at(result, stream.pointer);
  const structured = stream.outputs ?? asides.find(({ message }) => message.type !== "log");
  if (structured !== undefined) context.at(result, structured.pointer, "structuredContent");
  const log = asides.find(({ message }) => message.type === "log");
  if (log !== undefined) context.at(result, log.pointer, "logs");
  if (stream.failure !== undefined) {
    context.at(result, stream.failure.pointer, "error");
    context.at(result, stream.failure.pointer, "status");
  }
}

function errorOf({ type, code }: Failure, message: string): ResultError {
  return { message, ...(type === undefined ? {} : { type }), ...(code === undefined ? {} : { code }) };
}

/** What the kernel's form would not say (R8), and what is about the call rather than its result (R6). */
function withFacts(
  result: ToolResult,
  facts: { readonly [name: string]: JsonValue | undefined },
): ToolResult {
  const own = Object.entries(facts).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return own.length === 0 ? result : { ...result, extensions: { dify: Object.fromEntries(own) } };
}

/** A message beside the content, with the number of parts before it. */
interface Held {
  readonly at: number;
  readonly message: Message;
  readonly pointer: Pointer;
}

interface Lifted {
  readonly content: readonly Part[];
  readonly logs: readonly Log[];
  /** Variables, logs and suppressed json, in order. */
  readonly asides: readonly Held[];
}

function lift(entries: readonly Entry[], context: ParseContext): Lifted {
  const content: Part[] = [];
  const logs: Log[] = [];
  const asides: Held[] = [];
  for (const { known, message, pointer } of entries) {
    if (!known) content.push(context.at({ type: "opaque", adapter: "dify", value: message }, pointer));
    else if (message.type === "variable" || message.type === "log" || isSuppressed(message)) {
      asides.push({ at: content.length, message, pointer });
      if (message.type === "log") logs.push(logOf(message));
    } else content.push(context.at(partOf(message), pointer));
  }
  return { content, logs, asides };
}

/** A json message that no content shows. */
export function isSuppressed({ type, message }: Message): boolean {
  return type === "json" && message.suppress_output === true;
}

interface Structured {
  readonly value: JsonValue;
  /** Whether its keys are the original names of the variables (R50a), and not the variables' own. */
  readonly isMirror: boolean;
}

/** Variables as one object, with the original names where a json message has them; else the only suppressed json. */
function structuredOf(lifted: Lifted): Structured | undefined {
  const messages = lifted.asides.map(({ message }) => message);
  const variables = messages.filter(({ type }) => type === "variable");
  const suppressed = messages.filter(isSuppressed).map(({ message }) => message.json_object as JsonValue);
  const [first, ...others] = suppressed;
  if (variables.length === 0) {
    return first === undefined || others.length > 0 ? undefined : { value: first, isMirror: true };
  }
  const object = Object.fromEntries(
    variables.map(({ message }) => [message.variable_name as string, message.variable_value as JsonValue]),
  );
  const shown = lifted.content.flatMap((part) => (part.type === "json" ? [part.value] : []));
  const mirror = [...suppressed, ...shown].find((value) => isMirror(value, object));
  return mirror === undefined ? { value: object, isMirror: false } : { value: mirror, isMirror: true };
}

function asidesOf({ asides }: Lifted, structured: Structured | undefined): readonly Aside[] {
  const value = structured?.value;
  const names = isObject(value) ? variableNames(value) : new Map<string, string>();
  const keys = new Map(structured?.isMirror === true ? [...names].map(([key, name]) => [name, key]) : []);
  return asides.map(({ at, message }): Aside => {
    if (message.type === "log") return { at, log: true };
    const facts = { at, ...factsOf(message) };
    if (message.type === "variable") {
      const wire = message.message.variable_name as string;
      const variable = keys.get(wire) ?? wire;
      const name = names.get(variable) === wire ? {} : { name: wire };
      return { ...facts, variable, ...name, ...(message.message.stream === true ? { stream: true } : {}) };
    }
    const json = message.message.json_object as JsonValue;
    return value !== undefined && equalJson(json, value)
      ? { ...facts, structured: true }
      : { ...facts, json };
  });
}
