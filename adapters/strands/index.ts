import { carryKey, type Dialect, defineAdapter, type Traits } from "../../src/adapter.ts";
import { isJsonObject } from "../../src/json/json-kind.ts";
import type { JsonValue } from "../../src/json/json-value.ts";
import { rootPointer } from "../../src/pointer.ts";
import { strandsCall } from "./call.ts";
import { decode } from "./decode.ts";
import { detect } from "./detect.ts";
import { normalise } from "./normalise.ts";
import { parse } from "./parse.ts";
import { render } from "./render.ts";
import { spellBlock, spellResult } from "./spelling.ts";
import { dialectIds } from "./wire.ts";

/** The model reads all of the content and nothing else. */
const traits: Traits = {
  audience: "withhold",
  structured: "content",
  errorField: false,
  widget: false,
  showsModelText: false,
};

const common = { output: true, mediaType: "application/json", traits, decode } as const;

const python: Dialect = {
  ...common,
  id: "python",
  title: "ToolResult of the Python SDK, bytes as in its session files",
  contentPath: ["content"],
  embedCarry: (document, carry) => {
    const { metadata, ...result } = isJsonObject(document) ? document : {};
    return { ...result, metadata: { ...(isJsonObject(metadata) ? metadata : {}), [carryKey]: carry } };
  },
};

const typescript: Dialect = {
  ...common,
  id: "typescript",
  title: "ToolResultBlock of the TypeScript SDK, as `toJSON` gives it",
  contentPath: ["toolResult", "content"],
};

const bedrock: Dialect = {
  ...common,
  id: "bedrock",
  title: "content block of a Bedrock Converse message",
  contentPath: ["toolResult", "content"],
};

export const strandsAdapter = defineAdapter({
  id: "strands",
  title: "Strands Agents",
  spec: {
    url: "https://strandsagents.com/latest/documentation/docs/user-guide/concepts/tools/",
    version: "strands-agents 1.40.0 to 1.62.0, @strands-agents/sdk 1.3.0 to 1.19.0",
  },
  dialects: [python, typescript, bedrock],
  detect,
  parse,
  render,
  call: strandsCall,
  canonical: (document, context): JsonValue => {
    const [result, ...others] = normalise(document, context);
    if (result === undefined) {
      return context.fail("result-not-found", rootPointer, "the document holds no tool result");
    }
    if (others.length > 0) {
      return context.fail(
        "many-results",
        rootPointer,
        `the document holds ${others.length + 1} tool results`,
      );
    }
    const dialect = dialectIds.find((id) => id === context.target) ?? dialectIds[0];
    const blocks = result.wire.content.map((block) => spellBlock(block, dialect));
    return spellResult(result.wire, blocks, dialect);
  },
});
