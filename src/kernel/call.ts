import type { Adapter } from "../adapter.ts";
import { argumentsCall, type CallFormat } from "../call.ts";
import { ConversionError } from "../errors.ts";
import { type FormatReference, resolveReference } from "../format-reference.ts";
import { type ToolCall, toolCallSchema } from "../ir.ts";
import { fromValue } from "../json/from-value.ts";
import type { JsonValue } from "../json/json-value.ts";
import { JsonReadError, readJson } from "../json/read-json.ts";
import { defaultLimits, type Limits } from "../options.ts";
import { rootPointer } from "../pointer.ts";
import { placeOfIssue } from "../schema-place.ts";
import { callAdapter, decodeText, fromReadError, type Input, isWithin } from "./read.ts";

/** A format by its reference, or `arguments`: a bare object of arguments, the way an OpenAPI tool is called. */
export type CallReference = FormatReference | "arguments";

export interface ReadCallOptions {
  readonly from: CallReference;
  /** The tool that the address of the call names, where it names one. */
  readonly name?: string;
  readonly limits?: Partial<Limits>;
}

/** Levels that the envelope of a call may add to those of its arguments: a tool use in a message in an event. */
const envelopeDepth = 6;

/**
 * Reads the call of a tool. Throws ConversionError: `invalid-payload` where it is none or is for another tool than its
 * address names, the errors of the limits and of JSON, and `invalid-option` for a format without calls. A key that
 * stands twice is `duplicate-key` wherever it stands, in the arguments too: a call has no losses to report by which of
 * the two counts (R26), and the tool might read the other one.
 */
export function readCall(
  input: Input,
  { from, name, limits }: ReadCallOptions,
  byId: ReadonlyMap<string, Adapter>,
): ToolCall {
  const { id, format } = callFormat(from, byId);
  const counted = { ...defaultLimits, ...limits };
  const document = readDocument(input, counted);
  const call = callAdapter(id, () =>
    format.read(document, {
      name,
      fail: (code, pointer, detail) => {
        throw new ConversionError(code, `${id}: ${detail}`, { pointer });
      },
    }),
  );
  if (isWithin(call.arguments, counted.maxDepth)) return call;
  throw new ConversionError(
    "depth-exceeded",
    `${id}: the arguments are deeper than ${counted.maxDepth} levels`,
  );
}

/** Writes the call of a tool. Throws `invalid-payload` where it is none, `invalid-option` for a format without calls. */
export function writeCall(call: ToolCall, to: CallReference, byId: ReadonlyMap<string, Adapter>): JsonValue {
  const { id, dialect, format } = callFormat(to, byId);
  const issue = toolCallSchema.safeParse(call).error?.issues[0];
  if (issue !== undefined) {
    throw new ConversionError("invalid-payload", `ir: ${issue.message}`, { pointer: placeOfIssue(issue) });
  }
  return callAdapter(id, () => format.write(call, dialect));
}

/** Text, bytes or a value as one JSON document without a key that stands twice. */
function readDocument(input: Input, limits: Limits): JsonValue {
  const text = input instanceof Uint8Array ? decodeText(input) : input;
  const reading = { ...limits, maxDepth: limits.maxDepth + envelopeDepth };
  try {
    if (typeof text !== "string") return fromValue(text, reading);
    const { value, duplicates } = readJson(text, reading);
    const [first] = duplicates;
    if (first === undefined) return value;
    throw new ConversionError("duplicate-key", "the key stands twice", { pointer: first.pointer });
  } catch (error) {
    throw error instanceof JsonReadError ? fromReadError(error, rootPointer) : error;
  }
}

function callFormat(
  reference: CallReference,
  byId: ReadonlyMap<string, Adapter>,
): { readonly id: string; readonly dialect: string; readonly format: CallFormat } {
  if (reference === "arguments") return { id: "arguments", dialect: "", format: argumentsCall };
  const { adapter, dialect = adapter.dialects[0] } = resolveReference(reference, byId);
  if (adapter.call !== undefined) return { id: adapter.id, dialect: dialect.id, format: adapter.call };
  const known = [...byId.values()].filter(({ call }) => call !== undefined).map(({ id }) => id);
  throw new ConversionError(
    "invalid-option",
    `the format ${adapter.id} has no calls; known: arguments, ${known.join(", ")}`,
  );
}
