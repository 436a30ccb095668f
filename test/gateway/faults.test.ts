import type { ServerResponse } from "node:http";
import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { json, post, type Running, startGateway, startTools, type ToolServer } from "./support.ts";

/** Planted in everything that a tool's server says when it fails. */
const canary = "CANARY-5f0c";

const frame = (text: string) =>
  `data: ${JSON.stringify({ code: 0, message: "success", data: { type: "text", message: { text }, meta: null } })}\n\n`;

const answers: Readonly<Record<string, (response: ServerResponse) => void>> = {
  "/failing": (response) => {
    response.setHeader("X-Secret", canary);
    json(response, { error: canary, content: [{ type: "text", text: canary }] }, 500);
  },
  "/page": (response) => {
    response.setHeader("Content-Type", "text/html");
    response.end(`<h1>${canary}</h1>`);
  },
  "/broken": (response) => json(response, `{"toolUseId":"${canary}`),
  "/other": (response) => json(response, { hello: canary }),
  "/empty": (response) => json(response, ""),
  "/no-content-stream": (response) => {
    response.writeHead(204);
    response.end();
  },
  "/redirect": (response) => {
    response.writeHead(307, { Location: `/failing?${canary}` });
    response.end();
  },
  "/coded": (response) => {
    response.writeHead(200, { "Content-Type": "application/json", "Content-Encoding": "gzip" });
    response.end(Buffer.from("1f8b", "hex"));
  },
  "/silent": () => {},
  "/stalled": (response) => {
    response.writeHead(200, { "Content-Type": "application/json" });
    response.write('{"toolUseId":');
  },
  "/cut-head": (response) => response.socket?.destroy(),
  "/cut-body": (response) => {
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": "100" });
    response.write('{"toolUseId":', () => response.socket?.destroy());
  },
  "/cut-between-events": (response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    response.write(frame("half"), () => response.socket?.destroy());
  },
  "/large": (response) => json(response, { toolUseId: "a", content: [{ text: "x".repeat(3000) }] }),
  "/large-stream": (response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    response.end(frame("x".repeat(3000)));
  },
};

let tools: ToolServer;
let gateway: Running;

beforeAll(async () => {
  tools = await startTools(({ url }, response) => answers[url ?? ""]?.(response));
  const free = await freePort();
  const limits = { headersTimeout: "300ms", idleTimeout: "300ms", totalTimeout: "5s", maxAnswerBytes: 2000 };
  const routes = Object.keys(answers).map((path) => ({
    name: path.slice(1),
    upstream: "tools",
    from: path.includes("events") || path.includes("stream") ? "dify:sse" : "strands",
    to: "strands",
    path,
  }));
  const first = routes[0];
  gateway = await startGateway({
    upstreams: {
      tools: { kind: "http", url: tools.url, ...limits },
      reading: { kind: "http", url: tools.url, errorBody: "read" },
      gone: { kind: "http", url: `http://127.0.0.1:${free}` },
      slow: { kind: "http", url: tools.url, headersTimeout: "10s", totalTimeout: "400ms" },
    },
    routes: [
      ...routes,
      ...routes.map((route) => ({ ...route, name: `${route.name}-problem`, upstreamErrors: "problem" })),
      { ...first, name: "gone", upstream: "gone" },
      { ...first, name: "gone-problem", upstream: "gone", upstreamErrors: "problem" },
      { ...first, name: "slow", upstream: "slow", path: "/silent" },
      { ...first, name: "read", upstream: "reading", from: "watsonx" },
    ],
  });
});

afterAll(async () => {
  await gateway.close();
  await tools.close();
});

const call = (name: string, headers = {}) =>
  post(`${gateway.url}/tools/${name}`, { toolUseId: "call-1", input: {} }, headers);

const faults = [
  ["gone", "upstream-unreachable", 502],
  ["failing", "upstream-status", 502],
  ["page", "upstream-protocol", 502],
  ["redirect", "upstream-protocol", 502],
  ["coded", "upstream-protocol", 502],
  ["silent", "upstream-timeout", 504],
  ["stalled", "upstream-timeout", 504],
  ["cut-head", "upstream-disconnected", 502],
  ["cut-body", "upstream-disconnected", 502],
  ["cut-between-events", "upstream-disconnected", 502],
  ["broken", "answer-invalid", 502],
  ["other", "answer-invalid", 502],
  ["empty", "answer-invalid", 502],
  ["no-content-stream", "answer-invalid", 502],
  ["large", "answer-too-large", 502],
  ["large-stream", "answer-too-large", 502],
] as const;

describe("what the tool's server does wrong is a result of status error", () => {
  test.each(faults)("%s: %s", async (name, code) => {
    const answer = await call(name);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("tool-result-status")).toBe(`error;code=${code}`);
    const text = await answer.text();
    expect(JSON.parse(text)).toMatchObject({ toolUseId: "call-1", status: "error" });
    // `error.code` has no field in Strands; the carry has it.
    expect(text).toContain(`"code":"${code}"`);
    expect(text).not.toContain(canary);
  });

  test("the time of the whole call ends it, too", async () => {
    const answer = await call("slow");
    expect(answer.headers.get("tool-result-status")).toBe("error;code=upstream-timeout");
    expect(await answer.text()).toContain("totalTimeout");
  });

  test("what a stream had said before it was cut is kept", async () => {
    const { content } = (await (await call("cut-between-events")).json()) as {
      readonly content: readonly object[];
    };
    expect(content[0]).toEqual({ text: "half" });
    expect(content).toHaveLength(2);
  });

  test("a route can have the body of a failure read: its content stays, its status is error", async () => {
    const answer = await call("read");
    expect(answer.headers.get("tool-result-status")).toBe("error;code=upstream-status");
    expect(await answer.json()).toMatchObject({ status: "error", content: [{ text: canary }, {}] });
  });
});

describe("a route can have it as a problem", () => {
  test.each(faults)("%s: %s with %i", async (name, code, status) => {
    const answer = await call(`${name}-problem`);
    expect(answer.status).toBe(status);
    expect(answer.headers.get("content-type")).toBe("application/problem+json");
    const text = await answer.text();
    expect(JSON.parse(text)).toMatchObject({ code, status });
    expect(text).not.toContain(canary);
  });
});

test("a fault of the way is a warning in the log, with its code", async () => {
  const before = gateway.log.lines.length;
  await (await call("page")).text();
  expect(gateway.log.lines[before]).toMatchObject({
    level: "warn",
    facts: { route: "page", upstream: "tools", status: 200, result: "error", code: "upstream-protocol" },
  });
});

test("each call was sent once, and no log line tells what was said", async () => {
  const sent = tools.requests.filter(({ url }) => url === "/cut-head").length;
  await call("cut-head");
  expect(tools.requests.filter(({ url }) => url === "/cut-head")).toHaveLength(sent + 1);
  expect(JSON.stringify(gateway.log.lines)).not.toContain(canary);
});

test("nothing of the caller's own headers goes upstream", async () => {
  await call("other", {
    Authorization: `Bearer ${canary}`,
    Cookie: canary,
    "X-Forwarded-For": "10.0.0.1",
    "X-Api-Key": canary,
    traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  });
  const headers = tools.requests.at(-1)?.headers ?? {};
  expect(Object.keys(headers).sort()).toEqual([
    "accept",
    "accept-encoding",
    "connection",
    "content-length",
    "content-type",
    "host",
    "x-request-id",
  ]);
  expect(headers["accept-encoding"]).toBe("identity");
});

/** A port of this machine on which nobody listens. */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { readonly port: number };
      server.close(() => resolve(port));
    });
  });
}
