import type * as fc from "fast-check";
import type { JsonValue } from "../../src/json/json-value.ts";
import { toolResults } from "../../src/testing/arbitraries/ir.ts";

const documents: fc.Arbitrary<JsonValue> = toolResults.map((result) => ({
  toolResultIr: 1,
  ...result,
}));

/** Arbitrary documents of the intermediate representation, by dialect. */
export const irPayloads = { document: documents };
