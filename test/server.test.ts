import { connect } from "node:net";
import type { Hono } from "hono";
import { beforeAll, describe, expect, test } from "vitest";
import { adapters } from "../adapters/index.ts";
import { type Converter, createConverter } from "../src/converter.ts";
import { createApp } from "../src/server/app.ts";
import { listen } from "../src/server/listen.ts";
import { chunkedImage, imageBase64 } from "./dify-stream.ts";

const converter = createConverter(adapters);
const app = createApp(converter);

const userOnly = JSON.stringify({
  content: [
    { type: "text", text: "sunny" },
    { type: "text", text: "secret", annotations: { audience: ["user"] } },
  ],
});

interface Sent {
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly to?: Hono;
}

function post(
  path: string,
  { body = userOnly, type = "application/json", headers = {}, to = app }: Sent = {},
) {
  return to.request(path, { method: "POST", body, headers: { "Content-Type": type, ...headers } });
}

/** Status, code and pointer of a problem document, checked for its form. */
async function problem(response: Response | Promise<Response>) {
  const answered = await response;
  const { status, headers } = answered;
  const text = await answered.text();
  expect(headers.get("content-type")).toBe("application/problem+json");
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(8 * 1024);
  const document = JSON.parse(text);
  expect(document).toMatchObject({
    type: `urn:tool-result-gateway:error:${document.code}`,
    title: expect.any(String),
    status,
    detail: expect.any(String),
  });
  return { status, code: document.code, pointer: document.pointer, document };
}

describe("POST /v1/convert", () => {
  test("answers the bare output with the losses in a header", async () => {
    const response = await post("/v1/convert?from=watsonx&to=dify&carry=off");
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("tool-result-losses")).toBe(
      "count=1, severity=warning, codes=(user-only-withheld)",
    );
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(await response.json()).toEqual([{ type: "text", message: { text: "sunny" } }]);
  });

  test("says count=0 where nothing was lost", async () => {
    const response = await post("/v1/convert?from=watsonx&to=watsonx");
    expect(response.headers.get("tool-result-losses")).toBe("count=0");
  });

  test("answers output, losses and carry in an envelope", async () => {
    const response = await post("/v1/convert?from=watsonx&to=dify&envelope=1&carry=detached");
    expect(await response.json()).toMatchObject({
      output: [{ type: "text", message: { text: "sunny" } }],
      losses: [{ code: "user-only-withheld", severity: "warning", pointer: "/content/1", carried: true }],
      carry: expect.anything(),
    });
  });

  test("turns a Dify event stream with a chunked image into a Strands result", async () => {
    const response = await post("/v1/convert?from=dify:sse&to=strands", {
      body: chunkedImage,
      type: "text/event-stream; charset=utf-8",
    });
    expect(response.status).toBe(200);
    expect(JSON.parse(await response.text()).content).toEqual([
      { text: "sunny" },
      { image: { format: "png", source: { bytes: { __bytes_encoded__: true, data: imageBase64 } } } },
    ]);
  });

  test("answers lines and events with their media type", async () => {
    const response = await post("/v1/convert?from=watsonx&to=dify:sse&carry=off");
    expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/);
    expect(await response.text()).toContain('"sunny"');
  });

  test("keeps every digit", async () => {
    const number = '{"id":12345678901234567890,"e":1e400}';
    const body = `{"content":[],"structuredContent":${number}}`;
    expect(await (await post("/v1/convert?from=watsonx&to=ir", { body })).text()).toContain(number);
  });

  test("takes the options of a conversion in the query", async () => {
    const exposed = await post("/v1/convert?from=watsonx&to=dify&audience=expose");
    expect(await exposed.text()).toContain("secret");
    const strict = problem(post("/v1/convert?from=watsonx&to=dify&mode=strict"));
    expect(await strict).toMatchObject({ status: 422, code: "losses-refused", pointer: "/content/1" });
    expect((await strict).document.losses).toMatchObject([{ code: "user-only-withheld" }]);
    expect(
      await problem(post("/v1/convert?from=watsonx&to=dify&failOn=info,user-only-withheld")),
    ).toMatchObject({
      code: "losses-refused",
    });
  });

  test("refuses a query that is not understood", async () => {
    for (const query of [
      "",
      "to=ir&form=dify",
      "to=ir&to=dify",
      "to=ir&audience=nativ",
      "to=ir&failOn=none",
      "to=ir&nonEmpty=yes",
      "to=ir&envelope=maybe",
      "to=ir&carry=detached",
      "to=ir&limits=1",
      "to=ir&carryKey=secret",
    ]) {
      const { status, code } = await problem(post(`/v1/convert?${query}`));
      expect({ query, status, code }).toEqual({ query, status: 400, code: "invalid-option" });
    }
    expect(await problem(post("/v1/convert?to=strnds"))).toMatchObject({
      status: 400,
      code: "unknown-format",
    });
    expect(await problem(post("/v1/convert?to=dify:lst"))).toMatchObject({
      status: 400,
      code: "unknown-dialect",
    });
  });

  test("suggests the nearest word", async () => {
    const { document } = await problem(post("/v1/convert?to=ir&audiense=native"));
    expect(document.detail).toContain("did you mean audience?");
  });
});

describe("a request body", () => {
  test("has a media type that is read, in UTF-8 and without coding", async () => {
    const refused = { status: 415, code: "unsupported-media-type" };
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "application/json; charset=utf-16",
    ]) {
      expect(await problem(post("/v1/convert?to=ir", { type })), type).toMatchObject(refused);
    }
    expect(
      await problem(app.request("/v1/convert?to=ir", { method: "POST", body: Buffer.from("{}") })),
    ).toMatchObject(refused);
    expect(
      await problem(post("/v1/convert?to=ir", { headers: { "Content-Encoding": "gzip" } })),
    ).toMatchObject(refused);
    const accepted = await post("/v1/convert?from=watsonx&to=ir", {
      type: 'Application/JSON ; charset="UTF-8"',
      headers: { "Content-Encoding": "identity" },
    });
    expect(accepted.status).toBe(200);
  });

  test("is counted while it comes, with and without a length", async () => {
    const small = createApp(converter, { maxBodyBytes: 100 });
    const large = { status: 413, code: "body-too-large" };
    expect(await problem(post("/v1/convert?to=ir", { body: "x".repeat(101), to: small }))).toMatchObject(
      large,
    );
    expect(
      await problem(post("/v1/detect", { headers: { "Content-Length": "101" }, to: small })),
    ).toMatchObject(large);
    let pulled = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(60));
      },
    });
    const request = new Request("http://localhost/v1/convert?to=ir", {
      method: "POST",
      body: endless,
      headers: { "Content-Type": "application/json" },
      duplex: "half",
    } as RequestInit);
    expect(await problem(small.request(request))).toMatchObject(large);
    expect(pulled).toBeLessThan(6);
    expect((await post("/v1/convert?from=watsonx&to=ir", { body: '{"content":[]}', to: small })).status).toBe(
      200,
    );
  });

  test("is JSON in UTF-8, and never repeated in the answer", async () => {
    const bodies: readonly (readonly [string, string | Uint8Array<ArrayBuffer>, string])[] = [
      ["invalid-json", "", "nothing"],
      ["invalid-json", '{"content": canary', "canary"],
      ["invalid-json", '["canary", NaN]', "canary"],
      ["invalid-utf8", Buffer.from([0x22, 0xff, 0x22]), "\ufffd"],
      ["invalid-utf8", Buffer.from('{"content":[]}', "utf16le"), "content"],
      ["depth-exceeded", "[".repeat(100_000) + "]".repeat(100_000), "[["],
      ["invalid-json", "[".repeat(100_000), "[["],
    ];
    for (const [code, body, canary] of bodies) {
      const { status, document } = await problem(post("/v1/convert?from=watsonx&to=ir", { body }));
      expect({ status, code: document.code }).toEqual({ status: 400, code });
      expect(document.detail).not.toContain(canary);
    }
  });

  test("has no more values than the limit", async () => {
    const few = createApp(converter, { limits: { maxNodes: 10 } });
    const body = JSON.stringify({ content: [], structuredContent: Array.from({ length: 20 }, () => 0) });
    expect(await problem(post("/v1/convert?from=watsonx&to=ir", { body, to: few }))).toMatchObject({
      status: 400,
      code: "too-many-nodes",
    });
    const many = JSON.stringify({
      content: [],
      structuredContent: Array.from({ length: 1_000_001 }, () => 0),
    });
    expect(await problem(post("/v1/convert?from=watsonx&to=ir", { body: many }))).toMatchObject({
      code: "too-many-nodes",
    });
  });

  test("cannot make an answer large", async () => {
    const content = Array.from({ length: 500 }, (_, index) => ({
      type: "text",
      text: "x",
      annotations: { audience: ["user"] },
      _meta: { ["\u0001".repeat(2000)]: index },
    }));
    const { document } = await problem(
      post("/v1/convert?from=watsonx&to=dify&mode=strict", { body: JSON.stringify({ content }) }),
    );
    expect(document.lossCount).toBeGreaterThanOrEqual(500);
    await problem(post(`/v1/convert?to=${"\u0001".repeat(3000)}`));
  });
});

describe("the other paths", () => {
  test("detect answers the outcome", async () => {
    expect(await (await post("/v1/detect")).json()).toMatchObject({
      outcome: "recognised",
      format: "watsonx",
    });
    expect(await (await post("/v1/detect", { body: '{"content":[]}' })).json()).toMatchObject({
      outcome: "ambiguous",
    });
    expect(await (await post("/v1/detect", { body: '{"a":1}' })).json()).toEqual({ outcome: "unknown" });
  });

  test("formats, health and the list of paths are there to GET", async () => {
    expect(await (await app.request("/v1/formats")).json()).toEqual(converter.formats());
    expect(await (await app.request("/healthz")).json()).toEqual({ status: "ok" });
    const { paths } = JSON.parse(await (await app.request("/")).text());
    expect(paths.map(({ path }: { path: string }) => path)).toContain("/v1/convert");
  });

  test("an unknown path is 404, a wrong method 405 with Allow", async () => {
    expect(await problem(app.request("/v2"))).toMatchObject({ status: 404, code: "not-found" });
    const wrong = await app.request("/v1/convert?to=ir");
    expect(wrong.headers.get("allow")).toBe("POST");
    expect(await problem(wrong)).toMatchObject({ status: 405, code: "method-not-allowed" });
    const posted = await post("/healthz");
    expect(posted.headers.get("allow")).toBe("GET, HEAD");
    expect(posted.status).toBe(405);
  });

  test("a fault of the program is 500, logged by its kind and nothing more", async () => {
    const logged: string[] = [];
    const broken: Converter = {
      ...converter,
      detect: () => {
        throw new TypeError("canary");
      },
    };
    const response = await post("/v1/detect", {
      to: createApp(broken, { log: (line) => logged.push(line) }),
    });
    expect(response.status).toBe(500);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    expect(await response.text()).not.toContain("canary");
    expect(logged).toEqual(["trg: unexpected TypeError while answering"]);
  });
});

describe("on a port", () => {
  let response: Response;
  const { Request: request, Response: answer } = globalThis;

  beforeAll(async () => {
    const listener = await listen(app, { host: "127.0.0.1", port: 0 });
    const url = `${listener.url}/v1/convert?from=dify:sse&to=strands`;
    response = await fetch(url, {
      method: "POST",
      body: chunkedImage,
      headers: { "Content-Type": "text/event-stream" },
    });
    await listener.stop();
  });

  test("answers as the app does", async () => {
    expect(response.status).toBe(200);
    expect(await response.text()).toContain(imageBase64);
  });

  test("leaves the globals of the program alone", () => {
    expect([globalThis.Request, globalThis.Response]).toEqual([request, answer]);
  });

  test("finishes what it has begun before it stops, and takes nothing new", async () => {
    const listener = await listen(app, { host: "127.0.0.1", port: 0 });
    const { port, hostname } = new URL(listener.url);
    const socket = connect(Number(port), hostname);
    let received = "";
    socket.on("data", (data) => {
      received += String(data);
    });
    const ended = new Promise((resolve) => socket.on("close", resolve));
    const body = '{"content":["late"]}';
    socket.write(
      `POST /v1/convert?from=watsonx&to=ir HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
    );
    await expect.poll(() => received === "" && socket.bytesWritten > 0).toBe(true);
    // The first bytes must have reached the server, else there is nothing begun to finish.
    await fetch(`${listener.url}/healthz`, { headers: { Connection: "close" } });
    const stopped = listener.stop();
    await expect(fetch(`${listener.url}/healthz`)).rejects.toThrow();
    socket.write(body.slice(5));
    await ended;
    await stopped;
    expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(received).toContain('"late"');
  });

  test("a body that is too large is refused, and the server lives on", async () => {
    const listener = await listen(createApp(converter, { maxBodyBytes: 1000 }), {
      host: "127.0.0.1",
      port: 0,
    });
    const refused = await fetch(`${listener.url}/v1/detect`, {
      method: "POST",
      body: "x".repeat(200_000),
      headers: { "Content-Type": "application/json" },
    });
    expect(await problem(refused)).toMatchObject({ status: 413 });
    expect((await fetch(`${listener.url}/healthz`)).status).toBe(200);
    await listener.stop();
  });
});
