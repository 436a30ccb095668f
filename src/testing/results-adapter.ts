import { defineAdapter } from "../adapter.ts";
import type { ToolResult } from "../ir.ts";
import { pointer, rootPointer } from "../pointer.ts";

/** A format whose documents are results themselves: hands arbitrary results to a converter as if they were read. */
export const resultsAdapter = defineAdapter({
  id: "results",
  title: "Results as they are",
  spec: { url: "urn:tool-result-gateway:results", version: "1" },
  dialects: [
    {
      id: "value",
      title: "The result",
      output: true,
      mediaType: "application/json",
      traits: {
        audience: "native",
        structured: "verbatim",
        errorField: true,
        widget: true,
        showsModelText: false,
      },
    },
  ],
  detect: () => [],
  parse: (document, context) => {
    // Only results are handed in.
    const result = document as ToolResult;
    for (const [index, part] of result.content.entries())
      context.at(part, pointer(rootPointer, "content", index));
    return [{ result }];
  },
  render: (result) => result,
  canonical: (document) => document,
});
