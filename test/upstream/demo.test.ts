import { afterAll, beforeAll, expect, test } from "vitest";
import { type DemoServer, demoKey, startDemo } from "../../src/gateway/demo/demo-server.ts";
import { post } from "../gateway/support.ts";
import { converter } from "./kinds.ts";

let demo: DemoServer;

beforeAll(async () => {
  demo = await startDemo();
});

afterAll(() => demo.close());

const invoke = (city: string, key = demoKey) =>
  post(
    `${demo.url}/plugin/demo/dispatch/tool/invoke`,
    { data: { provider: "weather", tool: "weather", tool_parameters: { city } } },
    { "x-api-key": key },
  );

/** The one result that a text is in a format. */
function resultOf(text: string, from: string) {
  const [parsed, ...others] = converter.parse(text, { from });
  expect(others).toEqual([]);
  return parsed?.result;
}

test("speaks the plugin daemon's event stream: text, a picture in chunks, a variable, a log", async () => {
  const answer = await invoke("Oslo");
  expect(answer.headers.get("content-type")).toBe("text/event-stream");
  const text = await answer.text();
  const events = text.split("\n\n").slice(0, -1);
  expect(events.every((event) => event.startsWith('data: {"code":0,"message":"success","data":{'))).toBe(
    true,
  );
  expect(events.filter((event) => event.includes('"blob_chunk"'))).toHaveLength(3);
  const result = resultOf(text, "dify:sse");
  expect(result?.content).toMatchObject([
    { type: "text", text: "Light rain in Oslo" },
    { type: "media", mimeType: "image/png" },
  ]);
  expect(result?.structuredContent).toEqual({ celsius: 11 });
  expect(result?.logs).toMatchObject([{ id: "log-1", status: "success" }]);
});

test("fails as a plugin does, with an error frame", async () => {
  const answer = await invoke("Atlantis");
  expect(answer.status).toBe(200);
  expect(resultOf(await answer.text(), "dify:sse")).toMatchObject({
    status: "error",
    error: { type: "ValueError", message: "no weather for this city" },
  });
});

test("asks for the daemon's key, as the daemon does", async () => {
  const answer = await invoke("Oslo", "other");
  expect(answer.status).toBe(401);
  expect(await answer.json()).toEqual({ code: -401, message: "unauthorized", data: null });
});

test("speaks Strands, with the id of the call", async () => {
  const forecast = async (city: string) =>
    (
      await post(`${demo.url}/strands/forecast`, { toolUseId: "call-1", name: "forecast", input: { city } })
    ).text();
  expect(resultOf(await forecast("Oslo"), "strands")).toMatchObject({
    toolCallId: "call-1",
    status: "success",
    content: [{ type: "text" }, { type: "json" }],
  });
  expect(resultOf(await forecast("Atlantis"), "strands")).toMatchObject({
    toolCallId: "call-1",
    status: "error",
  });
});

test("speaks watsonx, with a text that only the user may see", async () => {
  const answer = await post(`${demo.url}/watsonx/account`, { account: "1207" });
  const result = resultOf(await answer.text(), "watsonx");
  expect(result?.content).toMatchObject([
    { text: "Account 1207 is active." },
    { text: "Your balance is 5,000.00.", audience: ["user"] },
  ]);
});

test("is healthy, and has nothing else", async () => {
  expect(await (await fetch(`${demo.url}/health/check`)).json()).toEqual({ status: "ok" });
  expect((await fetch(`${demo.url}/elsewhere`)).status).toBe(404);
});
