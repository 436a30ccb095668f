/** The tools of the upstream: what they are called with, what they answer on each wire, and what a caller must get. */

/** In every call's arguments, headers and keys, and in what broken tools say: it may be in no log and in no answer. */
export const canary = "CANARY-5e1f0d";

/** Every value of an answer is made of the token of its call, so a foreign piece shows wherever it lands. */
export const tokenPattern = /tok[0-9a-f]{8}\d{7}z/g;

export function tokenOf(seed, index) {
  return `tok${(seed >>> 0).toString(16).padStart(8, "0")}${String(index).padStart(7, "0")}z`;
}

/** Bytes of the slices that a Dify plugin sends a file in. */
const sliceBytes = 8192;

const textOf = (token) => `done ${token}`;
const dataOf = ({ token, size }) => ({ token, padding: token.repeat(size) });
const fileOf = ({ token, size }) => Buffer.from(token.repeat(size * 40));

/** The one JSON body of a Strands tool. */
export function strandsBody(call, given) {
  const content = [{ text: textOf(given.token) }, { json: dataOf(given) }];
  return JSON.stringify({ toolUseId: call.toolUseId, status: "success", content });
}

/** The one JSON body of a watsonx tool. */
export function watsonxBody(given) {
  const content = [{ type: "text", text: textOf(given.token) }];
  return JSON.stringify({ content, structuredContent: dataOf(given) });
}

/** The frames of a Dify plugin daemon: a text, an object and a file in slices. */
export function difyFrames(given) {
  const file = fileOf(given);
  const slices = Array.from({ length: Math.ceil(file.length / sliceBytes) }, (_, index) =>
    file.subarray(index * sliceBytes, (index + 1) * sliceBytes).toString("base64"),
  );
  const meta = { mime_type: "text/plain", filename: "tokens.txt" };
  const chunks = [...slices, ""].map((blob, sequence) => ({
    type: "blob_chunk",
    message: {
      id: "file",
      sequence,
      total_length: file.length,
      blob,
      end: sequence === slices.length,
    },
    meta,
  }));
  return [
    { type: "text", message: { text: textOf(given.token) }, meta: null },
    { type: "json", message: { json_object: dataOf(given) }, meta: null },
    ...chunks,
  ].map(frameOf);
}

export function frameOf(data) {
  return `data: ${JSON.stringify({ code: 0, message: "success", data })}\n\n`;
}

/** Texts of a tool that never ends by itself. */
const endless = (token) => Array.from({ length: 10_000 }, () => token);

/** What a Strands agent must find in `content`. */
export function strandsContent(tool, given) {
  if (tool === "endless") return endless(given.token).map((text) => ({ text }));
  const content = [{ text: textOf(given.token) }, { json: dataOf(given) }];
  if (tool !== "dify") return content;
  const bytes = fileOf(given).toString("base64");
  return [...content, { document: { format: "txt", bytes } }];
}

/** What Dify's server must find in the stream, its messages put together. */
export function difyContent(tool, given) {
  if (tool === "endless") return { texts: endless(given.token), objects: [], files: [] };
  const content = { texts: [textOf(given.token)], objects: [dataOf(given)], files: [] };
  return tool === "dify" ? { ...content, files: [fileOf(given).toString("base64")] } : content;
}
