import { type CanonicalContext, defineAdapter } from "../../src/adapter.ts";
import { isJsonObject } from "../../src/json/json-kind.ts";
import type { JsonValue } from "../../src/json/json-value.ts";
import { irCall } from "./call.ts";
import { parse } from "./parse.ts";
import { render, withoutSuccess } from "./render.ts";

/** The IR as a format of its own: the identity, and the template of a new adapter. */
export const irAdapter = defineAdapter({
  id: "ir",
  title: "Intermediate representation",
  spec: { url: "urn:tool-result-gateway:ir:1", version: "1" },
  dialects: [
    {
      id: "document",
      title: "IR document, version 1",
      output: true,
      mediaType: "application/json",
      traits: {
        audience: "native",
        structured: "verbatim",
        errorField: true,
        widget: true,
        showsModelText: false,
      },
      contentPath: ["content"],
    },
  ],
  detect: (document) =>
    isJsonObject(document) && document.toolResultIr !== undefined
      ? [{ confidence: "certain", evidence: "the key `toolResultIr`" }]
      : [],
  parse,
  render,
  call: irCall,
  canonical,
});

/**
 * The document without `status: "success"`, which is the same as none (R50), and without `origin`, which says how the
 * result is written in its first format, as a carry does, and nothing about the result.
 */
function canonical(document: JsonValue, context: CanonicalContext): JsonValue {
  parse(document, context);
  if (!isJsonObject(document)) return document;
  const { origin: _, ...stated } = document;
  return withoutSuccess(stated);
}
