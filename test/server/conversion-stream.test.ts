import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApp } from "../../src/server/app.ts";
import { type Listener, listen } from "../../src/server/listen.ts";
import { chunkedImage, imageBase64 } from "../dify-stream.ts";
import { converter, HttpCall, post, problem, shellOf, surfacesOf, userOnly } from "./support.ts";

const frame = (data: unknown): string => `data: ${JSON.stringify({ code: 0, message: "success", data })}\n\n`;
const text = (value: string): string => frame({ type: "text", message: { text: value }, meta: null });
const sliceBytes = 8192;
/** More than a conversion holds of a file before it passes it on. */
const slices = 150;
const slice = Buffer.alloc(sliceBytes, 7).toString("base64");
const fileChunk = (sequence: number, end = false): string =>
  frame({
    type: "blob_chunk",
    message: { id: "f", sequence, total_length: slices * sliceBytes, blob: end ? "" : slice, end },
    meta: { mime_type: "application/zip", filename: "map.zip" },
  });
const fileBegin = Array.from({ length: slices - 1 }, (_, sequence) => fileChunk(sequence)).join("");
const fileEnd = fileChunk(slices - 1) + fileChunk(slices, true);

const shell = shellOf({ maxBodyBytes: 4 * 1024 * 1024 });
const maxHeld = 2 * 1024 * 1024;
let listener: Listener;
const call = (query: string, type: string) => new HttpCall(`${listener.url}/v1/convert?${query}`, type);
const events = "text/event-stream";
const lines = "application/x-ndjson";

beforeAll(async () => {
  const surfaces = surfacesOf(converter, shell, { maxBodyBytes: maxHeld });
  listener = await listen(createApp(surfaces, shell), shell);
});
afterAll(() => listener.stop());

describe("a body of events", () => {
  const query = "from=dify:sse&to=watsonx&carry=off";

  test("that is whole at once is answered as a whole, with its losses in the header", async () => {
    const answer = await call(query, events).answer(chunkedImage);
    expect(answer.status).toBe(200);
    expect(answer.headers["content-type"]).toBe("application/json");
    expect(answer.headers["tool-result-losses"]).toBe("count=0");
    expect(answer.headers.trailer).toBeUndefined();
    expect(JSON.parse(answer.body).content).toEqual([
      { type: "text", text: "sunny" },
      { type: "image", data: imageBase64, mimeType: "image/png" },
    ]);
  });

  test("is recognised by its media type where `from` names no dialect", async () => {
    const answer = await call("from=dify&to=watsonx&carry=off", events).answer(chunkedImage);
    expect(JSON.parse(answer.body).content).toHaveLength(2);
  });

  test("is answered while it comes, with the losses in a trailer", async () => {
    const asked = call(query, events);
    await asked.write(text("a map") + fileBegin);
    // The head of the answer comes before the end of the body.
    expect((await asked.head).statusCode).toBe(200);
    const answer = await asked.answer(fileEnd);
    expect(answer.headers["tool-result-losses"]).toBeUndefined();
    expect(answer.headers.trailer).toBe("Tool-Result-Losses");
    // What the README's table says of zip bytes.
    expect(answer.trailers["tool-result-losses"]).toBe(
      "count=2, severity=info, codes=(media-as-resource name-generated)",
    );
    const { content } = JSON.parse(answer.body);
    expect(content[0]).toEqual({ type: "text", text: "a map" });
    const bytes = Buffer.from(content[1].resource.blob, "base64");
    expect(bytes.equals(Buffer.alloc(slices * sliceBytes, 7))).toBe(true);
  });

  test("that fails before the first piece is answered with a problem", async () => {
    const answer = await call(query, events).answer(`data: {"code":0\n\n${text("a")}`);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body)).toMatchObject({ code: "invalid-json" });
    const none = await call(query, events).answer();
    expect(JSON.parse(none.body)).toMatchObject({ code: "invalid-json", detail: "the request has no body" });
  });

  test("that fails later is cut off, and never ends as if it were whole", async () => {
    const asked = call(query, events);
    await asked.write(fileBegin);
    const answer = await asked.answer("");
    expect(answer.status).toBe(200);
    expect(answer.complete).toBe(false);
    expect(answer.trailers).toEqual({});
    expect(shell.log.of("/v1/convert").at(-1)).toMatchObject({
      level: "warn",
      event: "request",
      facts: { code: "truncated", cut: true },
    });
  });

  test("is limited while it is held, and not while it is passed on", async () => {
    const held = await call(query, events).answer(text("a".repeat(maxHeld)));
    expect(JSON.parse(held.body)).toMatchObject({ code: "body-too-large" });
    const asked = call(query, events);
    await asked.write(fileBegin);
    await asked.head;
    const answer = await asked.answer(`${fileEnd}${text("b".repeat(maxHeld))}`);
    expect(answer.complete).toBe(true);
    const { content, isError } = JSON.parse(answer.body);
    expect([content.length, content[1].text.length, isError]).toEqual([2, maxHeld, undefined]);
  });

  test("is read whole for an envelope", async () => {
    const answer = await call(`${query}&envelope=1`, events).answer(chunkedImage);
    expect(JSON.parse(answer.body)).toMatchObject({ output: { content: [{}, {}] }, losses: [] });
  });
});

describe("lines=1", () => {
  const query = "from=watsonx&to=dify&carry=off&lines=1";
  const result = (value: string): string => JSON.stringify({ content: [{ type: "text", text: value }] });
  const message = (value: string): string => JSON.stringify([{ type: "text", message: { text: value } }]);

  test("answers each line with its output, while more lines come", async () => {
    const asked = call(query, lines);
    await asked.write(`${result("a")}\n`);
    const head = await asked.head;
    expect(head.headers["content-type"]).toBe(lines);
    const first = await new Promise((resolve) => head.once("readable", () => resolve(String(head.read()))));
    expect(first).toBe(`${message("a")}\n`);
    const { body, trailers } = await asked.answer(`\r\n${userOnly}\n${result("c")}`);
    expect(body).toBe(`\n${message("sunny")}\n${message("c")}\n`);
    expect(trailers["tool-result-losses"]).toBe("count=1, severity=warning, codes=(user-only-withheld)");
  });

  test("answers a problem in the place of a line that fails", async () => {
    const { body, status } = await call(query, lines).answer(`${result("a")}\n{"content":\n${result("c")}\n`);
    expect(status).toBe(200);
    const [first, failed, last] = body.split("\n");
    expect([first, last]).toEqual([message("a"), message("c")]);
    expect(JSON.parse(failed ?? "")).toMatchObject({ error: { code: "invalid-json", status: 400 } });
    expect(shell.log.of("/v1/convert").at(-1)?.facts).toMatchObject({ documents: 2, failed: 1 });
  });

  test("with envelope=1 answers each line with its losses and its carry", async () => {
    const { body } = await call("from=watsonx&to=dify:sse&lines=1&envelope=1&carry=detached", lines).answer(
      userOnly,
    );
    expect(JSON.parse(body)).toMatchObject({
      output: expect.stringContaining("sunny"),
      losses: [{ code: "user-only-withheld" }],
      carry: expect.anything(),
    });
  });

  test("refuses what would fail every line, before the first", async () => {
    for (const [asked, code] of [
      ["from=watsonx&to=dfy&lines=1", "unknown-format"],
      ["from=watsonx&to=dify:sse&lines=1", "invalid-option"],
      ["from=watsonx&to=dify&lines=1&all=1", "invalid-option"],
    ]) {
      const { status, body } = await call(asked ?? "", lines).answer(`${result("a")}\n`);
      expect([status, JSON.parse(body).code], asked).toEqual([400, code]);
    }
  });

  test("holds a line no longer than it takes to convert it", async () => {
    const little = shellOf({ maxHeldBytes: 200 });
    const app = createApp(surfacesOf(converter, little), little);
    let left = 20;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        left -= 1;
        if (left === 0) controller.close();
        else controller.enqueue(Buffer.from(`${result("x".repeat(50))}\n`));
      },
    });
    const request = new Request(`http://localhost/v1/convert?${query}`, {
      method: "POST",
      body,
      headers: { "Content-Type": lines },
      duplex: "half",
    } as RequestInit);
    expect((await (await app.request(request)).text()).split("\n")).toHaveLength(20);
    const longer = { body: result("x".repeat(300)), type: lines, to: app };
    expect(await problem(post(`/v1/convert?${query}`, longer))).toMatchObject({ code: "overloaded" });
  });

  test("gives ids that are derived their place in the batch", async () => {
    const { body } = await call("from=watsonx&to=strands&lines=1", lines).answer(
      `${result("a")}\n${result("a")}`,
    );
    const ids = body
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).toolUseId);
    expect(new Set(ids).size).toBe(2);
  });
});

describe("all=1", () => {
  const message = JSON.stringify([
    { toolResult: { toolUseId: "a", content: [{ text: "one" }] } },
    { toolResult: { toolUseId: "b", content: [{ text: "two" }] } },
  ]);

  test("answers every result of a document, one a line", async () => {
    const response = await post("/v1/convert?from=strands&to=watsonx&carry=off&all=1", { body: message });
    expect(response.headers.get("content-type")).toBe(lines);
    expect(response.headers.get("tool-result-losses")).toBe(
      "count=2, severity=info, codes=(call-id-dropped)",
    );
    expect(await response.text()).toBe(
      '{"content":[{"type":"text","text":"one"}]}\n{"content":[{"type":"text","text":"two"}]}\n',
    );
  });

  test("without it, several results are refused", async () => {
    expect(await problem(post("/v1/convert?from=strands&to=watsonx", { body: message }))).toMatchObject({
      status: 422,
      code: "many-results",
    });
  });
});

describe("carried=1", () => {
  const number = "12345678901234567890.5";
  const original = `{"content":[{"type":"text","text":"a","annotations":{"priority":1.0}}],"structuredContent":{"n":${number}}}`;

  test("hands a detached carry back, and the way back is exact", async () => {
    const there = await post("/v1/convert?from=watsonx&to=dify&envelope=1&carry=detached", {
      body: original,
    });
    // Text for text: what an envelope says goes back as it came, only under other names.
    const envelope = await there.text();
    const body = envelope
      .replace(/^\{"output":/, '{"input":')
      .replace(/"losses":\[.*\],"carry":/, '"carried":');
    const back = await post("/v1/convert?from=dify&to=watsonx&carry=off&carried=1", { body });
    expect(back.status).toBe(200);
    expect(converter.canonical(await back.text(), { from: "watsonx" })).toBe(
      converter.canonical(original, { from: "watsonx" }),
    );
  });

  test("takes the document and the carry, and nothing else", async () => {
    for (const [body, code] of [
      ['{"input":[],"carried":{}', "invalid-json"],
      ['{"input":[]}', "invalid-payload"],
      ['{"carried":{}}', "invalid-payload"],
      ['{"input":[],"carried":{},"more":1}', "invalid-payload"],
      ['{"input":[],"input":[],"carried":{}}', "duplicate-key"],
      ["[]", "invalid-payload"],
    ]) {
      const answer = await problem(post("/v1/convert?from=dify&to=ir&carried=1", { body: body ?? "" }));
      expect([body, answer.code]).toEqual([body, code]);
    }
  });
});
