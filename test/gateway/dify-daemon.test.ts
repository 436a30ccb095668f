import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { json, post, type Running, startGateway, startTools, type ToolServer } from "./support.ts";

const key = "the-key-of-the-daemon";
const invokePath = "/plugin/tenant-1/dispatch/tool/invoke";

/** A plugin daemon: it says what it was asked, and of its own tools what a daemon says. */
let daemon: ToolServer;
let tools: ToolServer;
let gateway: Running;

beforeAll(async () => {
  daemon = await startTools(({ method, url, body }, response) => {
    if (url === invokePath) {
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      response.end(
        'data: {"code":0,"message":"success","data":{"type":"text","message":{"text":"own"}}}\n\n',
      );
      return;
    }
    if (url?.startsWith("/moved") === true) {
      response.writeHead(302, {
        Location: "/elsewhere",
        "Set-Cookie": "a=b",
        Connection: "x-hop",
        "X-Hop": "1",
      });
      response.end();
      return;
    }
    response.setHeader("X-Own", "kept");
    json(response, { method, url, length: body.length }, 418);
  });
  tools = await startTools(({ body }, response) => {
    const { toolUseId, input } = JSON.parse(body);
    json(response, {
      toolUseId,
      status: input.fail ? "error" : "success",
      content: [{ text: "called" }, { json: input }],
    });
  });
  gateway = await startGateway({
    faces: { difyDaemon: { url: daemon.url, key, providers: ["author/tools"] } },
    upstreams: { tools: { kind: "http", url: tools.url } },
    routes: [{ name: "echo", upstream: "tools", from: "strands", to: "dify" }],
  });
});

afterAll(async () => {
  await gateway.close();
  await Promise.all([daemon.close(), tools.close()]);
});

const invocation = (provider: string, tool: string, parameters: object) => ({
  user_id: "u-1",
  data: {
    provider,
    tool,
    credentials: { secret: "s" },
    credential_type: "api-key",
    tool_parameters: parameters,
  },
});

const invoke = (body: unknown, headers: Readonly<Record<string, string>> = { "X-Api-Key": key }) =>
  post(gateway.url + invokePath, body, headers);

describe("Dify's server is pointed at the gateway", () => {
  test("the gateway's own tool answers with the daemon's frames", async () => {
    const answer = await invoke(invocation("author/tools", "echo", { n: 1 }));
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/event-stream");
    const frames = (await answer.text()).trimEnd().split("\n\n");
    expect(frames.slice(0, 2).map((frame) => JSON.parse(frame.replace(/^data: /, "")))).toEqual([
      { code: 0, message: "success", data: { type: "text", message: { text: "called" } } },
      { code: 0, message: "success", data: { type: "json", message: { json_object: { n: 1 } } } },
    ]);
    // The credentials that Dify holds for its own provider go nowhere.
    expect(tools.requests.at(-1)?.body).not.toContain("secret");
  });

  test("a tool's error is the daemon's error frame, the last one, after the content", async () => {
    const frames = (await (await invoke(invocation("author/tools", "echo", { fail: true }))).text())
      .trimEnd()
      .split("\n\n")
      .map((frame) => JSON.parse(frame.replace(/^data: /, "")));
    expect(frames[0]).toMatchObject({ code: 0, data: { type: "text" } });
    expect(frames.at(-1)).toMatchObject({ code: -500, data: null });
    expect(JSON.parse(frames.at(-1).message)).toMatchObject({ error_type: "PluginInvokeError" });
  });

  test("a wrong key is refused before anything is read, and nobody is called", async () => {
    const seen = [daemon.requests.length, tools.requests.length];
    for (const headers of [{}, { "X-Api-Key": "the-key-of-another" }] as const) {
      const answer = await invoke(invocation("author/tools", "echo", {}), headers);
      expect(answer.status).toBe(401);
      expect(await answer.json()).toMatchObject({ code: "unauthorized" });
    }
    expect([daemon.requests.length, tools.requests.length]).toEqual(seen);
  });

  test.each([
    ["another tool", invocation("author/tools", "other", {})],
    ["a tool of the same name of another provider", invocation("langgenius/other", "echo", {})],
  ])("%s is the daemon's: its very bytes go there and come back", async (_, body) => {
    const sent = JSON.stringify(body, undefined, 1);
    const answer = await invoke(sent);
    expect(await answer.text()).toContain('{"text":"own"}');
    expect(daemon.requests.at(-1)).toMatchObject({ method: "POST", url: invokePath, body: sent });
    expect(daemon.requests.at(-1)?.headers["x-api-key"]).toBe(key);
  });

  test("every other path is passed through as it is, with its status and headers", async () => {
    const upload = "x".repeat(100_000);
    const answer = await fetch(`${gateway.url}/plugin/t/management/install?a=1&b=%2F`, {
      method: "PUT",
      headers: { "Content-Type": "multipart/form-data; boundary=b", "X-Api-Key": key },
      body: upload,
    });
    expect(answer.status).toBe(418);
    expect(answer.headers.get("x-own")).toBe("kept");
    expect(await answer.json()).toEqual({
      method: "PUT",
      url: "/plugin/t/management/install?a=1&b=%2F",
      length: upload.length,
    });
  });

  test("a redirect is passed on and not followed; fields of one connection stay there", async () => {
    const answer = await fetch(`${gateway.url}/moved`, { redirect: "manual", headers: { "X-Api-Key": key } });
    expect(answer.status).toBe(302);
    expect(answer.headers.get("location")).toBe("/elsewhere");
    expect(answer.headers.get("x-hop")).toBeNull();
  });

  test("what no key was shown for stays outside, but for the daemon's health check", async () => {
    const seen = daemon.requests.length;
    expect((await fetch(`${gateway.url}/plugin/t/management/list`)).status).toBe(401);
    expect((await fetch(`${gateway.url}/tools/`)).status).toBe(401);
    expect(daemon.requests).toHaveLength(seen);
    expect((await fetch(`${gateway.url}/health/check`)).status).toBe(418);
  });

  test("a body that is the daemon's to judge goes there as it is, one for an own tool is judged here", async () => {
    const odd = '{"data":{"provider":"langgenius/other","tool":"echo","tool_parameters":null}}';
    expect(await (await invoke(odd)).text()).toContain('{"text":"own"}');
    expect(daemon.requests.at(-1)?.body).toBe(odd);
    const own = await invoke('{"data":{"provider":"author/tools","tool":"echo","tool_parameters":null}}');
    expect(own.status).toBe(422);
  });

  test("a daemon that is gone is a problem for whoever wants the daemon", async () => {
    const lonely = await startGateway({ faces: { difyDaemon: { url: "http://127.0.0.1:1", key } } });
    const answer = await fetch(`${lonely.url}/health/check`);
    expect(answer.status).toBe(502);
    expect(await answer.json()).toMatchObject({ code: "upstream-unreachable" });
    await lonely.close();
  });
});
