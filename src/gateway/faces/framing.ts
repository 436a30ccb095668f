import { type Accept, parseAccept } from "hono/utils/accept";
import type { FormatInfo } from "../../converter.ts";
import { ConversionError } from "../../errors.ts";

/** How the text of a result is sent: which dialect is written, and what stands around it. */
export interface Framing {
  /** The target with its dialect: `dify:sse`. */
  readonly to: string;
  readonly mediaType: FrameType;
  /** Puts the text of one result between these. */
  readonly before: string;
  readonly after: string;
  /** What may stand between two pieces to keep the connection open; none where a piece is part of a document. */
  readonly heartbeat?: string;
}

/** The framings that `Accept` can choose, in the order of preference where it likes several alike. */
const frameTypes = ["application/json", "application/x-ndjson", "text/event-stream"] as const;
type FrameType = (typeof frameTypes)[number];

const heartbeat = ": ping\n\n";

/**
 * `Accept` chooses the framing and nothing else: a dialect of the wanted format that is lines or events by itself, or the
 * one document of the format as one line, or as one event. Without a preference the format's own framing holds. Throws
 * `not-acceptable`.
 */
export function framingOf(accept: string | null, to: string, formats: readonly FormatInfo[]): Framing {
  const [id, named] = to.split(":", 2);
  const writable = formats.find((format) => format.id === id)?.dialects.filter(({ output }) => output) ?? [];
  const own = writable.find((dialect) => dialect.id === named) ?? writable[0];
  // The caller's format was checked: it is there and can be written.
  if (own === undefined) throw new ConversionError("unknown-format", "the format is not there");
  const mediaType = preferred(accept, own.mediaType as FrameType);
  const withType = (type: string) =>
    own.mediaType === type ? own : writable.find((dialect) => dialect.mediaType === type);
  const dialect = withType(mediaType);
  if (dialect !== undefined) {
    const isEvents = mediaType === "text/event-stream";
    return {
      to: `${id}:${dialect.id}`,
      mediaType,
      before: "",
      after: "",
      ...(isEvents && { heartbeat }),
    };
  }
  const document = `${id}:${(withType("application/json") ?? own).id}`;
  return mediaType === "text/event-stream"
    ? { to: document, mediaType, before: "data: ", after: "\n\n", heartbeat }
    : { to: document, mediaType, before: "", after: "\n" };
}

/** The best framing by `Accept` (RFC 9110, 12.5.1); the format's own where it likes that as well as any. */
function preferred(accept: string | null, own: FrameType): FrameType {
  if (accept === null || accept.trim() === "") return own;
  const ranges = parseAccept(accept);
  const candidates = [own, ...frameTypes].map((type) => ({ type, quality: qualityOf(type, ranges) }));
  const best = candidates.reduce((left, right) => (right.quality > left.quality ? right : left));
  if (best.quality > 0) return best.type;
  throw new ConversionError("not-acceptable", `Accept takes none of ${frameTypes.join(", ")}`);
}

/** The most specific range that covers the type decides. */
function qualityOf(type: string, ranges: readonly Accept[]): number {
  const [group] = type.split("/", 1);
  for (const range of [type, `${group}/*`, "*/*"]) {
    const found = ranges.find((one) => one.type.toLowerCase() === range);
    if (found !== undefined) return found.q;
  }
  return 0;
}
