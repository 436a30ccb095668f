import type * as fc from "fast-check";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import { jsonOfResult, toolResults } from "../../src/testing/arbitraries/ir.ts";

const documents: fc.Arbitrary<JsonValue> = toolResults.map((result) => ({
  toolResultIr: 1,
  // A result is an object.
  ...(jsonOfResult(result) as JsonObject),
}));

/** Arbitrary documents of the intermediate representation, by dialect. */
export const irPayloads = { document: documents };
