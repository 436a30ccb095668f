import type { Part, ToolResult } from "../../src/ir.ts";
import type { JsonObject, JsonValue } from "../../src/json/json-value.ts";
import { type MediaForm, mediaFormOf } from "./media-formats.ts";
import type { MediaType } from "./wire.ts";

/**
 * What stands in `extensions.strands` of a part: facts of the spelling that the part itself does not say (R8). Each is
 * there only where `render` would otherwise write another form.
 */
export interface PartFacts {
  /** A json value that is written as it is, though Bedrock takes objects only. */
  readonly raw?: true;
  /** A file that stood in a `json` block as MCP has it, though Strands has a block for it. */
  readonly json?: true;
  /** The block type of a file whose MIME type does not say it. */
  readonly block?: MediaType;
  /** The format of a file whose MIME type does not say it. */
  readonly format?: string;
  /** Of a document; the model reads the context. */
  readonly citations?: JsonValue;
  readonly context?: JsonValue;
  /** Unknown keys: beside the content key, in the block's value, in its source. */
  readonly extra?: JsonObject;
  readonly mediaExtra?: JsonObject;
  readonly sourceExtra?: JsonObject;
}

/** The same of a result. */
export interface ResultFacts {
  /** It has no id, though every dialect demands one; a result of the same dialect is written without one again. */
  readonly callId?: "absent";
  /** Unknown keys. */
  readonly extra?: JsonObject;
}

/** The facts as an extension; nothing where there are none. */
export function extensionOf(facts: PartFacts | ResultFacts): Pick<Part, "extensions"> {
  return Object.keys(facts).length === 0 ? {} : { extensions: { strands: facts as JsonObject } };
}

/** The facts of a part that was read from Strands. */
export function factsOf(part: Part): PartFacts {
  // Extensions of this adapter are read only where its own `parse` wrote them, so they have this shape.
  return (part.extensions?.strands ?? {}) as PartFacts;
}

/** The facts of a result that was read from Strands. */
export function resultFactsOf(result: ToolResult): ResultFacts {
  // As above.
  return (result.extensions?.strands ?? {}) as ResultFacts;
}

/** The block that a file of the IR is written as where no fact says another. */
export function usualForm(part: Part): MediaForm | undefined {
  switch (part.type) {
    case "media":
      return mediaFormOf(part.kind, part.mimeType);
    case "link":
      return part.kind === "image" ? mediaFormOf("image", part.mimeType) : undefined;
    default:
      return undefined;
  }
}
