import { type Dialect, defineAdapter } from "../../src/adapter.ts";
import { argumentsCall } from "../../src/call.ts";
import { rootPointer } from "../../src/pointer.ts";
import { detect } from "./detect.ts";
import { parse } from "./parse.ts";
import { render } from "./render.ts";
import { embedCarry, normalise, spell } from "./wire.ts";

const dictionary: Dialect = {
  id: "dictionary",
  title: "dictionary form of a Python tool's result",
  output: true,
  mediaType: "application/json",
  traits: {
    audience: "native",
    structured: "field",
    errorField: false,
    widget: true,
    showsModelText: false,
  },
  embedCarry,
  contentPath: ["content"],
};

/** watsonx does not say that it honours `annotations` or `_meta` in such a body, so all of it counts as read. */
const openapi: Dialect = {
  id: "openapi",
  title: "plain HTTP body of an OpenAPI tool",
  output: true,
  mediaType: "application/json",
  traits: { ...dictionary.traits, audience: "withhold" },
  contentPath: ["content"],
};

export const watsonxAdapter = defineAdapter({
  id: "watsonx",
  title: "watsonx Orchestrate",
  spec: {
    url: "https://developer.watson-orchestrate.ibm.com/tools/tool_response",
    version: "ibm-watsonx-orchestrate 2.9.0 to 2.19.1",
  },
  dialects: [dictionary, openapi],
  detect,
  parse,
  render,
  // A tool is an OpenAPI operation there.
  call: argumentsCall,
  canonical: (document, context) => {
    const [result, ...others] = normalise(document, context);
    if (result === undefined)
      return context.fail("result-not-found", rootPointer, "no step is a tool response");
    if (others.length === 0) return spell(result, context);
    return context.fail("many-results", rootPointer, `the history holds ${others.length + 1} tool responses`);
  },
});
