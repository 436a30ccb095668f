import type { Conversion, Converter } from "./converter.ts";
import { ConversionError, type ErrorCode, errorTable, exitCodes, isConversionError } from "./errors.ts";
import type { Part, ToolResult } from "./ir.ts";
import { equalJson } from "./json/equal-json.ts";
import { isJsonObject } from "./json/json-kind.ts";
import type { JsonObject, JsonValue } from "./json/json-value.ts";
import type { Loss, LossCode } from "./losses.ts";
import { type Sample, samples } from "./matrix-samples.ts";
import { isJsonType } from "./output-text.ts";

/** What one thing becomes in a format, in that format's own words. */
export interface Form {
  /** Kinds of the content items, then the fields of the document, that are there because of it; may be empty. */
  readonly form: readonly string[];
  readonly losses: readonly LossCode[];
}

export interface MatrixRow {
  readonly part: string;
  /** How the source format says it; `undefined` where it has no way to. */
  readonly source: readonly string[] | undefined;
  /** By target, in the order asked for; an error where it cannot be converted at all. */
  readonly targets: readonly {
    readonly to: string;
    readonly becomes: Form | { readonly error: ErrorCode };
  }[];
}

export interface MatrixTable {
  readonly from: string;
  readonly rows: readonly MatrixRow[];
}

/**
 * What each thing that a result can say becomes from format to format, found by converting one sample of it and
 * looking at the output. The carry is off, so this is what a reader of the target sees.
 */
export function matrix(
  converter: Converter,
  from: readonly string[],
  to: readonly string[],
): readonly MatrixTable[] {
  return from.map((source) => ({
    from: source,
    rows: samples.map((sample) => row(converter, sample, source, to)),
  }));
}

function row(converter: Converter, sample: Sample, from: string, to: readonly string[]): MatrixRow {
  const wire = wireOf(converter, sample, from);
  if (wire === undefined) return { part: sample.name, source: undefined, targets: [] };
  // A source that has no call id would make the target derive one from the content, which is not what is asked.
  const { toolCallId } = sample.baseline;
  const shared = { from, carry: "off", ...(toolCallId !== undefined && { toolCallId }) } as const;
  return {
    part: sample.name,
    source: difference(wire.sample, wire.baseline),
    targets: to.map((target) => ({
      to: target,
      becomes: becomes(wire, sample, (input) =>
        documentOf(converter.convert(input, { ...shared, to: target })),
      ),
    })),
  };
}

function becomes(
  wire: Wire,
  { about }: Sample,
  convert: (input: JsonValue) => Written,
): MatrixRow["targets"][number]["becomes"] {
  try {
    const [output, usual] = [convert(wire.sample), convert(wire.baseline)];
    const usualCodes = new Set(usual.losses.map(({ code }) => code));
    const codes = output.losses
      .map(({ code }) => code)
      .filter((code) => code === about || !usualCodes.has(code));
    return { form: difference(output.document, usual.document), losses: [...new Set(codes)] };
  } catch (error) {
    if (!isConversionError(error) || errorTable[error.code].exit === exitCodes.usage) throw error;
    return { error: error.code };
  }
}

/** A sample and its baseline in the source format. */
interface Wire {
  readonly sample: JsonValue;
  readonly baseline: JsonValue;
}

/** The sample written in the source format; `undefined` where reading it back does not give the sample. */
function wireOf(converter: Converter, { result, baseline }: Sample, from: string): Wire | undefined {
  const sample = documentOf(converter.render(result, { to: from, carry: "off" })).document;
  const [read] = converter.parse(sample, { from });
  if (read === undefined || !says(read.result, result, baseline)) return undefined;
  return { sample, baseline: documentOf(converter.render(baseline, { to: from, carry: "off" })).document };
}

/** Whether `read` says what `sample` says beyond `usual`; it may say more. File names follow each format's own rules. */
function says(read: ToolResult, sample: ToolResult, usual: ToolResult): boolean {
  const saysPart = (part: Part, index: number) =>
    Object.entries(part).every(
      ([key, value]) => key === "fileName" || same(fieldOf(read.content[index] ?? {}, key), value),
    );
  const saysField = ([key, value]: readonly [string, unknown]) =>
    key === "content" || same(fieldOf(usual, key), value) || same(fieldOf(read, key), value);
  return sample.content.every(saysPart) && Object.entries(sample).every(saysField);
}

function fieldOf(whole: object, key: string): unknown {
  return Object.hasOwn(whole, key) ? (whole as Readonly<Record<string, unknown>>)[key] : undefined;
}

/** Equality of fields of the IR: JSON values, or absent. */
function same(one: unknown, other: unknown): boolean {
  if (one === undefined || other === undefined) return one === other;
  return equalJson(one as JsonValue, other as JsonValue);
}

interface Written {
  readonly document: JsonValue;
  readonly losses: readonly Loss[];
}

function documentOf({ output, mediaType, losses }: Conversion): Written {
  if (isJsonType(mediaType)) return { document: output, losses };
  throw new ConversionError(
    "invalid-option",
    `the matrix looks into JSON documents; name a dialect that is not ${mediaType}`,
  );
}

/** What `document` has beyond `usual`: kinds of its content items, then names of its other fields. */
function difference(document: JsonValue, usual: JsonValue): readonly string[] {
  const [one, other] = [dissect(document), dissect(usual)];
  const items = one.items.filter((item) => !other.items.some((usualItem) => equalJson(usualItem, item)));
  const fields = Object.entries(one.fields).filter(
    ([key, value]) => !same(fieldOf(other.fields, key), value),
  );
  return [...items.map(kindOf), ...fields.map(([key]) => key)];
}

/** A document as a list of items and named fields: a list has items only, an object has those of its `content`. */
function dissect(document: JsonValue): { readonly items: readonly JsonValue[]; readonly fields: JsonObject } {
  if (isList(document)) return { items: document, fields: {} };
  if (!isJsonObject(document)) return { items: [document], fields: {} };
  // A wrapper around the result says nothing by itself.
  const [only, ...others] = Object.values(document);
  if (others.length === 0 && isJsonObject(only)) return dissect(only);
  const { content, ...fields } = document;
  return content !== undefined && isList(content)
    ? { items: content, fields }
    : { items: [], fields: document };
}

/** An item names its kind by a `type`, or by its keys. */
function kindOf(item: JsonValue): string {
  if (!isJsonObject(item)) return isList(item) ? "list" : typeof item;
  return typeof item.type === "string" ? item.type : Object.keys(item).join("+");
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
