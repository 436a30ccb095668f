import type { ServerResponse } from "node:http";
import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { adapters } from "../adapters/index.ts";
import { nodeIo } from "../src/cli/node-io.ts";
import { run } from "../src/cli/program.ts";
import { type ConvertOptions, createConverter } from "../src/converter.ts";
import { type ErrorCode, errorCodes, errorTable, isConversionError } from "../src/errors.ts";
import { explain } from "../src/explain.ts";
import { builtInParts } from "../src/gateway/built-in.ts";
import { openHttpClient } from "../src/gateway/client/open-http-client.ts";
import { connectionShape } from "../src/gateway/config/values.ts";
import { lossCodes } from "../src/losses.ts";
import { json, post, startGateway, startTools } from "./gateway/support.ts";
import { memoryIo } from "./memory-io.ts";
import { conversionApp, shellOf } from "./server/support.ts";

// One cause for each code of the error table; what a cause gives is the code and its statuses in the table.
const { convert, convertStream } = createConverter(adapters);
const [first] = adapters;
if (first === undefined) throw new Error("there are no adapters");

const options = { from: "watsonx", to: "strands" } as const satisfies ConvertOptions;
const chunk = (sequence: number, end: boolean, total = 4) =>
  `{"type":"blob_chunk","message":{"id":"b","sequence":${sequence},"total_length":${total},"blob":"AAAA","end":${end}}}`;
const slice = Buffer.alloc(8192).toString("base64");
const bigChunk = (id: string, sequence: number) =>
  `{"type":"blob_chunk","message":{"id":"${id}","sequence":${sequence},"total_length":9000000,"blob":"${slice}","end":false}}\n`;
const bigFile = Array.from({ length: 140 }, (_, sequence) => bigChunk("a", sequence)).join("");
const userOnly = '{"content":[{"type":"text","text":"a","annotations":{"audience":["user"]}}]}';

const conversions: Partial<Record<ErrorCode, () => unknown>> = {
  "invalid-json": () => convert("{", options),
  "invalid-utf8": () => convert(new Uint8Array([0x22, 0xff, 0x22]), options),
  "invalid-value": () => convert({ content: [undefined] } as never, options),
  "depth-exceeded": () => convert("[".repeat(200) + "]".repeat(200), options),
  "too-many-nodes": () => convert("[1,2,3]", { ...options, limits: { maxNodes: 2 } }),
  "number-too-long": () => convert("1".repeat(2000), options),
  "too-many-parts": () => convert('{"content":["a","b"]}', { ...options, limits: { maxParts: 1 } }),
  "line-too-long": () =>
    convert(`data: {"type":"text","message":{"text":"${"a".repeat(50)}"}}\n\n`, {
      ...options,
      from: "dify:sse",
      limits: { maxLineBytes: 40 },
    }),
  "duplicate-key": () => convert('{"content":[],"content":[]}', options),
  "invalid-payload": () => convert('{"content":[{"type":"text","text":5}]}', options),
  "invalid-base64": () =>
    convert('{"content":[{"type":"image","mimeType":"image/png","data":"@"}]}', options),
  "invalid-status": () =>
    convert('{"toolUseId":"t","status":"ok","content":[]}', { ...options, from: "strands" }),
  "contradictory-payload": () =>
    convert('{"toolUseId":"t","status":"success","content":[{"text":"a","json":{}}]}', {
      from: "strands",
      to: "dify",
      mode: "strict",
    }),
  "many-results": () =>
    convert('[{"toolResult":{"toolUseId":"a","content":[]}},{"toolResult":{"toolUseId":"b","content":[]}}]', {
      from: "strands",
      to: "dify",
    }),
  "result-not-found": () =>
    convert('[{"toolResult":{"toolUseId":"a","content":[]}},{"toolResult":{"toolUseId":"b","content":[]}}]', {
      from: "strands",
      to: "dify",
      toolCallId: "c",
    }),
  "not-a-result": () => convert('{"resultType":"input_required","content":[]}', options),
  "protocol-error": () => convert('{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"m"}}', options),
  "blob-out-of-sequence": () =>
    convert(`[${chunk(0, false, 9)},${chunk(0, true, 9)}]`, { ...options, from: "dify" }),
  "blob-length-mismatch": () => convert(`[${chunk(0, true, 1)}]`, { ...options, from: "dify" }),
  "stream-not-sequential": () => drained([bigFile, bigChunk("b", 0)]),
  truncated: () => drained([bigFile]),
  "audience-refused": () => convert(userOnly, { ...options, audience: "reject" }),
  "losses-refused": () => convert(userOnly, { ...options, mode: "strict" }),
  "ambiguous-format": () => convert('{"content":[]}', { from: "auto", to: "dify" }),
  "unrecognised-format": () => convert("5", { from: "auto", to: "dify" }),
  "unknown-format": () => convert("{}", { from: "watson", to: "dify" }),
  "unknown-dialect": () => convert("{}", { from: "dify:sees", to: "dify" }),
  "dialect-not-writable": () => convert("{}", { from: "watsonx", to: "dify:agent" }),
  "unknown-code": () => explain("json-as-txt"),
  "invalid-option": () => convert("{}", { ...options, audience: "hide" as never }),
  "upstream-address-refused": () => connection("http://10.0.0.1/"),
  cancelled: () =>
    connection("http://example.com/").send({
      method: "GET",
      path: "",
      headers: {},
      signal: AbortSignal.abort(),
    }),
  "invalid-adapter": () => createConverter([{ ...first, id: "A" }]),
  "adapter-failed": () =>
    convert("{}", {
      from: {
        ...first,
        parse: () => {
          throw new TypeError("a fault");
        },
      },
      to: "dify",
    }),
};

async function drained(texts: readonly string[]): Promise<void> {
  async function* source(): AsyncGenerator<string> {
    yield* texts;
  }
  for await (const _ of convertStream(source(), { from: "dify:ndjson", to: "strands" }));
}

const requests: Partial<Record<ErrorCode, readonly [path: string, init: RequestInit]>> = {
  "body-too-large": [
    "/v1/detect",
    { method: "POST", headers: { "content-type": "application/json" }, body: " ".repeat(200) },
  ],
  "unsupported-media-type": [
    "/v1/detect",
    { method: "POST", headers: { "content-type": "image/png" }, body: "a" },
  ],
  "not-found": ["/v2", {}],
  "method-not-allowed": ["/v1/convert", {}],
  "host-refused": ["/v1/formats", { headers: { host: "attacker.example" } }],
};

let busyPort = 0;
const busy = createServer();
beforeAll(
  () =>
    new Promise<void>((resolve) => {
      busy.listen(0, "127.0.0.1", () => {
        const address = busy.address();
        busyPort = typeof address === "object" && address !== null ? address.port : 0;
        resolve();
      });
    }),
);
afterAll(() => new Promise<void>((resolve) => busy.close(() => resolve())));

const commands: Partial<Record<ErrorCode, () => readonly string[]>> = {
  usage: () => ["convert", "--frm", "dify"],
  "file-failed": () => ["convert", "--to", "dify", "/no/such/file"],
  "invalid-config": () => ["serve", "--port", "none"],
  "port-failed": () => ["serve", "--port", String(busyPort)],
};

/** Calls of tools, by routes that want the faults of their upstream as problems. */
const key = "k".repeat(32);
const toolAnswers: Readonly<Record<string, (response: ServerResponse) => void>> = {
  "/failing": (response) => json(response, {}, 500),
  "/moved": (response) => json(response, {}, 307),
  "/cut": (response) => response.socket?.destroy(),
  "/silent": () => {},
  "/other": (response) => json(response, {}),
  "/large": (response) => json(response, { toolUseId: "a", content: [{ text: "a".repeat(300) }] }),
};

interface ToolCall {
  readonly path: string;
  readonly settings?: object;
  readonly server?: object;
  readonly auth?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** Calls that are made first, and not waited for. */
  readonly before?: number;
}

const calls: Partial<Record<ErrorCode, ToolCall>> = {
  unauthorized: { path: "/other", auth: { keys: [{ name: "ops", key }] } },
  "origin-refused": { path: "/other", headers: { origin: "https://example.com" } },
  "unknown-tool": { path: "/not-there" },
  "not-acceptable": { path: "/other", headers: { accept: "image/png" } },
  overloaded: { path: "/silent", server: { maxInFlight: 1, maxQueued: 0 }, before: 1 },
  "rate-limited": {
    path: "/silent",
    server: { rate: 1 },
    auth: { keys: [{ name: "ops", key }] },
    headers: { "x-api-key": key },
    before: 1,
  },
  "request-refused": { path: "/other", server: { maxHeaders: 1 } },
  "upstream-unreachable": { path: "/other", settings: { url: "http://127.0.0.1:1" } },
  "upstream-timeout": { path: "/silent", settings: { headersTimeout: "200ms", totalTimeout: "200ms" } },
  "upstream-disconnected": { path: "/cut" },
  "upstream-status": { path: "/failing" },
  "upstream-protocol": { path: "/moved" },
  "answer-invalid": { path: "/other" },
  "answer-too-large": { path: "/large", settings: { maxAnswerBytes: 100 } },
};

async function problemOf({
  path,
  settings = {},
  server = {},
  auth = {},
  headers,
  before = 0,
}: ToolCall): Promise<Response> {
  const tools = await startTools(({ url }, response) => toolAnswers[url ?? ""]?.(response));
  const route = { upstream: "tools", from: "strands", to: "strands", upstreamErrors: "problem" };
  const gateway = await startGateway({
    server,
    auth,
    upstreams: { tools: { kind: "http", url: tools.url, ...settings } },
    routes: Object.keys(toolAnswers).map((one) => ({ ...route, name: one.slice(1), path: one })),
  });
  const call = () => post(`${gateway.url}/tools${path}`, { toolUseId: "a", input: {} }, headers);
  const earlier = Array.from({ length: before }, call);
  for (const one of earlier) one.catch(() => {});
  if (before > 0) await tools.arrived(before);
  const answer = await call();
  await tools.close();
  await gateway.close();
  return answer;
}

/** A connection as the gateway makes it, by settings that reach nothing private. */
function connection(url: string) {
  return openHttpClient(new URL(url), z.object(connectionShape).parse({ allowHttp: true }));
}

async function codeOf(cause: () => unknown): Promise<string> {
  try {
    await cause();
  } catch (error) {
    if (isConversionError(error)) return error.code;
    throw error;
  }
  return "nothing failed";
}

test("every code of the table has a cause here", () => {
  const known = [conversions, requests, calls, commands].flatMap((causes) => Object.keys(causes));
  expect([...known, "draining"].sort()).toEqual([...errorCodes].sort());
});

describe("the library", () => {
  test.each(Object.entries(conversions))("throws %s", async (code, cause) => {
    expect(await codeOf(cause)).toBe(code);
  });
});

describe("the server", () => {
  test.each(Object.entries(requests))("answers %s", async (code, [path, init]) => {
    const app = conversionApp(createConverter(adapters), { maxBodyBytes: 100 });
    const answer = await app.request(path, init);
    expect(answer.status).toBe(errorTable[code as ErrorCode].http);
    expect(answer.headers.get("content-type")).toContain("application/problem+json");
    expect(await answer.json()).toMatchObject({ code });
  });
});

describe("the gateway", () => {
  test.each(Object.entries(calls))("answers %s", async (code, call) => {
    const answer = await problemOf(call);
    expect(await answer.json()).toMatchObject({ code });
    expect(answer.status).toBe(errorTable[code as ErrorCode].http);
  });

  test("answers draining", async () => {
    const shell = shellOf();
    shell.drain.begin();
    const answer = await conversionApp(createConverter(adapters), {}, shell).request("/readyz");
    expect(answer.status).toBe(errorTable.draining.http);
    expect(await answer.json()).toMatchObject({ code: "draining" });
  });
});

describe("the command", () => {
  test.each(Object.entries(commands))("ends with the status of %s", async (code, argv) => {
    const memory = memoryIo();
    // Files are those of this machine, whose errors are what is told.
    const io = { ...memory, open: nodeIo().open };
    expect(await run(argv(), io, { adapters, gateway: builtInParts, version: "0" })).toBe(
      errorTable[code as ErrorCode].exit,
    );
    expect(memory.written.stderr).toContain(`trg: ${code}:`);
  });

  test.each([...new Set([...errorCodes, ...lossCodes])])("explains %s", async (code) => {
    const io = memoryIo();
    expect(await run(["explain", code], io, { adapters, gateway: builtInParts, version: "0" })).toBe(0);
    expect(io.written.stdout).toContain(code);
    const { loss, error } = explain(code);
    for (const entry of [loss, error])
      if (entry !== undefined) expect(io.written.stdout).toContain(entry.what);
  });
});
