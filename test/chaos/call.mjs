import { isDeepStrictEqual } from "node:util";
import { key } from "./processes.mjs";
import { canary, difyContent, strandsContent, tokenPattern } from "./tools.mjs";

/** One call: how it is sent, and what its answer comes to. */

/** The request of a call; `token` is in its arguments, its id and its request id. */
export function requestOf({ tool, to, given }) {
  const { token } = given;
  const body = JSON.stringify({ toolUseId: idOf(token), name: tool, input: { ...given, canary } });
  const head = [
    `POST /tools/${tool}?to=${to}&call=strands HTTP/1.1`,
    "Host: localhost",
    `Authorization: Bearer ${key}`,
    "Content-Type: application/json",
    `X-Request-Id: ${token}`,
    `X-Secret: ${canary}`,
    `Cookie: session=${canary}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}

/** The request of a path that everyone may see. */
export function getOf(path) {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
}

const idOf = (token) => `call-${token}`;

/** What a gateway may say of a call that it could not bring to a right end, by the status of the answer. */
const resultCodes = new Set([
  "upstream-unreachable",
  "upstream-disconnected",
  "upstream-timeout",
  "upstream-status",
  "upstream-protocol",
  "answer-invalid",
  "truncated",
  "draining",
]);
const problemCodes = new Set(["overloaded", "draining"]);

/**
 * Judges what `Client.send` gave: `right` is the whole value in its right place, `error` an explicit one with its code;
 * `refused` was never sent. Everything else is a fault of the gateway: `lost`, `crossed`, `leaked` (the canary), `wrong`.
 */
export function judge(call, { refused, lost, reader }) {
  if (refused !== undefined) return { verdict: "refused", why: refused };
  if (lost !== undefined)
    return { verdict: "lost", why: `${lost}, ${reader.body.length} bytes of this one came` };
  const { status, headers, trailers } = reader;
  const fields = { ...headers, ...trailers };
  const body = reader.body.toString();
  const everything = JSON.stringify(fields) + body;
  const { token } = call.given;
  const foreign = everything.match(tokenPattern)?.find((one) => one !== token);
  if (foreign !== undefined) return { verdict: "crossed", why: `${foreign} in the answer to ${token}` };
  if (everything.includes(canary)) return { verdict: "leaked", why: "the canary is in the answer" };
  try {
    if (fields["x-request-id"] !== token) throw new Error("the request id is another");
    if (status !== 200) return problem(status, fields, body);
    return call.to === "strands" ? strandsResult(call, fields, body) : difyResult(call, fields, body);
  } catch (error) {
    return { verdict: "wrong", why: `${error.message}: ${body.slice(0, 300)}` };
  }
}

function problem(status, fields, body) {
  const { code } = JSON.parse(body);
  const isProblem = fields["content-type"] === "application/problem+json" && status === 503;
  if (!isProblem || !problemCodes.has(code)) throw new Error(`the status is ${status}`);
  return { verdict: "error", code: `503 ${code}` };
}

function strandsResult({ tool, given }, fields, body) {
  const result = JSON.parse(body);
  const expected = strandsContent(tool, given);
  const content = result.content.map(plainBlock);
  if (result.toolUseId !== idOf(given.token)) throw new Error("the id is another");
  if (result.status === "success") return right(fields, isDeepStrictEqual(content, expected));
  if (result.status !== "error") throw new Error("there is no status");
  // What was complete before the fault, then the words of the gateway.
  const words = content.pop();
  if (typeof words?.text !== "string") throw new Error("the error has no message");
  return explicit(fields, isDeepStrictEqual(content, expected.slice(0, content.length)));
}

function plainBlock(block) {
  if (block.document === undefined) return block;
  const { format, source } = block.document;
  return { document: { format, bytes: source.bytes.data } };
}

function difyResult({ tool, given }, fields, body) {
  if (!body.endsWith("\n\n")) throw new Error("the last event is cut");
  const events = body
    .slice(0, -2)
    .split("\n\n")
    .filter((event) => !event.startsWith(":"));
  const frames = events.map((event) => JSON.parse(event.replace(/^data: /, "")));
  const isError = frames.at(-1).code !== 0;
  const messages = (isError ? frames.slice(0, -1) : frames).map(({ code, data }) => {
    if (code !== 0) throw new Error("an error stands before the end");
    return data;
  });
  const expected = difyContent(tool, given);
  const content = {
    texts: messages.filter(({ type, message }) => type === "text" && message.text !== "").map(textOf),
    objects: messages.filter(({ type }) => type === "json").map(({ message }) => message.json_object),
    files: filesOf(messages),
  };
  return isError
    ? explicit(fields, isBeginning(content, expected))
    : right(fields, isDeepStrictEqual(content, expected));
}

const textOf = ({ message }) => message.text;

/** The files of a stream, put together from their slices; one that has no end comes as far as it came. */
function filesOf(messages) {
  const chunks = messages.filter(({ type }) => type === "blob_chunk").map(({ message }) => message);
  if (chunks.length === 0) return [];
  return [Buffer.concat(chunks.map(({ blob }) => Buffer.from(blob, "base64"))).toString("base64")];
}

/** Whether a stream that was broken off holds nothing but the beginning of what it should hold. */
function isBeginning({ texts, objects, files: [file = ""] }, expected) {
  const whole = Buffer.from(expected.files[0] ?? "", "base64");
  const part = Buffer.from(file, "base64");
  return (
    isDeepStrictEqual(texts, expected.texts.slice(0, texts.length)) &&
    isDeepStrictEqual(objects, expected.objects.slice(0, objects.length)) &&
    whole.subarray(0, part.length).equals(part)
  );
}

function right(fields, isWhole) {
  if (fields["tool-result-status"] !== "success") throw new Error("the header does not say success");
  if (!isWhole) throw new Error("a success is not whole");
  return { verdict: "right" };
}

function explicit(fields, isOwn) {
  const code = /^error;code=([a-z-]+)$/.exec(fields["tool-result-status"])?.[1];
  if (!resultCodes.has(code)) throw new Error(`the header names no code: ${fields["tool-result-status"]}`);
  if (!isOwn) throw new Error("an error holds what the tool did not say");
  return { verdict: "error", code };
}
