import type { ParseContext } from "../../src/adapter.ts";
import { isJsonObject } from "../../src/json/json-kind.ts";
import type { JsonValue } from "../../src/json/json-value.ts";
import { platform } from "../../src/platform/index.ts";
import { type Pointer, pointer } from "../../src/pointer.ts";
import { bytesMark } from "./wire.ts";

/**
 * Bytes in each spelling that occurs: base64, Python's session form, and what `JSON.stringify` makes of a
 * `Uint8Array`, a `Buffer` and a plain array. Undefined for any other shape; garbage of one of these shapes is an error
 * and never taken for empty bytes (R60).
 */
export function readBytes(
  value: JsonValue,
  context: ParseContext,
  place: Pointer,
): { readonly data: string; readonly mimeType?: string } | undefined {
  if (typeof value === "string") return context.base64(value, place);
  if (Array.isArray(value)) return fromNumbers(value, context, place);
  if (!isJsonObject(value)) return undefined;
  if (value[bytesMark] === true && typeof value.data === "string") {
    return context.base64(value.data, pointer(place, "data"));
  }
  if (value.type === "Buffer" && Array.isArray(value.data)) {
    return fromNumbers(value.data, context, pointer(place, "data"));
  }
  // Keys that are integers come in their order, whatever the text had.
  const isIndexed = Object.keys(value).every((key, index) => key === String(index));
  return isIndexed ? fromNumbers(Object.values(value), context, place) : undefined;
}

function fromNumbers(
  numbers: readonly JsonValue[],
  context: ParseContext,
  place: Pointer,
): { readonly data: string } {
  const bytes = new Uint8Array(numbers.length);
  for (const [index, number] of numbers.entries()) {
    if (typeof number !== "number" || !Number.isInteger(number) || number < 0 || number > 255) {
      return context.fail(
        "invalid-payload",
        pointer(place, index),
        "expected a byte, an integer from 0 to 255",
      );
    }
    bytes[index] = number;
  }
  return { data: platform.encodeBase64(bytes) };
}
