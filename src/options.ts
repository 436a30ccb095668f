import type { LossCode, Severity } from "./losses.ts";

/** Limits of what is read (R16); counted while reading and named in the error. */
export interface Limits {
  /** Levels of arrays and objects inside one result, without envelope and carry. */
  readonly maxDepth: number;
  /** Values in the document. */
  readonly maxNodes: number;
  /** Characters of one number. */
  readonly maxNumberLength: number;
  /** Parts of one result; a blob counts once. */
  readonly maxParts: number;
  /** Bytes of one line or event of a stream, unless it is a blob's. */
  readonly maxLineBytes: number;
  /** Bytes of one inline carry as JSON. */
  readonly carryLimit: number;
}

export const defaultLimits: Limits = {
  maxDepth: 128,
  maxNodes: Number.POSITIVE_INFINITY,
  maxNumberLength: 1024,
  maxParts: 10_000,
  maxLineBytes: 16 * 1024 * 1024,
  carryLimit: 256 * 1024,
};

/** What to do about content for the user only (R40); absent: the target dialect's own default. */
export const audiencePolicies = ["native", "withhold", "expose", "reject"] as const;
export type AudiencePolicy = (typeof audiencePolicies)[number];
export const carryModes = ["inline", "detached", "off"] as const;
export type CarryMode = (typeof carryModes)[number];
export const mirrorModes = ["both", "structured", "text"] as const;
export type MirrorMode = (typeof mirrorModes)[number];

/** How a result is shaped for its target; every one of these is recorded in a carry (R31). */
export interface ShapeOptions {
  readonly audience?: AudiencePolicy;
  /** `show` lets `structuredContent` through while user-only parts stay withheld (R41). */
  readonly structured?: "guard" | "show";
  /** `withhold` keeps content for the model only from targets that show it to users (R43). */
  readonly assistantOnly?: "write" | "withhold";
  /** Where watsonx gets the only JSON object of a result (section 3): both channels, or one. Default `both`. */
  readonly mirror?: MirrorMode;
  /** Name of an array variable that also gets the user-only texts on Dify (R40); absent: off. */
  readonly userVariable?: string;
  /** Strands: writes `{"text": ""}` instead of no content (R52). Default false. */
  readonly nonEmpty?: boolean;
  /** Strands: a suffix that makes document names unique over a whole request (R54). Default true. */
  readonly documentSuffix?: boolean;
  /** watsonx: `![name](url)` for a link to an image. Default true. */
  readonly imageMarkdown?: boolean;
  /** Strands `typescript`: `source.url` for images given as a link. Default false. */
  readonly imageUrl?: boolean;
}

/** Options of one conversion. */
export interface ConversionOptions extends ShapeOptions {
  /** `strict` fails on contradictions and on losses by the policy (R22, R26). Default `lenient`. */
  readonly mode?: "lenient" | "strict";
  /** Fails on these severities or codes, in either mode. */
  readonly failOn?: readonly (Severity | LossCode)[];
  /** Under `strict`: whether a loss that is not carried may pass. Default `refuse`. */
  readonly uncarried?: "refuse" | "allow";
  /** The id of the call, which comes before the source's own (R53). On reading several results: the one to take. */
  readonly toolCallId?: string;
  /** Where the carry goes (R30). Default `inline`. */
  readonly carry?: CarryMode;
  /** A carry that was handed out by `detached`, handed back. */
  readonly carried?: unknown;
  /** Secret that signs the carry; with it, an unsigned carry is rejected (R33). */
  readonly carryKey?: string;
  /** Position of this document in a batch, from 0: derived call ids differ by it (R53). Default 0. */
  readonly batchPosition?: number;
  readonly limits?: Partial<Limits>;
}
