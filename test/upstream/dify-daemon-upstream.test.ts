import { afterEach, describe, expect, test } from "vitest";
import { difyDaemonUpstream } from "../../src/gateway/upstreams/dify-daemon.ts";
import { json, startTools, type ToolServer } from "../gateway/support.ts";
import { bodyOf, callOf, converter, openUpstream } from "./kinds.ts";
import { canary, codeOf, faultOf } from "./support.ts";

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function serving(answer: Parameters<typeof startTools>[0]): Promise<ToolServer> {
  const tools = await startTools(answer);
  closers.push(tools.close);
  return tools;
}

function upstreamOf({ url }: ToolServer, settings: object = {}) {
  const upstream = openUpstream(difyDaemonUpstream, {
    url,
    key: "daemon-key",
    tenant: "0b4f-1",
    plugin: "langgenius/weather",
    provider: "weather",
    ...settings,
  });
  closers.push(() => upstream.close());
  return upstream;
}

const frame = (type: string, message: object) =>
  `data: ${JSON.stringify({ code: 0, message: "success", data: { type, message, meta: null } })}\n\n`;

/** As the daemon nests an exception of a plugin: JSON in a string, twice. */
const errorFrame = (message: string) => {
  const inner = JSON.stringify({ args: { traceback: "Traceback" }, error_type: "ValueError", message });
  return JSON.stringify({
    code: -500,
    message: JSON.stringify({ message: inner, error_type: "PluginInvokeError", args: null }),
    data: null,
  });
};

const streaming =
  (...frames: readonly string[]): Parameters<typeof startTools>[0] =>
  (_, response) => {
    response.setHeader("Content-Type", "text/event-stream");
    // A comment, so that an answer without frames has a body all the same.
    response.end(`: begun\n\n${frames.join("")}`);
  };

/** Reads an answer as the gateway does. */
async function resultOf(answer: Awaited<ReturnType<ReturnType<typeof upstreamOf>["call"]>>) {
  const [parsed] = converter.parse(await bodyOf(answer), { from: answer.from });
  return parsed?.result;
}

describe("a call", () => {
  test("is one invocation of the plugin's tool, with key and credentials from the configuration", async () => {
    const tools = await serving(streaming());
    await upstreamOf(tools, { credentials: { api_key: "secret" } }).call(callOf());
    const [request, ...others] = tools.requests;
    expect(others).toEqual([]);
    expect(request).toMatchObject({
      method: "POST",
      url: "/plugin/0b4f-1/dispatch/tool/invoke",
      headers: {
        "content-type": "application/json",
        accept: "text/event-stream",
        "x-api-key": "daemon-key",
        "x-plugin-id": "langgenius/weather",
        "x-request-id": "request-1",
      },
    });
    expect(JSON.parse(request?.body ?? "")).toEqual({
      user_id: "tool-result-gateway",
      conversation_id: null,
      app_id: null,
      message_id: null,
      data: {
        provider: "weather",
        tool: "weather",
        credentials: { api_key: "secret" },
        credential_type: "api-key",
        tool_parameters: { city: "Oslo" },
      },
    });
  });

  test("from a Dify keeps its user and conversation, and not its provider", async () => {
    const tools = await serving(streaming());
    const fields = { user_id: "u1", conversation_id: "c1", provider: "other", credential_type: "oauth2" };
    const call = { name: "now", arguments: {}, context: { format: "dify", fields } };
    await upstreamOf(tools, { userId: "u0" }).call(callOf({ call }));
    expect(JSON.parse(tools.requests[0]?.body ?? "")).toMatchObject({
      user_id: "u1",
      conversation_id: "c1",
      data: { provider: "weather", tool: "now", credential_type: "api-key" },
    });
  });

  test("from elsewhere is the configured user's", async () => {
    const tools = await serving(streaming());
    const context = { format: "other", fields: { user_id: "u1" } };
    const call = { name: "now", arguments: {}, context };
    await upstreamOf(tools, { userId: "u0" }).call(callOf({ call }));
    expect(JSON.parse(tools.requests[0]?.body ?? "")).toMatchObject({ user_id: "u0" });
  });
});

describe("an answer", () => {
  test("is the event stream, whatever the route says", async () => {
    const tools = await serving(
      streaming(frame("text", { text: "Light " }), frame("text", { text: "rain" })),
    );
    const answer = await upstreamOf(tools).call(callOf({ from: "dify:list" }));
    expect(answer.from).toBe("dify:sse");
    expect(answer).not.toHaveProperty("failure");
    expect(await resultOf(answer)).toMatchObject({
      content: [
        { type: "text", text: "Light " },
        { type: "text", text: "rain" },
      ],
    });
  });

  test("can be bare lines", async () => {
    const line = (text: string) =>
      `${JSON.stringify({ code: 0, message: "success", data: { type: "text", message: { text }, meta: null } })}\n`;
    const tools = await serving(streaming(line("a"), line("b")));
    const result = await resultOf(await upstreamOf(tools).call(callOf()));
    expect(result?.content).toMatchObject([{ text: "a" }, { text: "b" }]);
  });

  test("that ends with an error frame is an error, with what came before", async () => {
    const tools = await serving(
      streaming(frame("text", { text: "so far" }), `data: ${errorFrame("city not found")}\n\n`),
    );
    expect(await resultOf(await upstreamOf(tools).call(callOf()))).toMatchObject({
      status: "error",
      content: [{ text: "so far" }],
      error: { message: "city not found", type: "ValueError" },
    });
  });

  test("with an HTTP error of the daemon is a failure that says what its envelope says (R51)", async () => {
    const tools = await serving((_, response) =>
      json(response, { code: -401, message: "unauthorized", data: null }, 401),
    );
    const answer = await upstreamOf(tools).call(callOf());
    expect(codeOf(answer.failure)).toBe("upstream-status");
    expect(await resultOf(answer)).toMatchObject({
      status: "error",
      error: { message: "unauthorized", code: -401 },
    });
  });

  test.each([
    ["a page", "text/html", canary],
    ["text", "text/plain", canary],
    ["other JSON", "application/json", JSON.stringify({ detail: canary })],
    ["a list", "application/json", JSON.stringify([canary])],
    ["a success in a failure", "application/json", JSON.stringify({ code: 0, message: canary })],
    ["a large one", "application/json", JSON.stringify({ code: -500, message: canary.repeat(30_000) })],
    ["nothing", "application/json", ""],
  ])("with an HTTP error and %s is a failure, and not shown", async (_, type, body) => {
    const tools = await serving((_request, response) => {
      response.writeHead(502, { "Content-Type": type });
      response.end(body);
    });
    const { code, message } = await faultOf(upstreamOf(tools).call(callOf()));
    expect(code).toBe("upstream-status");
    expect(message).toContain("502");
  });
});

describe("a check", () => {
  test("asks for the daemon's health, without its key", async () => {
    const tools = await serving((_, response) => json(response, { status: "ok" }));
    expect(await upstreamOf(tools).check(new AbortController().signal)).toBe("is healthy");
    expect(tools.requests).toMatchObject([{ method: "GET", url: "/health/check" }]);
    expect(tools.requests[0]?.headers).not.toHaveProperty("x-api-key");
  });

  test("fails where that is none", async () => {
    const tools = await serving((_, response) => json(response, { error: canary }, 500));
    const check = upstreamOf(tools).check(new AbortController().signal);
    expect((await faultOf(check)).code).toBe("upstream-status");
  });
});

test.each([
  { tenant: "../admin" },
  { tenant: "a/b" },
  { plugin: "weather" },
  { plugin: "a/b\r\nX-C: d" },
  { key: "two\nlines" },
])("settings that would reach elsewhere are refused: %j", (given) => {
  const fit = { url: "https://a.example", key: "k", tenant: "t", plugin: "a/b", provider: "p" };
  expect(difyDaemonUpstream.settings.safeParse(fit).success).toBe(true);
  expect(difyDaemonUpstream.settings.safeParse({ ...fit, ...given }).success).toBe(false);
});
