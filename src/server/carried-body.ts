import { ConversionError } from "../errors.ts";
import { isJsonObject } from "../json/json-kind.ts";
import type { JsonValue } from "../json/json-value.ts";
import { JsonReadError, readJson } from "../json/read-json.ts";
import { stringify } from "../json/stringify.ts";
import { decodeText } from "../kernel/read.ts";
import type { Limits } from "../options.ts";

/** A document with the carry that was handed out for it. */
export interface CarriedBody {
  /** The JSON text of the document. */
  readonly input: string;
  readonly carried: JsonValue;
}

/**
 * The body `{"input": DOCUMENT, "carried": CARRY}`, which hands a detached carry back: the way back of
 * `{"output": DOCUMENT, "carry": CARRY}`. Throws `invalid-payload` for another, and what reading JSON throws.
 */
export function readCarried(bytes: Uint8Array, limits: Partial<Limits> = {}): CarriedBody {
  const document = readDocument(decodeText(bytes), limits);
  const { input, carried, ...others } = isJsonObject(document) ? document : {};
  if (input === undefined || carried === undefined || Object.keys(others).length > 0) {
    throw new ConversionError("invalid-payload", 'expected {"input": DOCUMENT, "carried": CARRY}');
  }
  return { input: stringify(input), carried };
}

function readDocument(text: string, { maxNodes, maxNumberLength }: Partial<Limits>): JsonValue {
  try {
    const { value, duplicates } = readJson(text, {
      ...(maxNodes !== undefined && { maxNodes }),
      ...(maxNumberLength !== undefined && { maxNumberLength }),
    });
    const [duplicate] = duplicates;
    if (duplicate === undefined) return value;
    throw new ConversionError("duplicate-key", "a key is given twice", { pointer: duplicate.pointer });
  } catch (error) {
    if (!(error instanceof JsonReadError)) throw error;
    const { code, detail, pointer } = error;
    throw new ConversionError(code, detail, pointer === undefined ? {} : { pointer });
  }
}
