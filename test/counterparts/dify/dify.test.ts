import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answerNames, answers } from "../answers.ts";
import { pythonOf } from "../environments.ts";
import { callArguments, callId, callTool, demoTools, post, type Running, startGateway } from "../gateway.ts";
import { preparedConfig, startPreparedTools } from "../prepared-tools.ts";
import { runScript } from "../script.ts";
import { daemonKey, startPluginDaemon } from "./plugin-daemon.ts";

/** As plugin/tools/radar.py makes it. */
const image = Buffer.concat([
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  Buffer.from(Array.from({ length: 256 * 80 }, (_, index) => index % 256)),
]);

const dialects = ["dify", "dify:ndjson", "dify:sse"] as const;
const pluginTools = ["radar", "failing"] as const;
const routedTools = [...answerNames, ...pluginTools];
const tools = [...routedTools, ...demoTools];

interface Message {
  readonly type: string;
  readonly message: Readonly<Record<string, unknown>>;
  readonly meta?: Readonly<Record<string, unknown>> | null;
}

interface Validated {
  readonly kind: string;
  readonly value: Message;
}

/** The class of the SDK that a type's payload is read as. */
const kinds: Readonly<Record<string, string>> = {
  text: "TextMessage",
  link: "TextMessage",
  image: "TextMessage",
  json: "JsonMessage",
  blob: "BlobMessage",
  blob_chunk: "BlobChunkMessage",
  variable: "VariableMessage",
  log: "LogMessage",
  retriever_resources: "RetrieverResourceMessage",
};

describe("dify-plugin", () => {
  let running: readonly Running[];
  let gateway: Running;
  let daemon: Running;
  /** What the gateway answered, by tool and dialect. */
  const received = new Map<string, Received>();
  /** What the SDK makes of the messages. */
  let validated: Readonly<Record<string, readonly Validated[]>>;

  beforeAll(async () => {
    const prepared = await startPreparedTools(answers);
    daemon = await startPluginDaemon();
    gateway = await startGateway(withPlugin(preparedConfig(answers, prepared), daemon));
    const demo = await startGateway();
    running = [demo, gateway, daemon, prepared];
    for (const tool of tools) {
      const server = demoTools.some((name) => name === tool) ? demo : gateway;
      for (const to of dialects) {
        const body = await post(`${server.url}/tools/${tool}?to=${to}`, difyCall(tool));
        received.set(`${tool} as ${to}`, readAnswer(body, to));
      }
    }
    for (const tool of routedTools) {
      received.set(`${tool} in the daemon's place`, readAnswer(await invoke(gateway, tool), "dify:sse"));
    }
    const asked = Object.fromEntries([...received].map(([name, { messages }]) => [name, messages]));
    validated = await runScript(pythonOf("dify"), "dify/messages.py", asked);
  });

  afterAll(() => Promise.all(running.map((one) => one.stop())));

  const names = [
    ...tools.flatMap((tool) => dialects.map((to) => `${tool} as ${to}`)),
    ...routedTools.map((tool) => `${tool} in the daemon's place`),
  ];
  test.for(names)("%s: the SDK's class takes every message as what it is", (name) => {
    const messages = received.get(name)?.messages ?? [];
    expect(messages.length).toBeGreaterThan(0);
    expect(validated[name]).toEqual(messages.map((value) => ({ kind: kinds[value.type], value })));
  });

  test.for(["strands-error", "watsonx-error", "dify-error", "failing"])(
    "%s: an error is the daemon's error frame",
    (tool) => {
      const { failure } = received.get(`${tool} as dify:sse`) as Received;
      expect(failure).toMatchObject({ code: -500, data: null });
      const outer = JSON.parse(failure?.message ?? "");
      expect(outer.error_type).toBe("PluginInvokeError");
      expect(JSON.parse(outer.message).message).toBe("city not found");
    },
  );

  test("a tool that the gateway does not have is the plugin's own, byte for byte", async () => {
    const passed = await invoke(gateway, "direct");
    expect(passed).toContain("Not by the gateway: Oslo");
    expect(passed).toBe(await invoke(daemon, "direct"));
  });

  describe("a plugin's tool", () => {
    test("comes to Strands with everything that the SDK sent", async () => {
      const { status, toolUseId, content } = JSON.parse(
        await callTool(gateway, "radar", "strands:typescript"),
      ).toolResult;
      expect({ status, toolUseId }).toEqual({ status: "success", toolUseId: callId });
      expect(content).toEqual([
        { text: "Light rain in Oslo" },
        { json: { celsius: 7, hours: [1, 2.5, null] } },
        { image: { format: "png", source: { bytes: image.toString("base64") } } },
        { json: expect.objectContaining({ type: "resource_link", uri: "https://example.com/radar" }) },
        { json: { station: { name: "Blindern", height: 94 } } },
      ]);
    });

    test("comes to watsonx with its variables as structured content", async () => {
      const { content, structuredContent } = JSON.parse(await callTool(gateway, "radar", "watsonx"));
      expect(structuredContent).toEqual({ station: { name: "Blindern", height: 94 } });
      expect(content).toContainEqual({
        type: "image",
        data: image.toString("base64"),
        mimeType: "image/png",
      });
    });

    test("comes back to the SDK byte for byte, in chunks of its own size", () => {
      const messages = validated["radar as dify:sse"]?.map(({ value }) => value) ?? [];
      const chunks = messages.filter(({ type }) => type === "blob_chunk").map(({ message }) => message);
      const bytes = chunks.map(({ blob }) => Buffer.from(String(blob), "base64"));
      expect(Buffer.concat(bytes).equals(image)).toBe(true);
      expect(bytes.map((chunk) => chunk.length)).toEqual([8192, 8192, 4104, 0]);
    });

    test("that raises is an error with what it said before, without its traceback", async () => {
      const body = await callTool(gateway, "failing", "strands:typescript");
      expect(JSON.parse(body).toolResult).toEqual({
        toolUseId: callId,
        status: "error",
        content: [{ text: "asking" }, { text: "city not found" }],
      });
      expect(await callTool(gateway, "failing", "dify:sse")).not.toContain("Traceback");
    });
  });
});

/** Calls a tool as Dify's server calls its plugin daemon. */
function invoke({ url }: Running, tool: string): Promise<string> {
  return post(`${url}/plugin/tenant-1/dispatch/tool/invoke`, difyCall(tool), {
    "X-Api-Key": daemonKey,
    "X-Plugin-ID": "example/counterpart",
  });
}

/** The body of that call. */
function difyCall(tool: string): string {
  const data = {
    provider: "counterpart",
    tool,
    credentials: {},
    credential_type: "unauthorized",
    tool_parameters: callArguments,
  };
  return JSON.stringify({ user_id: "user-1", data });
}

interface Received {
  readonly messages: readonly Message[];
  /** The error frame at the end of a stream. */
  readonly failure: { readonly code: number; readonly message: string; readonly data: null } | undefined;
}

/** The messages of an answer in a dialect. */
function readAnswer(body: string, to: (typeof dialects)[number]): Received {
  switch (to) {
    case "dify":
      return { messages: JSON.parse(body), failure: undefined };
    case "dify:ndjson":
      return { messages: linesOf(body), failure: undefined };
    case "dify:sse": {
      const frames = linesOf(body.replaceAll(/^data: /gm, ""));
      return {
        messages: frames.filter(({ code }) => code === 0).map(({ data }) => data),
        failure: frames.find(({ code }) => code !== 0),
      };
    }
  }
}

function linesOf(body: string) {
  return body
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

/** A configuration with the plugin's tools beside the others, and the gateway in the daemon's place. */
function withPlugin({ upstreams, routes }: ReturnType<typeof preparedConfig>, { url }: Running): object {
  const daemon = { url, key: daemonKey, allowPrivate: true };
  const plugin = {
    kind: "dify-daemon",
    ...daemon,
    tenant: "tenant-1",
    plugin: "example/counterpart",
    provider: "counterpart",
  };
  const own = pluginTools.map((name) => ({ name, upstream: "plugin", from: "dify:sse", to: "dify" }));
  return {
    faces: { difyDaemon: daemon },
    upstreams: { ...upstreams, plugin },
    routes: [...routes, ...own],
  };
}
