import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { post, type Running, startDemoGateway } from "./support.ts";

// Three real servers on sockets, each speaking its own platform's wire; expectations follow the mapping of the contract.
let gateway: Running;
beforeAll(async () => {
  gateway = await startDemoGateway();
});
afterAll(() => gateway.close());

const toolUse = (name: string, input: object) => ({ toolUseId: "call-1", name, input });

describe("a call in the caller's format is answered in the caller's format", () => {
  test("Strands calls a Dify plugin: text, picture and variable are content, the id is the call's", async () => {
    const answer = await post(`${gateway.url}/tools/weather`, toolUse("weather", { city: "Oslo" }));
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(answer.headers.get("tool-result-status")).toBe("success");
    expect(answer.headers.get("tool-call-id")).toBe("call-1");
    expect(answer.headers.get("tool-result-losses")).toMatch(/^count=[1-9].*severity=.*codes=\(.*\)$/);
    expect(await answer.json()).toMatchObject({
      toolUseId: "call-1",
      status: "success",
      content: [
        { text: "Light rain in Oslo" },
        { image: { format: "png", source: { bytes: { data: "iVBORw0KGgoAAAANSUhEUg==" } } } },
        { json: { celsius: 11 } },
      ],
    });
  });

  test("watsonx calls a Strands tool with nothing but the arguments", async () => {
    const answer = await post(`${gateway.url}/tools/forecast`, { city: "Lisbon" });
    expect(await answer.json()).toMatchObject({
      content: [{ type: "text", text: "Clear sky, then much the same." }, { type: "text" }],
      structuredContent: { days: [{ day: 1, celsius: 24 }, { day: 2 }, { day: 3 }] },
    });
  });

  test("Dify calls a watsonx tool: what only the user may see is in no message", async () => {
    const invoke = {
      user_id: "u",
      data: { provider: "bank", tool: "account", credentials: {}, tool_parameters: { account: "1207" } },
    };
    const answer = await post(`${gateway.url}/tools/account`, invoke);
    const messages = (await answer.json()) as readonly { readonly type: string; readonly message: object }[];
    expect(messages[0]).toEqual({ type: "text", message: { text: "Account 1207 is active." } });
    expect(JSON.stringify(messages.map(({ message }) => message))).not.toContain("5,000.00");
    expect(answer.headers.get("tool-result-losses")).toContain("user-only-withheld");
  });

  test("a tool's own error is a result of status error, with HTTP 200", async () => {
    const answer = await post(`${gateway.url}/tools/weather?to=watsonx`, { city: "Atlantis" });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("tool-result-status")).toBe("error");
    expect(await answer.json()).toMatchObject({
      isError: true,
      content: [{ type: "text", text: "no weather for this city" }],
    });
  });

  test("Accept chooses the framing", async () => {
    const call = (accept: string) =>
      post(`${gateway.url}/tools/weather?to=dify&call=arguments`, { city: "Oslo" }, { accept });
    const events = await call("text/event-stream");
    expect(events.headers.get("content-type")).toBe("text/event-stream");
    expect(await events.text()).toMatch(/^data: \{"code":0,"message":"success","data":\{"type":"log"/);
    const lines = await call("application/x-ndjson");
    expect(
      (await lines.text())
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line).type),
    ).toContain("blob_chunk");
    const list = await call("application/json");
    expect(Array.isArray(await list.json())).toBe(true);
  });
});

describe("the id of a call is the id of its result", () => {
  test("comes from a header where the call has no place for it", async () => {
    const answer = await post(
      `${gateway.url}/tools/account?to=strands&call=arguments`,
      { account: "1207" },
      { "Tool-Call-Id": "tooluse_7" },
    );
    expect(await answer.json()).toMatchObject({ toolUseId: "tooluse_7" });
  });

  test("is made by the gateway where nobody gives one, new for each call and without a loss", async () => {
    const call = async () => {
      const answer = await post(`${gateway.url}/tools/account?to=strands&call=arguments`, { account: "1" });
      const { toolUseId } = (await answer.json()) as { readonly toolUseId: string };
      expect(toolUseId).toMatch(/^tooluse_[a-zA-Z0-9_-]{22}$/);
      expect(answer.headers.get("tool-call-id")).toBe(toolUseId);
      expect(answer.headers.get("tool-result-losses")).not.toContain("call-id");
      return toolUseId;
    };
    expect(await call()).not.toBe(await call());
  });

  test("is invented for no caller whose format has none", async () => {
    const answer = await post(`${gateway.url}/tools/weather?to=watsonx`, { city: "Oslo" });
    expect(answer.headers.get("tool-call-id")).toBeNull();
    expect(await answer.text()).not.toContain("tooluse_");
  });
});

describe("what the caller does wrong is a problem, and calls no tool", () => {
  test.each([
    ["a tool that is not there", "/tools/wether", toolUse("wether", {}), 404, "unknown-tool"],
    ["no JSON", "/tools/weather", "{", 400, "invalid-json"],
    [
      "a call without arguments",
      "/tools/weather",
      { toolUseId: "a", name: "weather" },
      422,
      "invalid-payload",
    ],
    ["a call for another tool", "/tools/weather", toolUse("forecast", {}), 422, "invalid-payload"],
    [
      "a key that stands twice",
      "/tools/weather",
      '{"toolUseId":"a","toolUseId":"b","input":{}}',
      422,
      "duplicate-key",
    ],
    ["a format that is not there", "/tools/weather?to=watson", {}, 400, "unknown-format"],
    ["a dialect that is only read", "/tools/weather?to=dify:agent", {}, 400, "dialect-not-writable"],
    ["a parameter that is not there", "/tools/weather?too=dify", {}, 400, "invalid-option"],
    ["an empty id", "/tools/weather?toolCallId=", { toolUseId: "a", input: {} }, 400, "invalid-option"],
    ["a carry that has no place", "/tools/weather?carry=detached", {}, 400, "invalid-option"],
  ])("%s", async (_, path, body, status, code) => {
    const before = gateway.log.lines.length;
    const answer = await post(gateway.url + path, body);
    expect(answer.headers.get("content-type")).toBe("application/problem+json");
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({
      code,
      status,
      requestId: answer.headers.get("x-request-id"),
    });
    const line = gateway.log.lines[before];
    expect(line?.facts).toMatchObject({ endpoint: "/tools/:name", status, code });
    expect(line?.facts).not.toHaveProperty("upstream");
  });

  test("an Accept that no answer can meet", async () => {
    const answer = await post(`${gateway.url}/tools/weather`, {}, { accept: "image/png" });
    expect(answer.status).toBe(406);
  });

  test("a near name is offered", async () => {
    const answer = await post(`${gateway.url}/tools/wether`, {});
    expect(await answer.json()).toMatchObject({ detail: expect.stringContaining("did you mean weather?") });
  });
});

test("GET /tools lists what can be called", async () => {
  const { tools } = (await (await fetch(`${gateway.url}/tools`)).json()) as {
    readonly tools: readonly { readonly name: string }[];
  };
  expect(tools.map(({ name }) => name)).toEqual(["weather", "forecast", "account"]);
  expect(tools[0]).toMatchObject({
    to: "strands",
    description: expect.any(String),
    inputSchema: { type: "object", required: ["city"] },
  });
});
