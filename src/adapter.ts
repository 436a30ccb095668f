import type { CallFormat } from "./call.ts";
import type { ErrorCode } from "./errors.ts";
import type { ToolResult } from "./ir.ts";
import type { JsonValue } from "./json/json-value.ts";
import type { LossCode } from "./losses.ts";
import type { AudiencePolicy, Limits, ShapeOptions } from "./options.ts";
import type { Pointer } from "./pointer.ts";

/**
 * The adapter contract: all that a format has to say. Two pure functions around the IR (`parse`, `render`), one
 * that says what counts as the same payload (`canonical`), one that recognises a payload (`detect`), and a row of
 * facts per dialect. Audience, mirrors, carry, ids and limits are the kernel's; an adapter sees only what its
 * target may get.
 *
 * Adapters are synchronous and pure (R13): no clock, environment, network or random source, and no change to what
 * they are handed. They throw only through their context.
 */
export interface Adapter {
  /** Folder, command-line name, URL segment and key of `extensions`, in one. */
  readonly id: string;
  readonly title: string;
  /** The page and version of the platform's own specification this adapter follows. */
  readonly spec: { readonly url: string; readonly version: string };
  /** The first one is the default on output. */
  readonly dialects: readonly [Dialect, ...Dialect[]];
  /**
   * Recognises a document cheaply, by its keys. A candidate is `certain` where no other format writes such a
   * document, else `possible`. Never throws.
   */
  detect(document: JsonValue): readonly Candidate[];
  /** Wire to IR: every result of the document, in order. Reads every spelling; invents nothing, loses nothing (R6). */
  parse(document: JsonValue, context: ParseContext): readonly Reading[];
  /** IR to wire, without carry. Names each change of form by `context.lose`. */
  render(result: ToolResult, context: RenderContext): JsonValue;
  /**
   * The form in which payloads that say the same are equal (R10), made from the wire alone, not by way of the
   * IR; without the carry. The kernel sorts the keys.
   */
  canonical(document: JsonValue, context: CanonicalContext): JsonValue;
  /** How the format spells the call of a tool; absent where only its results are converted. */
  readonly call?: CallFormat;
}

export interface Dialect {
  readonly id: string;
  readonly title: string;
  /** Some dialects are read only. */
  readonly output: boolean;
  readonly mediaType: string;
  readonly traits: Traits;
  /**
   * Puts a carry into a rendered document; absent where the dialect has no room for one (R30). `parse` must find
   * it again and hand it out as `Reading.carry`.
   */
  readonly embedCarry?: (document: JsonValue, carry: JsonValue) => JsonValue;
  /** Text to document, where a payload is not one JSON document but lines or events. Errors through the context. */
  readonly decode?: (text: string, context: DecodeContext) => JsonValue;
  /** Document to text, for the same dialects: lines or events one by one. */
  readonly encode?: (document: JsonValue) => Iterable<string>;
  /** How the dialect is read piece by piece; absent where a document is read whole (R70 to R72). */
  readonly stream?: StreamFormat;
  /**
   * The keys that lead to the list of content items in a document, so that it can be written item by item (R72);
   * absent where the dialect cannot be written before the result is complete.
   */
  readonly contentPath?: readonly [string, ...string[]];
}

/** A format whose document arrives as items: messages, frames, events. */
export interface StreamFormat {
  reader(context: DecodeContext): StreamReader;
  /** The piece of a file that an item carries; undefined for every other item. */
  chunkOf(item: JsonValue): Chunk | undefined;
  /** The item that the pieces of a file amount to, with `data` (padded standard base64) as its bytes. */
  whole(chunk: Chunk, data: string): JsonValue;
  /** Whether an item adds to the content, whose order counts. */
  isContent(item: JsonValue): boolean;
  /** What an item tells an observer while the stream runs (R71). */
  progressOf(item: JsonValue): Progress | undefined;
  /**
   * Passes items on to another stream of the format, each as it comes (R72). Undefined where a stream that begins with
   * this item has to be read whole, and absent where every one has to.
   */
  relay?(first: JsonValue, context: ParseContext): ItemRelay | undefined;
}

/** Reads the items of one result one by one, the first included, and keeps of them only what the end needs. */
export interface ItemRelay {
  /** Parts of the content that came so far. */
  readonly parts: number;
  /** What to write of an item, in the form that `Dialect.encode` takes. Fails and loses through the context. */
  take(item: JsonValue, place: Pointer): readonly JsonValue[];
  /** What the items say in the end beyond those that were written. */
  end(): RelayEnd;
}

export interface RelayEnd {
  /** A result whose content is nothing but what its error is told from (R55), one item of the document for each part. */
  readonly reading: Reading;
  /** Whether the items that were written make extensions of the result, beside those of `reading`. */
  readonly hasExtensions: boolean;
}

/** Takes text in any pieces and gives items as they are complete; how the text is cut changes nothing (R70). */
export interface StreamReader {
  push(text: string): readonly JsonValue[];
  /** The end of the text. A source that was cut gives an item that `parse` reads as such. */
  end(): readonly JsonValue[];
}

export interface Chunk {
  readonly id: string;
  readonly sequence: number;
  /** Bytes of the whole file, as announced. */
  readonly totalLength: number;
  /** The base64 of this piece, in the spelling it came in. */
  readonly data: string;
  readonly end: boolean;
  readonly item: JsonValue;
}

export type Progress =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "log"; readonly label: string; readonly status?: string };

/** What the kernel must know about a dialect to prepare a result for it. */
export interface Traits {
  /** What happens to user-only content by default (R40). */
  readonly audience: Extract<AudiencePolicy, "native" | "withhold">;
  /**
   * `field`: structured content has a channel of its own and content repeats it as text; `content`: one channel,
   * so copies are folded into the JSON form (R5); `verbatim`: the target says all, nothing is prepared.
   */
  readonly structured: "field" | "content" | "verbatim";
  /** Whether `error.message` has a place of its own; else it becomes the last text part. */
  readonly errorField: boolean;
  readonly widget: boolean;
  /** Whether users see what is written for the model (R43). */
  readonly showsModelText: boolean;
}

export interface Candidate {
  readonly dialect?: string;
  readonly confidence: "certain" | "possible";
  /** What in the document says so, in words. */
  readonly evidence: string;
}

/** One result found in a document. */
export interface Reading {
  readonly result: ToolResult;
  /** The raw value under the carry key, which is in no other field of `result`. */
  readonly carry?: JsonValue;
  /** The format that the result came from first, where the document says so (`ir`). */
  readonly origin?: Origin;
}

export interface Origin {
  readonly format: string;
  readonly dialect?: string;
}

/** Reports something that reading corrected or could not keep; the pointer leads into the document. */
export type Lose = (code: LossCode, pointer: Pointer, detail: string) => void;
export type Fail = (code: ErrorCode, pointer: Pointer, detail: string) => never;

export interface DecodeContext {
  readonly limits: Limits;
  readonly mode: "lenient" | "strict";
  readonly lose: Lose;
  readonly fail: Fail;
  /** Reads one JSON text found at `pointer` (a line, an event), with the limits; duplicate keys are reported. */
  json(text: string, pointer: Pointer): JsonValue;
}

export interface ParseContext extends DecodeContext {
  /** The dialect the caller named, if any; the spelling itself decides. */
  readonly dialect: string | undefined;
  /**
   * Says where something of the result came from: a part (the object put into `content`), or a field by its name
   * on the part or result object. Losses found later point there.
   */
  at<Value extends object>(value: Value, pointer: Pointer, field?: string): Value;
  /** Marks a value as payload of the user, where a duplicate key is a loss and not an error (R26). */
  payload<Value extends JsonValue>(value: Value, pointer: Pointer): Value;
  /**
   * Bytes as padded standard base64 (R60), with the MIME type of a `data:` URL; fails with `invalid-base64`, and
   * reports `base64-normalised` where another spelling was read.
   */
  base64(text: string, pointer: Pointer): { readonly data: string; readonly mimeType?: string };
  /**
   * Reads the JSON that a format puts into a string, which stands at `pointer`; undefined where the text is not JSON.
   * Never for content (R5). Pointers below `pointer` then end at the string (R20).
   */
  tryJson(text: string, pointer: Pointer): JsonValue | undefined;
}

export interface CanonicalContext extends ParseContext {
  /** The dialect whose spelling the canonical form has. */
  readonly target: string;
}

export interface RenderContext {
  readonly dialect: string;
  readonly options: ShapeOptions;
  /** The format whose spelling the result was read in, after a carry was applied; R8 holds where it is this one. */
  readonly origin: Origin;
  /** True where the extensions of this adapter come from its own payload or a signed carry (R63). */
  readonly trusted: boolean;
  /**
   * The id the target gets where it demands one: the caller's, the source's, or one derived from the content
   * (R53; the kernel reports that). Undefined only where the result has none and `demandCallId` was not called.
   */
  readonly toolCallId: string | undefined;
  /** As `toolCallId`, deriving one where there is none. */
  demandCallId(): string;
  /**
   * Reports a change of form. `place` is an IR pointer into the result handed to `render`: `/content/2`,
   * `/content/2/audience`, `/structuredContent`, `/status`, or `""`.
   */
  lose(code: LossCode, place: Pointer, detail: string): void;
  fail(code: ErrorCode, place: Pointer, detail: string): never;
  /**
   * Says that this wire item (block, message) shows part `index` of the result handed to `render`; the object
   * must be the one that stands in the document. Without it, parts are matched by position.
   */
  shows<Item extends JsonValue>(item: Item, index: number): Item;
}

/** A total table of renderers: a new part type breaks the build of every adapter that does not handle it (R2). */
export type PartRenderers<Result extends ToolResult, Extra extends readonly unknown[], Output> = {
  readonly [Type in Result["content"][number]["type"]]: (
    part: Extract<Result["content"][number], { type: Type }>,
    ...extra: Extra
  ) => Output;
};

/** The key under which a carry travels in a payload (R30); it does not change. */
export const carryKey = "dev.tool-result-gateway/carry";
/** The key of our marks on messages that are ours and not the tool's (R50a). */
export const markKey = "dev.tool-result-gateway/mark";

/** Checks nothing and returns the adapter: for the type, and as the place where an adapter begins. */
export function defineAdapter(adapter: Adapter): Adapter {
  return adapter;
}
