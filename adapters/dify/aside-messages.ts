import type { ToolResult } from "../../src/ir.ts";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import type { Aside, LogAside } from "./asides.ts";
import { withFacts } from "./lower.ts";
import { isObject, type Message } from "./shapes.ts";
import type { Rights } from "./stored.ts";
import { structuredMessages, variableMessage, variableNames } from "./structured.ts";

/**
 * The content with the messages beside it in the places where they were read (R8). What the result has and no aside
 * names comes last, so that an edit is never lost.
 */
export function withAsides(
  content: readonly JsonObject[],
  asides: readonly Aside[],
  result: ToolResult,
  logs: readonly Message[],
  rights: Rights,
): readonly JsonObject[] {
  const writer = new AsideWriter(result, logs, rights);
  const before: JsonObject[][] = content.map(() => []);
  const after: JsonObject[] = [];
  for (const aside of asides) {
    const message = writer.next(aside);
    if (message !== undefined) (before[aside.at] ?? after).push(message);
  }
  return [
    ...content.flatMap((message, index) => [...(before[index] ?? []), message]),
    ...after,
    ...writer.rest(),
  ];
}

/** Takes logs and keys of the structured content one by one, and knows which are left. */
class AsideWriter {
  readonly #value: JsonValue | undefined;
  readonly #logs: Message[];
  readonly #rights: Rights;
  readonly #names: ReadonlyMap<string, string>;
  readonly #left: Set<string>;
  #isWholeSaid = false;

  constructor({ structuredContent: value }: ToolResult, logs: readonly Message[], rights: Rights) {
    this.#value = value;
    this.#rights = rights;
    this.#logs = [...logs].reverse();
    this.#names = isObject(value) ? variableNames(value) : new Map();
    this.#left = new Set(this.#names.keys());
  }

  next(aside: Aside): Message | undefined {
    // A log entry holds its facts itself, so that they stay with it wherever it is written.
    if ("log" in aside) return this.#logs.pop();
    const message = this.#messageOf(aside);
    return message === undefined ? undefined : withFacts(message, aside, this.#rights);
  }

  #messageOf(aside: Exclude<Aside, LogAside>): Message | undefined {
    if ("json" in aside) return suppressed(aside.json);
    if ("variable" in aside) return this.#variable(aside);
    if (this.#value === undefined) return undefined;
    this.#isWholeSaid = true;
    return suppressed(this.#value);
  }

  rest(): readonly Message[] {
    const logs = [...this.#logs].reverse();
    if (this.#value === undefined || this.#isWholeSaid) return logs;
    if (!isObject(this.#value)) return [...structuredMessages(this.#value, []).whole, ...logs];
    return [...[...this.#left].map((variable) => this.#named({ variable })), ...logs];
  }

  #variable(aside: Extract<Aside, { readonly variable: string }>): Message | undefined {
    return this.#left.delete(aside.variable) ? this.#named(aside) : undefined;
  }

  #named({
    variable,
    name,
    stream,
  }: {
    readonly variable: string;
    readonly name?: string;
    readonly stream?: true;
  }): Message {
    const value = isObject(this.#value) ? (this.#value[variable] as JsonValue) : null;
    const message = variableMessage(name ?? this.#names.get(variable) ?? variable, value);
    // Only texts can be streamed, and the value may have been edited since.
    const isStream = stream === true && typeof value === "string";
    return isStream ? { ...message, message: { ...message.message, stream: true } } : message;
  }
}

function suppressed(value: JsonValue): Message {
  return { type: "json", message: { json_object: value, suppress_output: true } };
}
