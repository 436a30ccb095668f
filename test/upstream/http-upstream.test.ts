import { afterEach, describe, expect, test } from "vitest";
import { httpUpstream } from "../../src/gateway/upstreams/http.ts";
import { json, startTools, type ToolServer } from "../gateway/support.ts";
import { bodyOf, callOf, openUpstream } from "./kinds.ts";
import { canary, codeOf, faultOf } from "./support.ts";

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function serving(
  answer: Parameters<typeof startTools>[0] = (_, response) => json(response, { content: [] }),
): Promise<ToolServer> {
  const tools = await startTools(answer);
  closers.push(tools.close);
  return tools;
}

function upstreamOf(tools: ToolServer, settings: object = {}) {
  const upstream = openUpstream(httpUpstream, { url: tools.url, ...settings });
  closers.push(() => upstream.close());
  return upstream;
}

describe("a call", () => {
  test("is one POST of a tool use, for a server that answers in that format", async () => {
    const tools = await serving();
    const upstream = upstreamOf(tools, { url: `${tools.url}/api`, headers: { Authorization: "Bearer key" } });
    await bodyOf(await upstream.call(callOf({ path: "/weather?units=metric" })));
    const [request, ...others] = tools.requests;
    expect(others).toEqual([]);
    expect(request).toMatchObject({ method: "POST", url: "/api/weather?units=metric" });
    expect(JSON.parse(request?.body ?? "")).toEqual({
      toolUseId: "call-1",
      name: "weather",
      input: { city: "Oslo" },
    });
  });

  test("has these headers and no others", async () => {
    const tools = await serving();
    const upstream = upstreamOf(tools, { headers: { Authorization: "Bearer key" } });
    await upstream.call(callOf());
    expect(tools.requests[0]?.headers).toEqual({
      host: tools.url.replace("http://", ""),
      connection: "keep-alive",
      authorization: "Bearer key",
      "content-type": "application/json",
      accept: "application/json",
      "accept-encoding": "identity",
      "x-request-id": "request-1",
      "content-length": expect.any(String),
    });
  });

  test("asks for what its route reads", async () => {
    const tools = await serving();
    const upstream = upstreamOf(tools, { call: "arguments" });
    for (const from of ["dify:sse", "dify", "watsonx"]) await upstream.call(callOf({ from }));
    expect(tools.requests.map(({ headers }) => headers.accept)).toEqual([
      "text/event-stream",
      "application/json, application/x-ndjson, text/event-stream",
      "application/json",
    ]);
  });

  test.each([
    ["arguments", { city: "Oslo" }],
    ["strands:typescript", { toolUse: { toolUseId: "call-1", name: "weather", input: { city: "Oslo" } } }],
  ])("can be spelled as %s, whatever the answer is", async (call, expected) => {
    const tools = await serving();
    await upstreamOf(tools, { call, method: "PUT" }).call(callOf({ from: "dify:sse" }));
    expect(tools.requests[0]?.method).toBe("PUT");
    expect(JSON.parse(tools.requests[0]?.body ?? "")).toEqual(expected);
  });

  test("is a bare object of arguments for watsonx, whose tools are operations", async () => {
    const tools = await serving();
    await upstreamOf(tools).call(callOf({ from: "watsonx" }));
    expect(JSON.parse(tools.requests[0]?.body ?? "")).toEqual({ city: "Oslo" });
  });
});

describe("an answer", () => {
  test.each([
    "application/json",
    "application/json; charset=UTF-8",
    'application/vnd.tool+json; charset="utf-8"',
    "application/x-ndjson",
    "text/event-stream",
  ])("of %s is read in the format of the route", async (type) => {
    const tools = await serving((_, response) => {
      response.setHeader("Content-Type", type);
      response.end("{}");
    });
    const answer = await upstreamOf(tools, { maxAnswerBytes: "1KiB" }).call(callOf({ from: "dify" }));
    expect(answer).toMatchObject({ from: "dify", maxHeldBytes: 1024 });
    expect(answer).not.toHaveProperty("failure");
    expect(await bodyOf(answer)).toBe("{}");
  });

  test("of no type is taken by what it says", async () => {
    const tools = await serving((_, response) => response.end("{}"));
    expect(await bodyOf(await upstreamOf(tools).call(callOf()))).toBe("{}");
  });

  test.each(["text/html", "text/plain", "application/octet-stream", "application/json; charset=iso-8859-1"])(
    "of %s is a fault of the protocol, and not shown",
    async (type) => {
      const tools = await serving((_, response) => {
        response.setHeader("Content-Type", type);
        response.end(canary);
      });
      expect((await faultOf(upstreamOf(tools).call(callOf()))).code).toBe("upstream-protocol");
    },
  );

  test.each([400, 404, 429, 500, 503])("of status %i is a failure, and not shown", async (status) => {
    const tools = await serving((_, response) => json(response, { error: canary }, status));
    const { code, message } = await faultOf(upstreamOf(tools).call(callOf()));
    expect(code).toBe("upstream-status");
    expect(message).toContain(String(status));
  });

  test("of a status of failure can be read, as a failure", async () => {
    const tools = await serving((_, response) => json(response, { content: [{ text: "why" }] }, 422));
    const answer = await upstreamOf(tools, { errorBody: "read" }).call(callOf());
    expect(codeOf(answer.failure)).toBe("upstream-status");
    expect(JSON.parse(await bodyOf(answer))).toEqual({ content: [{ text: "why" }] });
  });

  test("of a status of failure is not read where it is a page", async () => {
    const tools = await serving((_, response) => {
      response.writeHead(502, { "Content-Type": "text/html" });
      response.end(canary);
    });
    const call = upstreamOf(tools, { errorBody: "read" }).call(callOf());
    expect((await faultOf(call)).code).toBe("upstream-status");
  });
});

describe("a check", () => {
  test.each([200, 302, 404, 500])("calls no tool, and takes any status: %i", async (status) => {
    const tools = await serving((_, response) => {
      response.statusCode = status;
      response.end();
    });
    const upstream = upstreamOf(tools, { url: `${tools.url}/api` });
    expect(await upstream.check(new AbortController().signal)).toContain(String(status));
    expect(tools.requests).toMatchObject([{ method: "HEAD", url: "/api", body: "" }]);
  });

  test("fails where nothing is there", async () => {
    const tools = await startTools(() => {});
    await tools.close();
    const check = upstreamOf(tools).check(new AbortController().signal);
    expect((await faultOf(check)).code).toBe("upstream-unreachable");
  });
});

describe("settings", () => {
  test.each(["Content-Type", "accept", "Host", "Transfer-Encoding", "X-Request-ID", "no name", "a:b"])(
    "cannot add the header %s",
    (name) => {
      expect(
        httpUpstream.settings.safeParse({ url: "https://a.example", headers: { [name]: "a" } }).success,
      ).toBe(false);
    },
  );

  test.each(["two\nlines", "a\r\nX-B: c", "", " a", "ä"])("cannot give a header the value %j", (value) => {
    expect(
      httpUpstream.settings.safeParse({ url: "https://a.example", headers: { "X-Key": value } }).success,
    ).toBe(false);
  });

  test.each(["dify-workflow", "none"])("cannot name a call that there is not: %s", async (call) => {
    const tools = await serving();
    expect(() => upstreamOf(tools, { call })).toThrow(expect.objectContaining({ code: "unknown-format" }));
  });
});
