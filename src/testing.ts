/**
 * The laws of an adapter and arbitrary values to check them with. Needs fast-check, an optional peer dependency, and no
 * test runner.
 */
export { adapterLaws } from "./testing/adapter-laws.ts";
export { parts, toolResults } from "./testing/arbitraries/ir.ts";
export {
  jsonArrays,
  jsonNumbers,
  jsonObjects,
  jsonScalars,
  jsonValues,
  objectOf,
  texts,
} from "./testing/arbitraries/json.ts";
export type { Law } from "./testing/law.ts";
export type { LawSubject, Payload } from "./testing/subject.ts";
