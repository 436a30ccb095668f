import type { RenderContext } from "../../src/adapter.ts";
import type { Part, ToolResult } from "../../src/ir.ts";
import { isJsonObject } from "../../src/json/json-kind.ts";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import type { LossCode } from "../../src/losses.ts";
import { pointer, rootPointer } from "../../src/pointer.ts";
import { factsOf, type PartFacts, type ResultFacts, resultFactsOf } from "./facts.ts";
import { DocumentNames } from "./names.ts";
import { type DialectId, dialectIds } from "./wire.ts";

/** What a rendering has to know of where it writes to and of where the result came from. */
export interface Target {
  readonly context: RenderContext;
  readonly dialect: DialectId;
  /** The result was read from Strands, so its own forms hold (R8). */
  readonly isOwn: boolean;
  /** It was read in this very dialect, so nothing is repaired (R10). */
  readonly isSame: boolean;
  /** Whether `structuredContent` and `metadata` have a place. */
  readonly hasTopLevel: boolean;
  readonly names: DocumentNames;
  /** The facts of a part's own spelling, as far as they hold here. */
  factsOf(part: Part): PartFacts;
  /** The same of the result. */
  resultFactsOf(result: ToolResult): ResultFacts;
  /** Unknown keys beside the content key. */
  extraOf(part: Part): { readonly extra?: JsonObject };
  /** Whether a file stays in the form it was read in. */
  keepsForm(part: Part): boolean;
  /** Whether the names of its documents are made fit for Bedrock all the same. */
  readonly repairsNames: boolean;
  /** Whether a block of another type may stand here as it is. */
  takes(block: JsonValue): boolean;
  /** Reports a change of form of the part at this position. */
  lose(code: LossCode, index: number, detail: string): void;
}

export function targetOf(context: RenderContext): Target {
  const { origin, options } = context;
  const dialect = dialectIds.find((id) => id === context.dialect) ?? dialectIds[0];
  const isOwn = origin.format === "strands";
  const isSame = isOwn && (origin.dialect ?? dialectIds[0]) === dialect;
  // Bedrock refuses a request with a key or a form that it does not know.
  const isStrict = dialect === "bedrock" && !isSame;
  const factsHere = (part: Part): PartFacts => {
    if (!isOwn) return {};
    const facts = factsOf(part);
    return isStrict ? bedrockFacts(facts) : facts;
  };
  return {
    context,
    dialect,
    isOwn,
    isSame,
    hasTopLevel: dialect === "python" || isSame,
    names: new DocumentNames(options.documentSuffix === false ? undefined : context.toolCallId),
    factsOf: factsHere,
    resultFactsOf: (result) => (isOwn && !isStrict ? resultFactsOf(result) : {}),
    extraOf: (part) => {
      const { extra } = factsHere(part);
      return extra === undefined ? {} : { extra };
    },
    keepsForm: (part) => {
      const { block, format } = factsOf(part);
      return isOwn && !(isStrict && (block ?? format) !== undefined);
    },
    repairsNames: isStrict,
    takes: (block) => isOwn && (!isStrict || isSearchResult(block)),
    lose: (code, index, detail) => context.lose(code, pointer(rootPointer, "content", index), detail),
  };
}

function bedrockFacts({ json, citations, context }: PartFacts): PartFacts {
  return {
    ...(json === undefined ? {} : { json }),
    ...(citations === undefined ? {} : { citations }),
    ...(context === undefined ? {} : { context }),
  };
}

function isSearchResult(block: JsonValue): boolean {
  return isJsonObject(block) && isJsonObject(block.searchResult) && Object.keys(block).length === 1;
}
