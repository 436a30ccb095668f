import { adapters } from "../adapters/index.ts";
import type { Adapter } from "../src/adapter.ts";
import { createConverter } from "../src/converter.ts";
import { textOf } from "../src/testing/subject.ts";
import type { LawSubject, Payload } from "../src/testing.ts";
import { difyPayloads, namesStoredFiles } from "./arbitraries/dify.ts";
import { irPayloads } from "./arbitraries/ir.ts";
import { strandsPayloads } from "./arbitraries/strands.ts";
import { watsonxPayloads } from "./arbitraries/watsonx.ts";

type Known = Pick<LawSubject, "payloads" | "readByModel" | "needsSignature">;

/** Content for the user only may stand in such a payload; a foreign carry must not put it before a model (R40). */
function statesAudience(payload: Payload): boolean {
  return textOf(payload).includes("audience");
}

/** What the laws need to know of each format that this project has. */
const known: Readonly<Record<string, Known>> = {
  dify: { payloads: difyPayloads, readByModel: ["list", "ndjson", "sse"], needsSignature: namesStoredFiles },
  ir: { payloads: irPayloads, readByModel: [] },
  strands: {
    payloads: strandsPayloads,
    readByModel: ["python", "typescript", "bedrock"],
    needsSignature: statesAudience,
  },
  watsonx: {
    payloads: watsonxPayloads,
    readByModel: ["openapi"],
    needsSignature: (payload, dialect) => dialect === "openapi" && statesAudience(payload),
  },
};

/** The subject for an adapter, or for a faulty copy of it, with all other formats as partners. */
export function subjectOf(adapter: Adapter, partners: readonly Adapter[] = adapters): LawSubject {
  const facts = known[adapter.id];
  if (facts === undefined) throw new TypeError(`no payloads for ${adapter.id}`);
  const others = partners.filter(({ id }) => id !== adapter.id);
  return { ...facts, adapter, partners: others, converter: createConverter([adapter, ...others]) };
}
