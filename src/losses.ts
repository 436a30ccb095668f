import type { PartType } from "./ir.ts";
import type { Pointer } from "./pointer.ts";

/**
 * `info` a change of form without a change of meaning; `warning` meaning kept but shown or used otherwise;
 * `error` something that does not come back or must not happen (R20).
 */
export const severities = ["info", "warning", "error"] as const;
export type Severity = (typeof severities)[number];

/** What of a result can differ after the way there and back; a loss names the aspects it accounts for (R12). */
export type Aspect =
  /** The type of a part or its payload. */
  | "form"
  /** A part that the target's content does not have. */
  | "left-out"
  /** A part that only the target's content has. */
  | "added"
  | "order"
  | "audience"
  | "annotation"
  | "part-meta"
  | "extension"
  | "file-name"
  | "mime-type"
  | "status"
  | "error"
  | "structured"
  | "widget"
  | "result-meta"
  | "logs"
  | "call-id";

/** Where a loss can point: at a part of one of these types, at a field of the result, or anywhere (`document`). */
export type Subject =
  | PartType
  | "status"
  | "error"
  | "structuredContent"
  | "widget"
  | "meta"
  | "logs"
  | "toolCallId"
  | "extensions"
  | "content"
  | "document";

export interface LossEntry {
  readonly severity: Severity;
  readonly what: string;
  readonly why: string;
  readonly todo: string;
  /** The differences of parse(render(result)) from the result that this loss accounts for. */
  readonly covers: readonly Aspect[];
  /** What such a loss can be about; anything else is a loss without a cause. */
  readonly about: readonly (Subject | "part")[];
  /** False where nothing brings it back, whatever is carried. */
  readonly returns: boolean;
}

const entry = (
  severity: Severity,
  about: LossEntry["about"],
  covers: LossEntry["covers"],
  what: string,
  why: string,
  todo: string,
  returns = true,
): LossEntry => ({ severity, about, covers, what, why, todo, returns });

const carriedAdvice = "Nothing: the carry brings it back. Keep the carry on if the result travels back.";

/** Every loss that a conversion can report; the closed list behind `LossCode` (R23). */
export const lossTable = {
  "json-as-text": entry(
    "info",
    ["json", "text", "structuredContent"],
    ["form", "structured"],
    "A JSON value was written as its JSON text.",
    "The target has no block for JSON values of this kind.",
    carriedAdvice,
  ),
  "text-as-json": entry(
    "info",
    ["text"],
    ["form"],
    "A text that repeats a JSON value of the same result was written as that value.",
    "The target has one channel, so it gets one copy, the JSON form.",
    carriedAdvice,
  ),
  "structured-as-json": entry(
    "info",
    ["structuredContent"],
    ["structured", "added", "form"],
    "`structuredContent` was written as a JSON block of the content.",
    "The target has no channel of its own for structured content.",
    carriedAdvice,
  ),
  "structured-wrapped": entry(
    "info",
    ["structuredContent"],
    ["structured"],
    'A `structuredContent` that is no object was written as `{"result": value}`.',
    "The target takes objects only.",
    carriedAdvice,
  ),
  "structured-withheld": entry(
    "warning",
    ["structuredContent"],
    ["structured"],
    "`structuredContent` was kept from the model.",
    "The result has user-only content, and the structured data may repeat it.",
    "Set `structured: show` where it holds nothing that only the user may see.",
  ),
  "mirror-added": entry(
    "info",
    ["json", "structuredContent"],
    ["structured", "added"],
    "A JSON value was written a second time in the target's other channel.",
    "Readers of the target look in both channels.",
    "Set `mirror` to `structured` or `text` to write one copy.",
  ),
  "mirror-folded": entry(
    "info",
    ["text", "json", "structuredContent"],
    ["structured", "left-out", "form", "order"],
    "Two copies of one value were written once.",
    "The target has one channel; a model should not read the same data twice.",
    carriedAdvice,
  ),
  "variable-renamed": entry(
    "info",
    ["structuredContent", "content"],
    ["structured"],
    "A key of `structuredContent` got `_` appended as the name of a Dify variable.",
    "Dify reserves `text`, `json` and `files`, and this project `is_error` and `error_message`.",
    "Nothing: the reader undoes it.",
  ),
  "variable-folded": entry(
    "info",
    ["document"],
    [],
    "Several messages of one variable became its last or joined value.",
    "A Dify variable has one value in the end.",
    "Nothing: it is what Dify does.",
  ),
  "variables-as-json": entry(
    "info",
    ["structuredContent"],
    ["structured", "form", "added"],
    "`structuredContent` that is no object was written as one message.",
    "Dify variables need names.",
    carriedAdvice,
  ),
  "empty-json-dropped-by-dify": entry(
    "warning",
    ["json", "structuredContent"],
    ["structured", "form", "added"],
    "An empty object or array was written, which Dify's tool node drops.",
    "Dify takes an empty JSON message for none.",
    "Read the messages themselves, or have the tool return a key.",
  ),
  "audience-dropped": entry(
    "warning",
    ["part"],
    ["audience"],
    "The audience of a part was not written.",
    "The target has no audience.",
    carriedAdvice,
  ),
  "audience-unknown": entry(
    "warning",
    ["part"],
    ["left-out", "audience", "added"],
    "A part with unknown roles only was kept out of the content, or an unknown role was left out.",
    "Nobody can say whether the model may read it, and strict readers refuse unknown roles.",
    "Use the roles `user` and `assistant`.",
  ),
  "user-only-withheld": entry(
    "warning",
    ["part", "error"],
    ["left-out", "added", "error", "order"],
    "Content for the user only was kept from the model.",
    "Everything in the target's content is read by the model.",
    "Show it by another way; `audience: expose` writes it into the content.",
  ),
  "user-only-exposed": entry(
    "error",
    ["part"],
    [],
    "Content for the user only was written where the model reads it.",
    "The policy `audience: expose` asked for it.",
    "Use `withhold`.",
    false,
  ),
  "assistant-only-may-show": entry(
    "warning",
    ["part"],
    [],
    "Content for the model only was written where users may see it.",
    "Dify shows tool texts to users.",
    "Set `assistantOnly: withhold`.",
  ),
  "assistant-only-withheld": entry(
    "warning",
    ["part"],
    ["left-out", "order"],
    "Content for the model only was kept out of the content.",
    "The option `assistantOnly: withhold` asked for it.",
    carriedAdvice,
  ),
  "annotation-dropped": entry(
    "info",
    ["part"],
    ["annotation"],
    "Priority or last-modified time of a part was not written.",
    "The target has no place for it, or its readers refuse the value.",
    carriedAdvice,
  ),
  "meta-dropped": entry(
    "warning",
    ["part", "meta"],
    ["part-meta", "result-meta"],
    "Metadata was not written.",
    "The target has no metadata there.",
    carriedAdvice,
  ),
  "meta-hop-by-hop": entry(
    "info",
    ["meta", "document"],
    [],
    "A metadata key of one connection was not forwarded.",
    "Keys such as `traceparent` and `io.modelcontextprotocol/*` belong to the hop they came on.",
    "Nothing.",
  ),
  "extension-dropped": entry(
    "info",
    ["part", "extensions", "logs"],
    ["extension"],
    "A fact of the source's own spelling was not written.",
    "Only the source's own format can say it.",
    carriedAdvice,
  ),
  "link-as-text": entry(
    "info",
    ["link"],
    ["form"],
    "A link was written as text.",
    "The target has no link, or none for this scheme.",
    carriedAdvice,
  ),
  "link-detail-dropped": entry(
    "info",
    ["link"],
    ["form", "mime-type"],
    "Name, title, description, size or kind of a link was not written.",
    "The target has a URL and no more.",
    carriedAdvice,
  ),
  "link-as-resource": entry(
    "info",
    ["link"],
    ["form"],
    "A link was written as a resource link.",
    "The target shows `http` and `https` links in its text; another scheme would not be a link there.",
    carriedAdvice,
  ),
  "link-as-json": entry(
    "info",
    ["link"],
    ["form"],
    "A link was written as a JSON block holding MCP's resource link.",
    "The target has no link.",
    "Nothing: the reader takes it back.",
  ),
  "media-as-json": entry(
    "warning",
    ["media", "resource"],
    ["form"],
    "A file was written as a JSON block holding the MCP block.",
    "The target has no block for this media type.",
    "Nothing: the reader takes it back; but a model sees the base64 text.",
  ),
  "media-as-resource": entry(
    "info",
    ["media"],
    ["form"],
    "A file was written as an embedded resource.",
    "The target has no block of its own for this media type.",
    carriedAdvice,
  ),
  "document-text-as-bytes": entry(
    "info",
    ["media", "resource"],
    ["form", "mime-type"],
    "A document given as text was written as the bytes of that text.",
    "The target takes files as bytes.",
    carriedAdvice,
  ),
  "mime-corrected": entry(
    "warning",
    ["part"],
    ["mime-type", "form"],
    "A MIME type was corrected from the leading bytes.",
    "The declared type contradicts the bytes, and models refuse such an image.",
    "Have the producer declare the true type.",
  ),
  "file-name-changed": entry(
    "info",
    ["part"],
    ["file-name", "form"],
    "A file name was changed, added or left out.",
    "The target has rules for names, or no place for one.",
    carriedAdvice,
  ),
  "file-unresolved": entry(
    "warning",
    ["media"],
    ["form"],
    "A stored file was named by a reference that a stranger cannot fetch.",
    "It is relative or unsigned, and nothing is fetched by a conversion.",
    "Resolve it on the platform that stores it.",
  ),
  "stored-file-reference-dropped": entry(
    "error",
    ["part"],
    ["form", "part-meta", "extension"],
    "A reference to a file stored by Dify was not written.",
    "Dify resolves such references with its own rights, so a foreign source must not name them.",
    "Hand the file itself, or sign the carry with `carryKey`.",
  ),
  "resource-uri-dropped": entry(
    "warning",
    ["resource"],
    ["form"],
    "The URI of an embedded resource was not written.",
    "The target has content without a URI only.",
    carriedAdvice,
  ),
  "document-context-dropped": entry(
    "warning",
    ["media"],
    ["extension"],
    "The context or citation setting of a document was not written.",
    "Only Strands has them; the model has read the context there.",
    carriedAdvice,
  ),
  "citations-as-text": entry(
    "info",
    ["citations"],
    ["form"],
    "Retrieval sources were written as a text that lists them.",
    "The target has no citations.",
    carriedAdvice,
  ),
  "citations-as-json": entry(
    "info",
    ["citations"],
    ["form"],
    "Retrieval sources were written as a JSON block.",
    "The target has no citations.",
    carriedAdvice,
  ),
  "log-dropped": entry(
    "warning",
    ["logs"],
    ["logs"],
    "Log entries were not written.",
    "The target has no logs in a result.",
    carriedAdvice,
  ),
  "widget-not-rendered": entry(
    "warning",
    ["widget"],
    ["widget"],
    "A widget was not written; the model will now reason on a result that was final.",
    "Only watsonx renders it.",
    "Ask the user in another way.",
  ),
  "widget-duplicate-dropped": entry(
    "info",
    ["document"],
    [],
    "A second copy of the widget was left out.",
    "The copy in `_meta` is the one watsonx reads.",
    "Nothing.",
  ),
  "opaque-placeholder": entry(
    "warning",
    ["opaque"],
    ["form"],
    "A block that no rule knows was written in a neutral form.",
    "The target does not have that block.",
    carriedAdvice,
  ),
  "stub-added": entry(
    "info",
    ["content"],
    ["added"],
    "A fixed sentence was written in place of content that was withheld.",
    "The model would get nothing.",
    "Nothing: it goes on the way back.",
  ),
  "content-filled": entry(
    "info",
    ["content"],
    ["added"],
    "An empty text was written in place of no content.",
    "The option `nonEmpty` asked for it, for models that refuse an empty list.",
    "Nothing: it goes on the way back.",
  ),
  "status-in-band": entry(
    "info",
    ["status"],
    ["status", "added", "error"],
    "The error status was written as content.",
    "The target has no field for it.",
    "Nothing: the reader takes it back.",
  ),
  "error-detail-dropped": entry(
    "warning",
    ["error"],
    ["error", "added"],
    "Message, type or code of the error were written as content or not at all.",
    "The target has no fields for them.",
    carriedAdvice,
  ),
  "traceback-removed": entry(
    "info",
    ["document", "error"],
    [],
    "A stack trace was left out.",
    "It holds paths and may hold secrets.",
    "Look in the logs of the tool.",
    false,
  ),
  "call-id-dropped": entry(
    "info",
    ["toolCallId"],
    ["call-id"],
    "The id of the call was not written.",
    "The target has no place for it.",
    "The caller knows it; give it as `toolCallId` on the way back.",
  ),
  "call-id-generated": entry(
    "warning",
    ["toolCallId", "document"],
    ["call-id"],
    "An id was derived from the content because the target demands one.",
    "The source has none; the derived id pairs with no call.",
    "Give the id of the call as `toolCallId`.",
  ),
  "call-id-aliased": entry(
    "info",
    ["toolCallId"],
    ["call-id"],
    "The id of the call was replaced by a short alias.",
    "Bedrock takes 1 to 64 of `a-zA-Z0-9_.:-`.",
    carriedAdvice,
  ),
  "name-generated": entry(
    "info",
    ["part"],
    ["form", "file-name"],
    "A name or URI was made up because the target demands one.",
    "The source has none.",
    "Nothing: it goes on the way back.",
  ),
  "base64-normalised": entry(
    "info",
    ["part", "document"],
    [],
    "Base64 was rewritten in the standard spelling; the bytes are the same.",
    "Readers of the target take no other.",
    "Nothing.",
  ),
  "chunks-sorted": entry(
    "warning",
    ["part", "document"],
    [],
    "Chunks of a blob were put in order.",
    "They came out of order.",
    "Have the sender send them in order.",
    false,
  ),
  "length-mismatch": entry(
    "warning",
    ["part", "document"],
    [],
    "A blob is shorter than it announced.",
    "The sender's figure is wrong, or bytes are missing.",
    "Compare the file with its source.",
    false,
  ),
  "line-skipped": entry(
    "warning",
    ["document"],
    [],
    "A line that is no message was skipped.",
    "A plugin printed it among its messages.",
    "Remove the print from the tool.",
    false,
  ),
  "message-empty": entry(
    "warning",
    ["document"],
    [],
    "A message without a payload became an empty part or none.",
    "Its payload is null.",
    "Have the tool send the payload.",
    false,
  ),
  "payload-decides": entry(
    "warning",
    ["part", "document"],
    [],
    "A message was read by its payload, which contradicts its type.",
    "The two say different things.",
    "Have the tool send the type of the payload.",
    false,
  ),
  "block-split": entry(
    "warning",
    ["part", "document"],
    [],
    "A block with two content keys was read as two parts.",
    "A block says one thing.",
    "Have the tool send two blocks.",
    false,
  ),
  "resource-copy-dropped": entry(
    "warning",
    ["part", "document"],
    [],
    "Of a resource with text and bytes one was kept.",
    "A resource has one of them; the MIME type decides.",
    "Have the tool send one.",
    false,
  ),
  "calls-merged": entry(
    "warning",
    ["document"],
    [],
    "Two calls of one tool are one result.",
    "Dify's agent events name tools, not calls.",
    "Nothing can tell them apart.",
    false,
  ),
  "partial-success": entry(
    "warning",
    ["document", "status"],
    [],
    "The run succeeded in part only.",
    "Its status is `partial-succeeded`, which is a success.",
    "Look at the run on the platform.",
    false,
  ),
  "duplicate-key": entry(
    "warning",
    ["document", "part"],
    [],
    "A key of a payload stood twice; the last one counts.",
    "Two readers would see two values.",
    "Have the producer write each key once.",
    false,
  ),
  "carry-stale": entry(
    "warning",
    ["document"],
    [],
    "A carried item did not apply.",
    "The part it belongs to was changed on the way.",
    "Nothing: the change was kept.",
    false,
  ),
  "carry-rejected": entry(
    "warning",
    ["document"],
    [],
    "A carry was ignored.",
    "It does not belong to this payload, is not signed as demanded, or is over a limit.",
    "Convert without it; what the payload says was kept.",
    false,
  ),
  "carry-too-large": entry(
    "warning",
    ["document"],
    [],
    "The carry was not written.",
    "It is larger than `carryLimit`.",
    "Use `carry: detached`, or raise the limit.",
    false,
  ),
  "unreported-change": entry(
    "error",
    [
      "part",
      "document",
      "status",
      "error",
      "structuredContent",
      "widget",
      "meta",
      "logs",
      "toolCallId",
      "extensions",
      "content",
    ],
    ["form", "left-out", "added", "order", "file-name", "mime-type", "status", "error", "structured"],
    "An adapter changed something without naming the loss.",
    "A fault of the adapter; the conversion found it by reading its own output.",
    "Report it to the adapter's author.",
  ),
} as const satisfies Record<string, LossEntry>;

export type LossCode = keyof typeof lossTable;

export const lossCodes = Object.keys(lossTable) as readonly LossCode[];

/** One thing that the target cannot express as the source did, as data (R20). */
export interface Loss {
  readonly code: LossCode;
  readonly severity: Severity;
  /** JSON Pointer into the document the caller handed in; `""` for what only the target has. */
  readonly pointer: Pointer;
  /** What was done. */
  readonly detail: string;
  /** False where the way back cannot restore it: the carry was not written, or nothing brings it back. */
  readonly carried: boolean;
}

export function lossEntry(code: LossCode): LossEntry {
  return lossTable[code];
}
