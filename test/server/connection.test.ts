import { beforeAll, describe, expect, test } from "vitest";
import { createApp } from "../../src/server/app.ts";
import { listen } from "../../src/server/listen.ts";
import type { ServerSettings } from "../../src/server/settings.ts";
import { chunkedImage, imageBase64 } from "../dify-stream.ts";
import { converter, done, problem, RawClient, serving, shellOf, surfacesOf, workSurface } from "./support.ts";

const json = "Content-Type: application/json";
const chunkOf = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

describe("on a port", () => {
  const { Request: request, Response: answer } = globalThis;
  const shell = shellOf();
  let response: Response;

  beforeAll(async () => {
    await serving(surfacesOf(converter, shell), shell, async ({ url }) => {
      response = await fetch(`${url}/v1/convert?from=dify:sse&to=strands`, {
        method: "POST",
        body: chunkedImage,
        headers: { "Content-Type": "text/event-stream" },
      });
    });
  });

  test("the app answers as without one", async () => {
    expect(response.status).toBe(200);
    expect(await response.text()).toContain(imageBase64);
  });

  test("the globals of the program are left alone", () => {
    expect([globalThis.Request, globalThis.Response]).toEqual([request, answer]);
  });

  test("that others can reach nothing is served without a key", async () => {
    for (const host of ["0.0.0.0", "::", "192.0.2.1", "gateway.example"]) {
      const open = shellOf({ host });
      await expect(listen(createApp([], open), open), host).rejects.toMatchObject({
        code: "invalid-option",
        message: expect.stringContaining("auth.keys"),
      });
    }
  });

  test("that others can reach a key is enough", async () => {
    const keyed = shellOf({ host: "0.0.0.0" }, { keys: [{ name: "one", key: "k".repeat(32) }] });
    await serving([workSurface(() => done)], keyed, async ({ url }) => {
      const asked = await fetch(`${url.replace("0.0.0.0", "127.0.0.1")}/work`, { method: "POST" });
      expect(await problem(asked)).toMatchObject({ status: 401 });
    });
  });

  test("that is in use the server does not start", async () => {
    await serving([], shell, async ({ url }) => {
      const second = shellOf({ port: Number(new URL(url).port) });
      await expect(listen(createApp([], second), second)).rejects.toMatchObject({
        code: "port-failed",
        message: expect.stringContaining("the port is in use"),
      });
    });
  });
});

describe("the id of a request", () => {
  const app = createApp([workSurface(({ requestId }) => ({ ...done, body: requestId }))], shellOf());
  const idFor = async (given: string) => {
    const asked = await app.request("/work", { method: "POST", headers: { "X-Request-Id": given } });
    expect(asked.headers.get("x-request-id")).toBe(await asked.text());
    return asked.headers.get("x-request-id");
  };

  test("is the caller's where it can stand in a log", async () => {
    expect(await idFor("a.B-c_9")).toBe("a.B-c_9");
  });

  test("is a new one where it cannot", async () => {
    for (const given of ["", "a b", "x".repeat(65), '"', "\u00e9"]) {
      expect(await idFor(given)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
    }
  });
});

describe("a body", () => {
  const shell = shellOf({ maxBodyBytes: 1000 });
  const surfaces = surfacesOf(converter, shell);

  test("that is too large is refused, and the server lives on", async () => {
    await serving(surfaces, shell, async ({ url }) => {
      const refused = await fetch(`${url}/v1/detect`, {
        method: "POST",
        body: "x".repeat(200_000),
        headers: { "Content-Type": "application/json" },
      });
      expect(await problem(refused)).toMatchObject({ status: 413 });
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
    });
  });

  test("without length is counted while it comes", async () => {
    await serving(surfaces, shell, async ({ url }) => {
      const client = new RawClient(url).send(
        "POST /v1/detect HTTP/1.1",
        "Host: localhost",
        json,
        "Transfer-Encoding: chunked",
        "",
        chunkOf("x".repeat(600)) + chunkOf("x".repeat(600)),
      );
      // The body has no end yet.
      expect(await client.until(/\r\n\r\n\{.*\}/)).toMatch(/^HTTP\/1\.1 413 [\s\S]*"code":"body-too-large"/);
      client.leave();
    });
  });

  test("whose length and coding contradict each other is no body", async () => {
    await serving(surfaces, shell, async ({ url }) => {
      const client = new RawClient(url).send(
        "POST /v1/detect HTTP/1.1",
        "Host: localhost",
        json,
        "Content-Length: 4",
        "Transfer-Encoding: chunked",
        "",
        "0\r\n\r\n",
      );
      expect(await client.closed).toMatch(/^HTTP\/1\.1 400 /);
    });
  });
});

describe("a client that is too slow", () => {
  const shell = shellOf({ headersTimeout: 200, requestTimeout: 400 });
  const surfaces = [...surfacesOf(converter, shell), workSurface(() => ({ ...done, body: endless() }))];
  async function* endless() {
    for (;;) {
      yield "x";
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  test("with its head or its body is answered 408 and cut off", async () => {
    await serving(surfaces, shell, async ({ url }) => {
      const head = new RawClient(url).send("POST /v1/detect HTTP/1.1", "Host: localhost", "");
      const body = new RawClient(url).send(
        "POST /v1/detect HTTP/1.1",
        "Host: localhost",
        json,
        "Content-Length: 10",
        "",
        "{",
      );
      const silent = new RawClient(url);
      for (const client of [head, body, silent]) {
        const answer = await client.closed;
        expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
        expect(answer).toContain("Content-Type: application/problem+json\r\n");
        expect(JSON.parse(answer.slice(answer.indexOf("{")))).toEqual({
          type: "about:blank",
          title: "Request Timeout",
          status: 408,
          code: "request-refused",
        });
      }
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
    });
  });

  test("with its body inside an answer is cut off without another answer", async () => {
    await serving(surfaces, shell, async ({ url }) => {
      const client = new RawClient(url).send(
        "POST /work HTTP/1.1",
        "Host: localhost",
        "Content-Length: 10",
        "",
        "{",
      );
      const answer = await client.closed;
      expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
      expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
    });
  });
});

describe("connections", () => {
  const get = ["GET /healthz HTTP/1.1", "Host: localhost", "", ""];
  const askedOf = (settings: Partial<ServerSettings>, use: (url: string) => Promise<void>) => {
    const shell = shellOf(settings);
    return serving(surfacesOf(converter, shell), shell, ({ url }) => use(url));
  };

  test("beyond their number are refused", () =>
    askedOf({ maxConnections: 1 }, async (url) => {
      const first = new RawClient(url).send(...get);
      await first.until(/"ok"/);
      expect(await new RawClient(url).send(...get).closed).toBe("");
      first.leave();
    }));

  test("are told to close with the last of their number of requests", () =>
    askedOf({ maxRequestsPerSocket: 2 }, async (url) => {
      const client = new RawClient(url).send(...get);
      expect(await client.until(/"ok"/)).toContain("\r\nConnection: keep-alive\r\n");
      expect(await client.send(...get).until(/"ok"[\s\S]*"ok"/)).toContain("\r\nConnection: close\r\n");
      client.leave();
    }));

  test("that are idle are closed after their time, which their clients are told", () =>
    askedOf({ keepAliveTimeout: 1000 }, async (url) => {
      expect(await new RawClient(url).send(...get).closed).toContain("\r\nKeep-Alive: timeout=1,");
    }));
});

describe("bytes that are no request", () => {
  const start = "GET / HTTP/1.1\r\nHost: localhost\r\n";

  test.each([
    { what: "an unknown version", bytes: "GET / HTTP/9.9\r\n\r\n", status: 400 },
    { what: "no HTTP at all", bytes: "nonsense\r\n\r\n", status: 400 },
    { what: "a long header", bytes: `${start}X-Long: ${"x".repeat(20_000)}\r\n\r\n`, status: 431 },
    { what: "a header without form", bytes: `${start}Bad Name: 1\r\n\r\n`, status: 400 },
  ])("$what is answered $status and cut off", async ({ bytes, status }) => {
    const shell = shellOf();
    await serving([], shell, async ({ url }) => {
      const answer = await new RawClient(url).send(bytes).closed;
      expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(answer).toContain("application/problem+json");
      expect(shell.log.lines).toEqual([{ level: "info", event: "connection-refused", facts: { status } }]);
    });
  });

  test("after a whole request never stand as its answer", async () => {
    let finish = () => {};
    const surface = workSurface(async () => {
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      return done;
    });
    await serving([surface], shellOf(), async ({ url }) => {
      const client = new RawClient(url).send(
        "POST /work HTTP/1.1",
        "Host: localhost",
        "",
        "nonsense\r\n\r\n",
      );
      expect(await client.closed).toBe("");
      finish();
    });
  });
});
