/** The library, bound to the built-in adapters; `createConverter` binds it to others. */
import { adapters } from "../adapters/index.ts";
import { createConverter } from "./converter.ts";

const converter = createConverter(adapters);

export const {
  convert,
  convertAll,
  convertStream,
  parse,
  render,
  detect,
  validate,
  canonical,
  parseCall,
  renderCall,
  formats,
} = converter;

export {
  type Adapter,
  type Candidate,
  type CanonicalContext,
  carryKey,
  type DecodeContext,
  type Dialect,
  defineAdapter,
  markKey,
  type Origin,
  type ParseContext,
  type PartRenderers,
  type Reading,
  type RenderContext,
  type Traits,
} from "./adapter.ts";
export type { CallFormat, ReadCallContext } from "./call.ts";
export {
  type CallReference,
  type Conversion,
  type ConversionStream,
  type Converter,
  type ConvertOptions,
  createConverter,
  type Detection,
  type FormatInfo,
  type FormatReference,
  type Input,
  type Parsed,
  type ReadCallOptions,
  type ReadOptions,
  type RenderOptions,
  type StreamOptions,
  type Validation,
} from "./converter.ts";
export {
  ConversionError,
  type ErrorCode,
  type ErrorEntry,
  errorCodes,
  errorTable,
  exitCodes,
  isConversionError,
} from "./errors.ts";
export { type Explanation, explain } from "./explain.ts";
export * from "./ir.ts";
export { isJsonNumber, JsonNumber, sameNumber } from "./json/json-number.ts";
export type { JsonObject, JsonValue } from "./json/json-value.ts";
export { stableStringify, stringify } from "./json/stringify.ts";
export {
  type Loss,
  type LossCode,
  type LossEntry,
  lossCodes,
  lossTable,
  type Severity,
  severities,
} from "./losses.ts";
export { type ConversionOptions, defaultLimits, type Limits, type ShapeOptions } from "./options.ts";
export { outputText } from "./output-text.ts";
export { type Pointer, parsePointer, pointer, rootPointer } from "./pointer.ts";
