import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { post, type Running, startGateway, startTools, type ToolServer } from "./support.ts";

const frame = (type: string, message: object) =>
  `data: ${JSON.stringify({ code: 0, message: "success", data: { type, message, meta: null } })}\n\n`;

/** The answer of the tool's server that is open. */
let open: ServerResponse | undefined;
let tools: ToolServer;
let gateway: Running;

beforeAll(async () => {
  tools = await startTools(({ url }, response) => {
    open = response;
    if (url === "/silent") return;
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    response.write(frame("text", { text: "begun" }));
  });
  gateway = await startGateway({
    server: { heartbeat: "100ms", drainTimeout: "300ms" },
    upstreams: { tools: { kind: "http", url: tools.url } },
    routes: ["silent", "stream"].map((name) => ({
      name,
      upstream: "tools",
      from: "dify:sse",
      to: "strands",
      path: `/${name}`,
    })),
  });
});

afterAll(async () => {
  await gateway.close();
  await tools.close();
});

/** Sends a call whose answer the test does not wait for. */
function begin(path: string, accept = "application/json") {
  const sent = request(gateway.url + path, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: accept },
  });
  sent.on("error", () => {});
  sent.end("{}");
  return sent;
}

describe("a client that leaves ends the call to the tool's server", () => {
  test.each([
    ["before the tool's server answers", "/tools/silent?call=arguments", "application/json"],
    ["while the answer comes", "/tools/stream?call=arguments", "application/json"],
    ["while it waits for events", "/tools/silent?call=arguments", "text/event-stream"],
  ])("%s", async (_, path, accept) => {
    const before = tools.requests.length;
    const sent = begin(path, accept);
    await tools.arrived(before + 1);
    const closed = once(open as ServerResponse, "close");
    sent.destroy();
    await closed;
    expect(open?.writableFinished).toBe(false);
  });
});

test("an event stream that says nothing for a while is kept open by comments, and ends with its result", async () => {
  const before = tools.requests.length;
  const answering = post(`${gateway.url}/tools/silent?call=arguments`, {}, { accept: "text/event-stream" });
  await tools.arrived(before + 1);
  const answer = await answering;
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  expect((await reader?.read())?.value).toBe(": ping\n\n");
  open?.writeHead(200, { "Content-Type": "text/event-stream" });
  open?.end(frame("text", { text: "late" }));
  let rest = "";
  for (let step = await reader?.read(); step?.done === false; step = await reader?.read()) rest += step.value;
  expect(rest).toMatch(/^(: ping\n\n)*data: \{"toolUseId":.*"late".*\}\n\n$/);
});

test("a stopping gateway ends what is still open with a result that says so", async () => {
  const before = tools.requests.length;
  const answering = post(`${gateway.url}/tools/stream?call=arguments`, {});
  await tools.arrived(before + 1);
  const stopping = gateway.close();
  const answer = await answering;
  expect(answer.headers.get("tool-result-status")).toBe("error;code=draining");
  expect(await answer.json()).toMatchObject({ status: "error", content: [{ text: "begun" }, {}] });
  await stopping;
});
