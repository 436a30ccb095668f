import { nearest } from "./nearest.ts";
import { type Pointer, rootPointer } from "./pointer.ts";

/** One way a call can fail: what it means, and what a face answers. */
export interface ErrorEntry {
  /** One sentence: what happened. */
  readonly what: string;
  /** What the person who sees it can do. */
  readonly todo: string;
  /** HTTP status of the problem document. */
  readonly http: number;
  /** Exit status of the command line (`exitCodes`). */
  readonly exit: number;
}

/** Exit statuses of `trg`; a signal ends it with 128 and its number. */
export const exitCodes = {
  ok: 0,
  /** A conversion, validation or detection failed. */
  failed: 1,
  /** Wrong usage or configuration. */
  usage: 2,
  /** Losses that the policy refuses. */
  lossesRefused: 3,
  /** A file, the network or a port. */
  system: 4,
} as const;

const input = { http: 400, exit: exitCodes.failed } as const;
const content = { http: 422, exit: exitCodes.failed } as const;
const usage = { http: 400, exit: exitCodes.usage } as const;

/** Every error that a call of this package can end with; the closed list behind `ErrorCode`. */
export const errorTable = {
  "invalid-json": {
    what: "The input is not one JSON document; the offset says where reading stopped.",
    todo: "Send exactly one JSON value as RFC 8259 has it. NaN and Infinity are not JSON: have the producer write null or a string.",
    ...input,
  },
  "invalid-utf8": {
    what: "The bytes are not valid UTF-8; nothing was replaced.",
    todo: "Send UTF-8. For UTF-16 text convert it first, for example with `iconv -f UTF-16 -t UTF-8`.",
    ...input,
  },
  "invalid-value": {
    what: "The value handed in is not a JSON value (an undefined, a function, a class instance, a cycle, NaN).",
    todo: "Pass what JSON.parse would give; call toJSON() on SDK objects first.",
    ...input,
  },
  "depth-exceeded": {
    what: "Arrays and objects are nested deeper than the limit `maxDepth`.",
    todo: "Flatten the payload, or raise the limit.",
    ...input,
  },
  "too-many-nodes": {
    what: "The document holds more values than the limit `maxNodes`.",
    todo: "Send less, or raise the limit.",
    ...input,
  },
  "number-too-long": {
    what: "The text of a number is longer than the limit `maxNumberLength`.",
    todo: "Send the digits as a string, or raise the limit.",
    ...input,
  },
  "too-many-parts": {
    what: "The result has more parts than the limit `maxParts`.",
    todo: "Send fewer parts, or raise the limit.",
    ...input,
  },
  "line-too-long": {
    what: "One line or event of a stream is longer than the limit `maxLineBytes` and is no blob's.",
    todo: "Send large files as blob chunks, or raise the limit.",
    ...input,
  },
  "duplicate-key": {
    what: "A key of an envelope, of annotations or of a call stands twice: two readers would see two different things.",
    todo: "Have the producer write each key once.",
    ...content,
  },
  "invalid-payload": {
    what: "The document is not a tool result, or a call of a tool, of the named format.",
    todo: "Check `from`; the pointer says which value does not fit. `trg detect` names the likely format.",
    ...content,
  },
  "invalid-base64": {
    what: "A base64 text holds characters or a length that no base64 spelling has.",
    todo: "Have the producer send base64 of the bytes; nothing was guessed.",
    ...content,
  },
  "invalid-status": {
    what: "The status is none that the format knows.",
    todo: "Send one of the values named in the message; a status is never guessed.",
    ...content,
  },
  "contradictory-payload": {
    what: "A value says two things at once (two content keys, text and bytes, a type against its payload) under `strict`.",
    todo: "Send one of the two, or use the lenient mode, which splits and reports.",
    ...content,
  },
  "many-results": {
    what: "The document holds several tool results.",
    todo: "Name one with `toolCallId`, or take all with `convertAll`.",
    ...content,
  },
  "result-not-found": {
    what: "No result of the document has the wanted `toolCallId`, or the document holds none.",
    todo: "Use one of the ids named in the message.",
    ...content,
  },
  "not-a-result": {
    what: "The document is a state on the way to a result (a task, a question to the user, a running workflow).",
    todo: "Wait for the final answer and convert that.",
    ...content,
  },
  "protocol-error": {
    what: "The document is a JSON-RPC error, which is an answer of the protocol and not of the tool.",
    todo: "Handle it as a protocol error; it is no tool result.",
    ...content,
  },
  "blob-out-of-sequence": {
    what: "Chunks of a blob are missing, doubled, out of order under `strict`, or come after its end.",
    todo: "Have the sender number the chunks 0, 1, 2 and end each blob once.",
    ...content,
  },
  "blob-length-mismatch": {
    what: "A blob has more bytes than it announced, or under `strict` fewer.",
    todo: "Have the sender announce the true length.",
    ...content,
  },
  "stream-not-sequential": {
    what: "Several blobs are open at once, and more than the limit would have to be held.",
    todo: "Send one blob after the other, or convert the whole document instead of a stream.",
    ...content,
  },
  truncated: {
    what: "The source ended in the middle: an event was cut, or a file was still open.",
    todo: "Ask the tool again. A result that was complete before the cut has this code in `error.code`.",
    ...content,
  },
  "audience-refused": {
    what: "The result has content for the user only, and the policy `audience: reject` refuses it.",
    todo: "Use `withhold` to keep it away from the model, or `expose` to show it.",
    ...content,
  },
  "losses-refused": {
    what: "The conversion has losses that the policy refuses; they stand in the error.",
    todo: "Look at the losses. What must not pass can be named (`failOn`, --fail-on): with `error` alone, warnings pass.",
    http: 422,
    exit: exitCodes.lossesRefused,
  },
  "ambiguous-format": {
    what: "More than one format could have written the document.",
    todo: "Name the format with `from`; the candidates stand in the message.",
    ...content,
  },
  "unrecognised-format": {
    what: "No format recognises the document.",
    todo: "Name the format with `from`; `trg formats` lists them.",
    ...content,
  },
  "unknown-format": {
    what: "No adapter has this id.",
    todo: "Use one of the formats named, or pass your adapter.",
    ...usage,
  },
  "unknown-dialect": {
    what: "The format has no such dialect.",
    todo: "Use one of the dialects named.",
    ...usage,
  },
  "dialect-not-writable": {
    what: "The dialect is read only.",
    todo: "Write one of the dialects named.",
    ...usage,
  },
  "unknown-code": {
    what: "No loss and no error has this code.",
    todo: "Use one of the codes named.",
    ...usage,
  },
  "invalid-option": {
    what: "An option has a value that it cannot have.",
    todo: "Use one of the values named.",
    ...usage,
  },
  "invalid-adapter": {
    what: "The adapter does not have the shape of the contract.",
    todo: "Compare it with the `ir` adapter, which is the template.",
    ...usage,
  },
  "adapter-failed": {
    what: "An adapter or a plugin threw something else than its contract allows; this is a fault of its own.",
    todo: "Report it to its author with the message; the server's log names the kind of the error and its place.",
    http: 500,
    exit: exitCodes.failed,
  },
  "body-too-large": {
    what: "The request body is larger than the limit.",
    todo: "Send less, or raise the limit.",
    http: 413,
    exit: exitCodes.failed,
  },
  "unsupported-media-type": {
    what: "The request body has a media type or a content coding that this endpoint does not read.",
    todo: "Send application/json, application/x-ndjson or text/event-stream without a content coding.",
    http: 415,
    exit: exitCodes.failed,
  },
  "not-found": {
    what: "There is nothing at this path.",
    todo: "`GET /` lists the paths.",
    http: 404,
    exit: exitCodes.failed,
  },
  "method-not-allowed": {
    what: "The path does not have this method.",
    todo: "Use the method named in `Allow`.",
    http: 405,
    exit: exitCodes.failed,
  },
  unauthorized: {
    what: "The request has no key that this server knows.",
    todo: "Send a key as `Authorization: Bearer KEY` or `x-api-key: KEY`.",
    http: 401,
    exit: exitCodes.failed,
  },
  "host-refused": {
    what: "The Host header names a host that this server does not answer for.",
    todo: "Use a name that the server is known by, or add the name to the setting `server.hosts`.",
    http: 403,
    exit: exitCodes.failed,
  },
  "origin-refused": {
    what: "The request comes from a web page of an origin that is not allowed.",
    todo: "Call from a server, or add the origin to the setting `server.origins`.",
    http: 403,
    exit: exitCodes.failed,
  },
  "request-refused": {
    what: "The request is not of a form that this server takes (two Host headers, an absolute address, too many headers).",
    todo: "Send an ordinary request to this server's own address.",
    http: 400,
    exit: exitCodes.failed,
  },
  "unknown-tool": {
    what: "No route has this name.",
    todo: "`GET /tools` lists the tools.",
    http: 404,
    exit: exitCodes.failed,
  },
  "not-acceptable": {
    what: "The `Accept` header takes none of the media types that the answer can have.",
    todo: "Accept application/json, application/x-ndjson or text/event-stream.",
    http: 406,
    exit: exitCodes.failed,
  },
  overloaded: {
    what: "The server has as many calls, or holds as many bytes, as it may.",
    todo: "Wait as long as `Retry-After` says and try again; the tool was not called. Or raise the limit named.",
    http: 503,
    exit: exitCodes.failed,
  },
  "rate-limited": {
    what: "The key has made more calls than its rate allows.",
    todo: "Wait as long as `Retry-After` says and try again; the tool was not called.",
    http: 429,
    exit: exitCodes.failed,
  },
  draining: {
    what: "The server is stopping and takes no new calls.",
    todo: "Try again on a new connection; the tool was not called.",
    http: 503,
    exit: exitCodes.failed,
  },
  "upstream-unreachable": {
    what: "No connection to the tool's server could be made; the tool was not called.",
    todo: "Check that it runs at the configured address: `trg config check --connect`.",
    http: 502,
    exit: exitCodes.system,
  },
  "upstream-address-refused": {
    what: "The tool's server is at an address that the configuration does not allow.",
    todo: "Where the address is meant to be private, set `allowPrivate: true` on that upstream.",
    http: 502,
    exit: exitCodes.system,
  },
  "upstream-timeout": {
    what: "The tool's server took longer than its limit; the message names the phase. The tool may have run.",
    todo: "Raise the timeout named, or look at why the tool is slow. Only repeat the call if running it twice does no harm.",
    http: 504,
    exit: exitCodes.system,
  },
  "upstream-disconnected": {
    what: "The connection to the tool's server broke before the answer was complete. The tool may have run.",
    todo: "Look at that server's log. Only repeat the call if running it twice does no harm.",
    http: 502,
    exit: exitCodes.system,
  },
  "upstream-status": {
    what: "The tool's server answered with an HTTP status of failure.",
    todo: "Look at that server's log; its answer is not shown, since such texts often hold secrets.",
    http: 502,
    exit: exitCodes.system,
  },
  "upstream-protocol": {
    what: "The tool's server answered with something that this gateway does not take: a redirect, a content coding, or no HTTP.",
    todo: "Configure the final address, and have the server answer without compression.",
    http: 502,
    exit: exitCodes.system,
  },
  "answer-invalid": {
    what: "The tool's server answered with something that is no result of the route's format; the message names the fault.",
    todo: "Check `from` of the route, and what the server sends: `trg validate --from FORMAT` reads a saved answer.",
    http: 502,
    exit: exitCodes.system,
  },
  "answer-too-large": {
    what: "The answer of the tool's server is larger than its limit.",
    todo: "Raise `maxAnswerBytes` of the upstream, or have the tool send large files as a stream of chunks.",
    http: 502,
    exit: exitCodes.system,
  },
  cancelled: {
    what: "The caller has gone before the answer was complete.",
    todo: "Nothing: the call to the tool's server was ended.",
    http: 499,
    exit: exitCodes.failed,
  },
  "invalid-config": {
    what: "The configuration holds a value that it cannot have; the message names file, line and column.",
    todo: "`trg config check` checks a file, `trg config init` writes one to begin with, `trg config schema` helps an editor.",
    http: 500,
    exit: exitCodes.usage,
  },
  usage: { what: "The command was called wrongly.", todo: "See `trg help`.", ...usage },
  "file-failed": {
    what: "A file could not be read or written.",
    todo: "Check the path and its rights.",
    http: 500,
    exit: exitCodes.system,
  },
  "port-failed": {
    what: "The server could not listen on the address.",
    todo: "Choose a free port with `--port`.",
    http: 500,
    exit: exitCodes.system,
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof errorTable;

export const errorCodes = Object.keys(errorTable) as readonly ErrorCode[];

const brand = Symbol.for("tool-result-gateway/conversion-error");

export interface ConversionErrorDetails {
  /** JSON Pointer into the document the caller handed in. */
  readonly pointer?: Pointer;
  /** Data for programs: ids of `many-results`, candidates of `ambiguous-format`, losses of `losses-refused`. */
  readonly data?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/**
 * The one error of this package. `message` names the place, what was expected and the kind of what was received,
 * never the payload itself.
 */
export class ConversionError extends Error {
  readonly code: ErrorCode;
  readonly pointer: Pointer;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, detail: string, details: ConversionErrorDetails = {}) {
    super(detail, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "ConversionError";
    this.code = code;
    this.pointer = details.pointer ?? rootPointer;
    this.data = details.data ?? {};
    Object.defineProperty(this, brand, { value: true });
  }
}

/** True for a ConversionError, also of another copy of this package. */
export function isConversionError(value: unknown): value is ConversionError {
  return typeof value === "object" && value !== null && brand in value;
}

/** The error for a word that is none of a closed list; it names the nearest and all. */
export function unknownWord(
  code: ErrorCode,
  kind: string,
  word: string,
  known: readonly string[],
): ConversionError {
  const near = nearest(word, known);
  const hint = near === undefined ? "." : `; did you mean ${near}?`;
  // A long list would hide the hint.
  const list = near !== undefined && known.length > 20 ? "" : ` Known: ${known.join(", ")}`;
  return new ConversionError(code, `unknown ${kind} ${JSON.stringify(word)}${hint}${list}`, {
    data: { known },
  });
}
