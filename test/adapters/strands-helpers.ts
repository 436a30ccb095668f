import { expect } from "vitest";
import { irAdapter } from "../../adapters/ir/index.ts";
import { strandsAdapter } from "../../adapters/strands/index.ts";
import { watsonxAdapter } from "../../adapters/watsonx/index.ts";
import { createConverter, type Input } from "../../src/converter.ts";
import { type ErrorCode, isConversionError } from "../../src/errors.ts";
import type { Part, ToolResult } from "../../src/ir.ts";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import type { ConversionOptions } from "../../src/options.ts";

export const converter = createConverter([irAdapter, strandsAdapter, watsonxAdapter]);

export type DialectId = "python" | "typescript" | "bedrock";

export const png = "iVBORw0KGgo=";
export const pdf = "JVBERi0xLjQ=";

/** A bare result with these blocks. */
export function bare(...content: readonly JsonValue[]): JsonObject {
  return { toolUseId: "call-1", status: "success", content };
}

export function read(input: Input, options: Pick<ConversionOptions, "mode"> = {}): ToolResult {
  const readings = converter.parse(input, { from: "strands", ...options });
  expect(readings).toHaveLength(1);
  return (readings[0] as (typeof readings)[number]).result;
}

export function partOf(block: JsonValue): Part | undefined {
  return read(bare(block)).content[0];
}

/** The canonical form as a value. */
export function canonical(input: Input, dialect: DialectId = "python"): unknown {
  return JSON.parse(converter.canonical(input, { from: `strands:${dialect}` }));
}

/** A result of the IR as another format would hand it over, without a carry. */
export function write(result: ToolResult, dialect: DialectId, options: ConversionOptions = {}) {
  const { output, losses } = converter.render(result, {
    to: `strands:${dialect}`,
    origin: { format: "ir" },
    carry: "off",
    ...options,
  });
  return { output, codes: losses.map(({ code }) => code) };
}

export function written(part: Part, dialect: DialectId, options: ConversionOptions = {}) {
  const { output, codes } = write({ toolCallId: "call-1", content: [part] }, dialect, options);
  const result = dialect === "python" ? output : (output as JsonObject).toolResult;
  const [block] = (result as { readonly content: readonly JsonValue[] }).content;
  return { block, codes };
}

/** The document in another dialect. */
export function between(input: Input, from: DialectId, to: DialectId, options: ConversionOptions = {}) {
  const { output, losses } = converter.convert(input, {
    from: `strands:${from}`,
    to: `strands:${to}`,
    carry: "off",
    ...options,
  });
  return { output, codes: losses.map(({ code }) => code) };
}

export function failure(call: () => unknown): { readonly code: ErrorCode; readonly pointer: string } {
  try {
    call();
  } catch (error) {
    if (isConversionError(error)) return { code: error.code, pointer: error.pointer };
    throw error;
  }
  throw new Error("nothing was thrown");
}
