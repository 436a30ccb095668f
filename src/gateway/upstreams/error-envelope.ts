import type { ConversionError } from "../../errors.ts";
import { isJsonObject } from "../../json/json-kind.ts";
import type { ClientAnswer } from "../client/http-client.ts";
import { discard } from "./answer-body.ts";

/** An envelope holds one message, at most with a traceback in it. */
const maxBytes = 256 * 1024;

/**
 * The body of a failure where it is the plugin daemon's own `{code, message, data}`, whose message is meant for Dify and
 * is read as an error frame is (R51). Throws the failure itself for any other body: a page of a proxy, a stack trace.
 */
export async function errorEnvelope(
  answer: ClientAnswer,
  failure: ConversionError,
): Promise<AsyncIterable<Uint8Array>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) break;
  }
  await discard(answer);
  const body = Buffer.concat(chunks);
  if (!isEnvelope(body.toString("utf8"))) throw failure;
  return one(body);
}

async function* one(body: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield body;
}

function isEnvelope(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return (
      isJsonObject(value) &&
      typeof value.code === "number" &&
      value.code !== 0 &&
      typeof value.message === "string"
    );
  } catch {
    return false;
  }
}
