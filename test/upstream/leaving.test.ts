import { getEventListeners } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { ConversionError } from "../../src/errors.ts";
import { clientOf, faultOf, ok, outcomeOf, type RawAnswer, request, textOf, withServer } from "./support.ts";

const silent: RawAnswer = () => {};
const stalling: RawAnswer = (socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc");

describe("whoever leaves ends the call, and its connection at once", () => {
  test("before it begins: nothing is sent", async () => {
    await withServer(silent, {}, async (client, server) => {
      const { code } = await faultOf(client.send(request({ signal: AbortSignal.abort() })));
      expect(code).toBe("cancelled");
      expect(server.connections).toBe(0);
    });
  });

  test("before the head", async () => {
    await withServer(silent, {}, async (client, server) => {
      const leaving = new AbortController();
      const call = client.send(request({ signal: leaving.signal }));
      await server.until(() => server.requests.length === 1);
      leaving.abort();
      expect((await faultOf(call)).code).toBe("cancelled");
      await server.until(() => server.open === 0);
      expect(server.connections).toBe(1);
    });
  });

  test("while a piece of the body is awaited", async () => {
    await withServer(stalling, {}, async (client, server) => {
      const leaving = new AbortController();
      const answer = await client.send(request({ signal: leaving.signal }));
      const pieces = answer.body[Symbol.asyncIterator]();
      expect((await pieces.next()).done).toBe(false);
      const next = pieces.next();
      leaving.abort();
      expect((await faultOf(next)).code).toBe("cancelled");
      await server.until(() => server.open === 0);
      expect(server.connections).toBe(1);
    });
  });

  test("by a loop that ends early", async () => {
    await withServer(stalling, {}, async (client, server) => {
      const { body } = await client.send(request());
      for await (const _ of body) break;
      await server.until(() => server.open === 0);
    });
  });

  test("by a loop that ends while it awaits a piece: it ends without a fault", async () => {
    await withServer(stalling, {}, async (client, server) => {
      const pieces = (await client.send(request())).body[Symbol.asyncIterator]();
      await pieces.next();
      const next = pieces.next();
      await pieces.return?.();
      expect(await next).toEqual({ done: true, value: undefined });
      await server.until(() => server.open === 0);
    });
  });

  test("by never asking for the body", async () => {
    await withServer(stalling, {}, async (client, server) => {
      const { body } = await client.send(request());
      await body[Symbol.asyncIterator]().return?.();
      await server.until(() => server.open === 0);
    });
  });

  test("while it waits for a connection: it is never sent", async () => {
    await withServer(silent, { maxSockets: 1 }, async (client, server) => {
      const first = new AbortController();
      const second = new AbortController();
      const calls = [first, second].map(({ signal }) => faultOf(client.send(request({ signal }))));
      await server.until(() => server.requests.length === 1);
      second.abort();
      expect((await calls[1])?.code).toBe("cancelled");
      first.abort();
      await calls[0];
      await server.until(() => server.open === 0);
      expect(server.requests).toHaveLength(1);
    });
  });

  test("while the connection is being made: the next call has it", async () => {
    let resolved: (() => void) | undefined;
    await withServer(
      (socket, { body }) => socket.write(ok(body)),
      {},
      async (_, server) => {
        const client = clientOf(
          { url: server.url.replace("127.0.0.1", "localhost") },
          { maxSockets: 1 },
          {
            resolve: (_name, _options, done) =>
              (resolved = () => done(null, [{ address: "127.0.0.1", family: 4 }])),
          },
        );
        const leaving = new AbortController();
        const call = faultOf(client.send(request({ signal: leaving.signal, body: "left" })));
        const next = outcomeOf(client, { body: "next" });
        leaving.abort();
        expect((await call).code).toBe("cancelled");
        resolved?.();
        expect(await next).toBe("200 next");
        expect(server.requests.map(({ body }) => body)).toEqual(["next"]);
        expect(server.connections).toBe(1);
        await client.close();
      },
    );
  });
});

test("the reason of ours that a signal has is the fault", async () => {
  await withServer(silent, {}, async (client) => {
    const signal = AbortSignal.abort(new ConversionError("draining", "the server is stopping"));
    expect((await faultOf(client.send(request({ signal })))).code).toBe("draining");
  });
});

test("one signal serves many calls, and none leaves a listener", async () => {
  await withServer(
    (socket) => socket.write(ok("abc")),
    {},
    async (client) => {
      const { signal } = new AbortController();
      for (let round = 0; round < 10; round += 1) {
        const outcomes = await Promise.all(Array.from({ length: 5 }, () => outcomeOf(client, { signal })));
        expect(new Set(outcomes)).toEqual(new Set(["200 abc"]));
      }
      expect(getEventListeners(signal, "abort")).toHaveLength(0);
    },
  );
});

test("500 calls left at any moment end all, and the client works on", async () => {
  const answer: RawAnswer = (socket) => {
    const rest = ok("abc".repeat(1000));
    socket.write(rest.slice(0, 50));
    setTimeout(() => socket.write(rest.slice(50)), 5);
  };
  await withServer(answer, { maxSockets: 8 }, async (client, server) => {
    const calls = Array.from({ length: 500 }, async (_, index) => {
      await delay(index / 5);
      const leaving = new AbortController();
      setTimeout(() => leaving.abort(), (index * 7) % 20);
      return outcomeOf(client, { signal: leaving.signal });
    });
    const outcomes = new Set(await Promise.all(calls));
    expect([...outcomes].every((one) => one === "cancelled" || one.startsWith("200 abc"))).toBe(true);
    expect(outcomes.has("cancelled")).toBe(true);
    expect(await outcomeOf(client)).toMatch(/^200 abc/);
    expect(server.requests.length).toBeLessThanOrEqual(501);
  });
});

describe("a client that is closed", () => {
  test("ends what is under way or waits, and takes nothing more", async () => {
    await withServer(stalling, { maxSockets: 1 }, async (client, server) => {
      const answer = await client.send(request());
      const reading = faultOf(textOf(answer));
      const waiting = faultOf(client.send(request()));
      await client.close();
      expect((await reading).code).toBe("cancelled");
      expect((await waiting).code).toBe("cancelled");
      expect((await faultOf(client.send(request()))).code).toBe("cancelled");
      await server.until(() => server.open === 0);
      expect(server.requests).toHaveLength(1);
    });
  });

  test("may be closed twice", async () => {
    await withServer(silent, {}, async (client) => {
      await client.close();
      await client.close();
    });
  });
});
