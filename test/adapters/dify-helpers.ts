import { expect } from "vitest";
import { adapters } from "../../adapters/index.ts";
import { carryKey } from "../../src/adapter.ts";
import { createConverter, type Input } from "../../src/converter.ts";
import { type ConversionError, isConversionError } from "../../src/errors.ts";
import type { Part, ToolResult } from "../../src/ir.ts";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import { readJson } from "../../src/json/read-json.ts";
import type { ConversionOptions } from "../../src/options.ts";

export const converter = createConverter(adapters);

export type DialectId = "list" | "ndjson" | "sse";

export const png = "iVBORw0KGgo=";

export function text(value: string): JsonObject {
  return { type: "text", message: { text: value } };
}

export function json(value: JsonValue, rest: JsonObject = {}): JsonObject {
  return { type: "json", message: { json_object: value, ...rest } };
}

export function variable(name: string, value: JsonValue, rest: JsonObject = {}): JsonObject {
  return { type: "variable", message: { variable_name: name, variable_value: value, ...rest } };
}

export function link(type: string, url: string, meta?: JsonObject): JsonObject {
  return { type, message: { text: url }, ...(meta === undefined ? {} : { meta }) };
}

export function chunk(id: string, sequence: number, blob: string, rest: JsonObject = {}): JsonObject {
  return { type: "blob_chunk", message: { id, sequence, total_length: 6, blob, end: false, ...rest } };
}

/** The daemon's frame around a message. */
export function frame(data: JsonValue): string {
  return `data: ${JSON.stringify({ code: 0, message: "success", data })}\n\n`;
}

/** The daemon's frame for an exception in a plugin: JSON in JSON in JSON. */
export function errorFrame(error: JsonObject): JsonObject {
  const message = { message: JSON.stringify(error), error_type: "PluginInvokeError", args: null };
  return { code: -500, message: JSON.stringify(message), data: null };
}

export function session(type: string, data: JsonValue): JsonObject {
  return { event: "session", session_id: "s1", data: { type, data } };
}

export function lines(...items: readonly JsonValue[]): string {
  return items.map((item) => `${JSON.stringify(item)}\n\n`).join("");
}

type Mode = Pick<ConversionOptions, "mode">;

export function readAll(input: Input, options: Mode = {}, from = "dify") {
  return converter.parse(input, { from, ...options });
}

export function reading(input: Input, options: Mode = {}, from = "dify") {
  const readings = readAll(input, options, from);
  expect(readings).toHaveLength(1);
  return readings[0] as (typeof readings)[number];
}

export function read(input: Input, options: Mode = {}, from = "dify"): ToolResult {
  return reading(input, options, from).result;
}

export function codesOf(losses: readonly { readonly code: string }[]): readonly string[] {
  return losses.map(({ code }) => code);
}

export function partsOf(...messages: readonly JsonValue[]): readonly Part[] {
  return read(messages).content;
}

export function canonical(input: Input, dialect: DialectId = "list"): JsonValue {
  return readJson(converter.canonical(input, { from: `dify:${dialect}` })).value;
}

/** The messages that a result of no format is written as, without a carry, and the losses. */
export function write(result: ToolResult, dialect: DialectId = "list", options: ConversionOptions = {}) {
  const { output, losses } = converter.render(result, { to: `dify:${dialect}`, carry: "off", ...options });
  return { output, codes: codesOf(losses) };
}

export function between(input: Input, from: string, to: string, options: ConversionOptions = {}) {
  return converter.convert(input, { from, to, ...options });
}

/** To another format and back, by the carry in the payload. */
export function thereAndBack(
  input: Input,
  from: string,
  by: string,
  options: ConversionOptions = {},
): JsonValue {
  return between(between(input, from, by, options).output, by, from, options).output;
}

export function withoutCarry(output: JsonValue): readonly JsonValue[] {
  const messages = output as readonly JsonObject[];
  return messages.filter(({ meta }) => !Object.hasOwn((meta ?? {}) as JsonObject, carryKey));
}

export function failure(run: () => unknown): ConversionError {
  try {
    run();
  } catch (error) {
    if (isConversionError(error)) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

/** The JSON of each event of an event stream. */
export function framesOf(output: JsonValue): readonly JsonObject[] {
  return String(output)
    .split("\n\n")
    .filter((event) => event !== "")
    .map((event) => JSON.parse(event.slice("data: ".length)) as JsonObject);
}
