import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { post, type Running, startGateway, startTools, type ToolServer } from "./support.ts";

const frame = (type: string, message: object) =>
  `data: ${JSON.stringify({ code: 0, message: "success", data: { type, message, meta: null } })}\n\n`;
const log = { id: "1", label: "half way", status: "start", data: {} };

let open: ServerResponse | undefined;
let tools: ToolServer;
let gateway: Running;

beforeAll(async () => {
  tools = await startTools((_, response) => {
    open = response;
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    response.write(frame("log", log));
  });
  gateway = await startGateway({
    faces: { difyDaemon: { url: tools.url, key: "key-of-the-daemon" } },
    upstreams: { tools: { kind: "http", url: tools.url } },
    routes: [{ name: "slow", upstream: "tools", from: "dify:sse", to: "dify" }],
  });
});

afterAll(async () => {
  await gateway.close();
  await tools.close();
});

async function* piecesOf(answer: Response): AsyncGenerator<string> {
  for await (const piece of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) yield piece;
}

describe("progress reaches a Dify caller as it happens", () => {
  const body = {
    data: { provider: "p", tool: "slow", credentials: {}, credential_type: "api-key", tool_parameters: {} },
  };

  test.each([
    ["through the daemon's address", "/plugin/t/dispatch/tool/invoke", { "X-Api-Key": "key-of-the-daemon" }],
    ["through the tool's address", "/tools/slow", { Accept: "text/event-stream" }],
  ])("%s", async (_, path, headers) => {
    const answer = await post(gateway.url + path, body, headers);
    const pieces = piecesOf(answer);
    const first = await pieces.next();
    // The tool has not ended yet.
    expect(open?.writableEnded).toBe(false);
    expect(first.value).toContain('"label":"half way","status":"start"');
    open?.end(frame("log", { ...log, status: "success" }) + frame("text", { text: "done" }));
    let rest = "";
    for await (const piece of pieces) rest += piece;
    expect(rest).toContain('"status":"success"');
    expect(rest).toContain('{"type":"text","message":{"text":"done"}');
  });

  test("and the reader's pace is the tool's: a caller that does not read stops the stream", async () => {
    const answer = await post(`${gateway.url}/tools/slow`, body, { Accept: "text/event-stream" });
    const response = open as ServerResponse;
    const piece = frame("text", { text: "x".repeat(60_000) });
    const drained = async () => {
      if (response.write(piece)) return true;
      return Promise.race([once(response, "drain").then(() => true), sleep(1000, false)]);
    };
    let written = 0;
    // All buffers on the way together hold far less than this.
    while (written < 2000 && (await drained())) written += 1;
    expect(written).toBeLessThan(2000);
    await answer.body?.cancel();
    await once(response, "close");
  });
});
