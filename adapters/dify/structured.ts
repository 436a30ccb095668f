import type { ToolResult } from "../../src/ir.ts";
import { equalJson } from "../../src/json/equal-json.ts";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import { compact } from "../../src/json/stringify.ts";
import { isObject, type Message, orAbsent } from "./shapes.ts";

/** Dify's own variables, and those that say an error in-band (R50a). */
const reserved: ReadonlySet<string> = new Set(["text", "json", "files", "is_error", "error_message"]);

/**
 * The names of the variables that a structured object is written as, by key, in UTF-16 order of the keys: a reserved
 * one gets `_` appended until it is free (R50a).
 */
export function variableNames(value: JsonObject): ReadonlyMap<string, string> {
  const keys = Object.keys(value).sort();
  const taken = new Set(keys);
  return new Map(
    keys.map((key) => {
      if (!reserved.has(key)) return [key, key];
      const name = freeName(key, taken);
      taken.add(name);
      return [key, name];
    }),
  );
}

/** The name with `_` appended until it is neither reserved nor taken (R50a). */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  let free = name;
  while (reserved.has(free) || taken.has(free)) free += "_";
  return free;
}

/** Whether the variables are those that `value` is written as: then `value` has the original names. */
export function isMirror(value: JsonValue, variables: JsonObject): value is JsonObject {
  if (!isObject(value)) return false;
  const names = variableNames(value);
  if (names.size !== Object.keys(variables).length) return false;
  for (const [key, name] of names) {
    if (!Object.hasOwn(variables, name)) return false;
    if (!equalJson(value[key] as JsonValue, variables[name] as JsonValue)) return false;
  }
  return true;
}

/** Structured content in the kernel's form: the messages beside the content (section 3 of the contract). */
export interface StructuredMessages {
  /** The whole value, unless the content says it. */
  readonly whole: readonly Message[];
  readonly variables: readonly Message[];
}

export function structuredMessages(value: JsonValue, content: readonly Message[]): StructuredMessages {
  const whole = wholeMessage(value);
  const isSaid = content.some(({ type, message }) => type === whole.type && saysWhole(type, message, value));
  const variables = isObject(value) && orAbsent(value) !== undefined ? variableMessages(value) : [];
  return { whole: isSaid ? [] : [whole], variables };
}

function saysWhole(type: string, message: JsonObject, value: JsonValue): boolean {
  if (type === "text") return message.text === compact(value);
  return message.suppress_output !== true && equalJson(message.json_object as JsonValue, value);
}

/** A json message where Dify takes the value for one, else a text with the literal. */
export function wholeMessage(value: JsonValue): Message {
  if (isObject(value) || Array.isArray(value)) return { type: "json", message: { json_object: value } };
  return { type: "text", message: { text: compact(value) } };
}

function variableMessages(value: JsonObject): readonly Message[] {
  return [...variableNames(value)].map(([key, name]) => variableMessage(name, value[key] as JsonValue));
}

export function variableMessage(name: string, value: JsonValue): Message {
  return { type: "variable", message: { variable_name: name, variable_value: value } };
}

/** Whether a json part of the content shows the structured content. */
export function isShown({ content, structuredContent }: ToolResult): boolean {
  if (structuredContent === undefined) return false;
  return content.some((part) => part.type === "json" && equalJson(part.value, structuredContent));
}
