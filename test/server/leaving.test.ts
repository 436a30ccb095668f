import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Answer, Exchange } from "../../src/server/endpoint.ts";
import { done, RawClient, serving, shellOf, type TestShell, workSurface } from "./support.ts";

// What a promise that nobody awaits rejects with would end a real process.
const unhandled: unknown[] = [];
const keep = (reason: unknown) => unhandled.push(reason);
beforeAll(() => void process.on("unhandledRejection", keep));
afterAll(() => {
  process.off("unhandledRejection", keep);
  expect(unhandled).toEqual([]);
});

const head = (...more: readonly string[]) => ["POST /work HTTP/1.1", "Host: localhost", ...more, "", ""];
const json = "Content-Type: application/json";

/** An iteration that tells how it ended. */
function watched(make: (exchange: Exchange) => AsyncIterable<string>) {
  const seen = { begun: false, returned: false, aborted: "" };
  const surface = workSurface((exchange): Answer => {
    exchange.signal.addEventListener("abort", () => {
      seen.aborted = exchange.signal.reason.code;
    });
    async function* body() {
      try {
        seen.begun = true;
        yield* make(exchange);
      } finally {
        seen.returned = true;
      }
    }
    return { ...done, body: body() };
  });
  return { seen, surface };
}

async function* endless(): AsyncGenerator<string> {
  for (;;) yield "x".repeat(65_536);
}

const aborted = (shell: TestShell) =>
  expect
    .poll(() => shell.log.lines.map(({ event }) => event), { timeout: 10_000 })
    .toEqual(["request-aborted"]);

describe("a client that leaves", () => {
  test("before the end of its body ends the reading of it", async () => {
    const shell = shellOf();
    let ended: unknown;
    const surface = workSurface(async (exchange) => {
      try {
        await exchange.body();
      } catch (error) {
        ended = error;
        throw error;
      }
      return done;
    });
    await serving([surface], shell, async ({ url }) => {
      const client = new RawClient(url).send(...head(json, "Content-Length: 100"), '{"a"');
      await expect.poll(() => client.socket.bytesWritten > 0).toBe(true);
      await new RawClient(url).send("GET / HTTP/1.1", "Host: localhost", "", "").until(/200 OK/);
      client.leave();
      await expect.poll(() => ended).toMatchObject({ code: "cancelled" });
      await expect
        .poll(() => shell.log.of("/work"))
        .toMatchObject([{ event: "request-aborted", facts: { status: 499, code: "cancelled" } }]);
    });
  });

  test("before the head of the answer aborts the exchange, and its answer goes nowhere", async () => {
    const shell = shellOf();
    let signal: AbortSignal | undefined;
    const surface = workSurface(async (exchange) => {
      signal = exchange.signal;
      await new Promise((resolve) => exchange.signal.addEventListener("abort", resolve));
      return { ...done, body: endless() };
    });
    await serving([surface], shell, async ({ url }) => {
      const client = new RawClient(url).send(...head());
      await expect.poll(() => signal).toBeDefined();
      client.leave();
      await aborted(shell);
      expect(signal?.reason).toMatchObject({ code: "cancelled" });
      expect(shell.log.lines[0]?.facts).toMatchObject({ bytes: 0 });
    });
  });

  test("inside the answer ends the iteration that makes it", async () => {
    const shell = shellOf();
    const { seen, surface } = watched(endless);
    await serving([surface], shell, async ({ url }) => {
      const client = new RawClient(url).send(...head());
      await client.until(/200 OK[\s\S]*x{1000}/);
      client.leave();
      await aborted(shell);
      expect(seen).toEqual({ begun: true, returned: true, aborted: "cancelled" });
    });
  });

  test("while a piece is awaited ends the iteration as soon as the piece gives way", async () => {
    const shell = shellOf();
    const { seen, surface } = watched(async function* ({ signal }) {
      yield "first";
      await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    });
    await serving([surface], shell, async ({ url }) => {
      const client = new RawClient(url).send(...head());
      await client.until(/first/);
      client.leave();
      await aborted(shell);
      expect(seen).toMatchObject({ returned: true });
    });
  });

  test("and does not read stops the making of pieces", async () => {
    const shell = shellOf();
    let made = 0;
    const { seen, surface } = watched(async function* () {
      for await (const piece of endless()) {
        made += piece.length;
        yield piece;
      }
    });
    await serving([surface], shell, async ({ url }) => {
      const client = new RawClient(url).send(...head());
      client.socket.pause();
      let before = -1;
      // Made is what fits into the buffers of both sockets, and then no more.
      await expect
        .poll(() => {
          const isStill = made > 0 && made === before;
          before = made;
          return isStill;
        })
        .toBe(true);
      expect(made).toBeLessThan(32 * 1024 * 1024);
      client.leave();
      await aborted(shell);
      expect(seen.returned).toBe(true);
    });
  });

  test("or takes nothing of its answer for the time of a request is cut off", async () => {
    const shell = shellOf({ requestTimeout: 200 });
    const { seen, surface } = watched(endless);
    await serving([surface], shell, async ({ url }) => {
      const client = new RawClient(url).send(...head());
      client.socket.pause();
      await aborted(shell);
      expect(seen.returned).toBe(true);
      client.leave();
    });
  });

  test("but waits for its answer in silence is not cut off", async () => {
    const shell = shellOf({ requestTimeout: 100 });
    const surface = workSurface(async () => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      return done;
    });
    await serving([surface], shell, async ({ url }) => {
      expect(await new RawClient(url).send(...head("Connection: close")).closed).toMatch(
        /200 OK[\s\S]*done$/,
      );
    });
  });

  test("with several requests under way ends all of them, and no call keeps its place", async () => {
    const shell = shellOf({ maxInFlight: 3, maxQueued: 0 });
    const surface = workSurface(async ({ signal }) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      return { ...done, body: endless() };
    });
    await serving([surface, workSurface(() => done, { path: "/quick" })], shell, async ({ url }) => {
      const quick = ["POST /quick HTTP/1.1", "Host: localhost", "", ""];
      const client = new RawClient(url).send(...head(), ...head(), ...quick);
      await expect.poll(async () => (await fetch(`${url}/quick`, { method: "POST" })).status).toBe(503);
      client.leave();
      await expect
        .poll(() => shell.log.lines.filter(({ event }) => event === "request-aborted").length)
        .toBe(3);
      expect((await fetch(`${url}/quick`, { method: "POST" })).status).toBe(200);
    });
  });

  test("after the whole answer is a client like any other", async () => {
    const shell = shellOf();
    await serving([workSurface(() => done)], shell, async ({ url }) => {
      const client = new RawClient(url).send(...head());
      await client.until(/done/);
      client.leave();
      await expect.poll(() => shell.log.lines.map(({ event }) => event)).toEqual(["request"]);
    });
  });
});

describe("an answer", () => {
  test("whose making fails is cut off, and the server lives on", async () => {
    const shell = shellOf();
    const { surface } = watched(async function* () {
      yield "begun";
      throw new TypeError("canary");
    });
    await serving([surface], shell, async ({ url }) => {
      const answer = await new RawClient(url).send(...head()).closed;
      expect(answer).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*begun\r\n$/);
      expect(answer).not.toContain("canary");
      expect(shell.log.lines).toMatchObject([
        { level: "error", event: "request", facts: { fault: "TypeError", cut: true, bytes: 5 } },
      ]);
      expect(JSON.stringify(shell.log.lines)).not.toContain("canary");
      await new RawClient(url).send("GET / HTTP/1.1", "Host: localhost", "", "").until(/200 OK/);
    });
  });

  test("to HEAD has no body, and its iteration is ended", async () => {
    const shell = shellOf();
    let returned = false;
    const body: AsyncIterable<string> = {
      [Symbol.asyncIterator]: () => ({
        next: async () => ({ value: "x", done: false }),
        return: async () => {
          returned = true;
          return { value: undefined, done: true };
        },
      }),
    };
    const surface = workSurface(() => ({ ...done, body }), { method: "GET" });
    await serving([surface], shell, async ({ url }) => {
      const client = new RawClient(url).send(
        "HEAD /work HTTP/1.1",
        "Host: localhost",
        "Connection: close",
        "",
        "",
      );
      expect(await client.closed).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\n$/);
      await expect.poll(() => returned).toBe(true);
    });
  });

  test("to a client of HTTP/1.0 ends with the connection", async () => {
    const { surface } = watched(async function* () {
      yield "one ";
      yield "two";
    });
    await serving([surface], shellOf(), async ({ url }) => {
      const client = new RawClient(url).send("POST /work HTTP/1.0", "Host: localhost", "", "");
      expect(await client.closed).toMatch(/\r\n\r\none two$/);
    });
  });

  test("to a client of HTTP/1.0 is cut off by a reset, since its end would look like the end of the body", async () => {
    const { surface } = watched(async function* () {
      yield "one ";
      throw new TypeError("canary");
    });
    await serving([surface], shellOf(), async ({ url }) => {
      const client = new RawClient(url);
      const failed = new Promise((resolve) => client.socket.on("error", resolve));
      client.send("POST /work HTTP/1.0", "Host: localhost", "", "");
      expect(await failed).toMatchObject({ code: "ECONNRESET" });
    });
  });
});
