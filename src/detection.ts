import type { Adapter, Candidate } from "./adapter.ts";
import type { JsonValue } from "./json/json-value.ts";
import { readJson } from "./json/read-json.ts";
import { decodeText, type Input, ReadSession } from "./kernel/read.ts";
import { defaultLimits } from "./options.ts";

/** What `detect` answers (R80). */
export type Detection =
  | {
      readonly outcome: "recognised";
      readonly format: string;
      readonly dialect?: string;
      readonly evidence: string;
    }
  | {
      readonly outcome: "ambiguous";
      readonly candidates: readonly {
        readonly format: string;
        readonly dialect?: string;
        readonly evidence: string;
      }[];
    }
  | { readonly outcome: "unknown" };

export function detectWith(input: Input, adapters: readonly Adapter[]): Detection {
  const found = adapters.flatMap((adapter) =>
    candidatesOf(input, adapter).map((candidate) => ({ format: adapter.id, ...candidate })),
  );
  const certain = found.filter(({ confidence }) => confidence === "certain");
  const candidates = (certain.length > 0 ? certain : found).map(
    ({ confidence: _, ...candidate }) => candidate,
  );
  const [first, ...others] = candidates;
  if (first === undefined) return { outcome: "unknown" };
  return others.length === 0 ? { outcome: "recognised", ...first } : { outcome: "ambiguous", candidates };
}

/** What an adapter recognises: in the one JSON document that the input is, or in what its decoders make of text. */
function candidatesOf(input: Input, adapter: Adapter): readonly Candidate[] {
  const document = documentFor(input, adapter);
  return document === undefined ? [] : adapter.detect(document.value);
}

function documentFor(input: Input, adapter: Adapter): { readonly value: JsonValue } | undefined {
  if (typeof input !== "string" && !(input instanceof Uint8Array)) return { value: input };
  const text = typeof input === "string" ? input : decodeText(input);
  try {
    return { value: readJson(text, { maxDepth: defaultLimits.maxDepth }).value };
  } catch {
    // Not one document: perhaps lines or events of this format.
  }
  if (!adapter.dialects.some(({ decode }) => decode !== undefined)) return undefined;
  try {
    return { value: new ReadSession(adapter, undefined, defaultLimits, "lenient").document(text) };
  } catch {
    return undefined;
  }
}
