import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { adapters } from "../adapters/index.ts";
import { nodeIo } from "../src/cli/node-io.ts";
import { run } from "../src/cli/program.ts";
import { type ConvertOptions, createConverter } from "../src/converter.ts";
import { type ErrorCode, errorCodes, errorTable, isConversionError } from "../src/errors.ts";
import { explain } from "../src/explain.ts";
import { lossCodes } from "../src/losses.ts";
import { createApp } from "../src/server/app.ts";
import { memoryIo } from "./memory-io.ts";

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
  "port-failed": () => ["serve", "--port", String(busyPort)],
};

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
  const known = [conversions, requests, commands].flatMap((causes) => Object.keys(causes));
  expect(known.sort()).toEqual([...errorCodes].sort());
});

describe("the library", () => {
  test.each(Object.entries(conversions))("throws %s", async (code, cause) => {
    expect(await codeOf(cause)).toBe(code);
  });
});

describe("the server", () => {
  test.each(Object.entries(requests))("answers %s", async (code, [path, init]) => {
    const app = createApp(createConverter(adapters), { maxBodyBytes: 100 });
    const answer = await app.request(path, init);
    expect(answer.status).toBe(errorTable[code as ErrorCode].http);
    expect(answer.headers.get("content-type")).toContain("application/problem+json");
    expect(await answer.json()).toMatchObject({ code });
  });
});

describe("the command", () => {
  test.each(Object.entries(commands))("ends with the status of %s", async (code, argv) => {
    const memory = memoryIo();
    // Files are those of this machine, whose errors are what is told.
    const io = { ...memory, open: nodeIo().open };
    expect(await run(argv(), io, { adapters, version: "0" })).toBe(errorTable[code as ErrorCode].exit);
    expect(memory.written.stderr).toContain(`trg: ${code}:`);
  });

  test.each([...new Set([...errorCodes, ...lossCodes])])("explains %s", async (code) => {
    const io = memoryIo();
    expect(await run(["explain", code], io, { adapters, version: "0" })).toBe(0);
    expect(io.written.stdout).toContain(code);
    const { loss, error } = explain(code);
    for (const entry of [loss, error])
      if (entry !== undefined) expect(io.written.stdout).toContain(entry.what);
  });
});
