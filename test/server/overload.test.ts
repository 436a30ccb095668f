import { describe, expect, test } from "vitest";
import { createApp } from "../../src/server/app.ts";
import type { Exchange } from "../../src/server/endpoint.ts";
import { converter, done, problem, RawClient, serving, shellOf, surfacesOf, workSurface } from "./support.ts";

/** Work that is done when the test says so, in the order in which it began. */
function pendingWork() {
  const begun: { readonly name: string; readonly finish: () => void }[] = [];
  const surface = workSurface(async ({ url }) => {
    await new Promise<void>((finish) => begun.push({ name: url.search, finish }));
    return done;
  });
  return { begun, surface };
}

describe("calls in flight", () => {
  test("beyond the limit wait for their turn, first come, first served", async () => {
    const { begun, surface } = pendingWork();
    const app = createApp([surface], shellOf({ maxInFlight: 1, maxQueued: 2, queueTimeout: 20_000 }));
    const call = (name: string) => app.request(`/work?${name}`, { method: "POST" });
    const calls = [call("a"), call("b"), call("c")];
    const refused = await call("d");
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(await problem(refused)).toMatchObject({ status: 503, code: "overloaded" });
    for (const [index, name] of ["?a", "?b", "?c"].entries()) {
      await expect.poll(() => begun.length).toBe(index + 1);
      expect(begun[index]?.name).toBe(name);
      begun[index]?.finish();
      expect((await calls[index])?.status).toBe(200);
    }
  });

  test("wait no longer than the queue's time", async () => {
    const { begun, surface } = pendingWork();
    const app = createApp([surface], shellOf({ maxInFlight: 1, queueTimeout: 20 }));
    const first = app.request("/work", { method: "POST" });
    const late = await problem(app.request("/work", { method: "POST" }));
    expect(late).toMatchObject({ status: 503, code: "overloaded" });
    expect(late.document.detail).toContain("server.queueTimeout");
    begun[0]?.finish();
    expect((await first).status).toBe(200);
  });

  test("leave the queue with their client", async () => {
    const { begun, surface } = pendingWork();
    const shell = shellOf({ maxInFlight: 1, maxQueued: 1, queueTimeout: 20_000 });
    await serving([surface], shell, async ({ url }) => {
      const send = (name: string) =>
        new RawClient(url).send(
          `POST /work?${name} HTTP/1.1`,
          "Host: localhost",
          "Connection: close",
          "",
          "",
        );
      const first = send("a");
      await expect.poll(() => begun.length).toBe(1);
      const leaving = send("b");
      // With `b` in the queue there is no place for another.
      await expect.poll(async () => (await send("x").closed).slice(9, 12)).toBe("503");
      leaving.leave();
      await expect
        .poll(() => shell.log.lines.map(({ event, facts }) => [event, facts.status]))
        .toContainEqual(["request-aborted", 499]);
      const last = send("c");
      begun[0]?.finish();
      await expect.poll(() => begun.map(({ name }) => name)).toEqual(["?a", "?c"]);
      begun[1]?.finish();
      expect(await first.closed).toContain("200 OK");
      expect(await last.closed).toContain("200 OK");
    });
  });

  test("leave the health checks alone", async () => {
    const { surface, begun } = pendingWork();
    const shell = shellOf({ maxInFlight: 1, maxQueued: 0 });
    const app = createApp([surface, ...surfacesOf(converter, shell)], shell);
    const first = app.request("/work", { method: "POST" });
    expect((await app.request("/work", { method: "POST" })).status).toBe(503);
    for (const path of ["/healthz", "/health", "/readyz", "/version"]) {
      expect((await app.request(path)).status, path).toBe(200);
    }
    begun[0]?.finish();
    await first;
  });

  test("give their place back however they end", async () => {
    const endings: Readonly<Record<string, (exchange: Exchange) => Promise<typeof done>>> = {
      answered: async () => done,
      failed: async () => {
        throw new TypeError("canary");
      },
      refused: async (exchange) => {
        await exchange.body();
        return done;
      },
    };
    const app = createApp(
      [
        workSurface(
          (exchange) => (endings[exchange.url.search.slice(1)] ?? endings.failed)?.(exchange) ?? done,
        ),
      ],
      shellOf({ maxInFlight: 1, maxQueued: 0 }),
    );
    for (const [name, status] of [
      ["answered", 200],
      ["failed", 500],
      ["refused", 415],
      ["answered", 200],
    ]) {
      expect((await app.request(`/work?${name}`, { method: "POST" })).status).toBe(status);
    }
  });
});

describe("bytes held in the process", () => {
  const json = { "Content-Type": "application/json" };
  const send = (app: ReturnType<typeof createApp>, length: number) =>
    app.request("/work", { method: "POST", headers: json, body: "x".repeat(length) });

  test("of all bodies together stay within the budget, and are given back at the end", async () => {
    const finish: (() => void)[] = [];
    const surface = workSurface(async (exchange) => {
      await exchange.body();
      await new Promise<void>((resolve) => finish.push(resolve));
      return done;
    });
    const app = createApp([surface], shellOf({ maxHeldBytes: 1000 }));
    const first = send(app, 600);
    await expect.poll(() => finish.length).toBe(1);
    const refused = await send(app, 600);
    expect(refused.headers.get("retry-after")).toBe("1");
    const { code, document } = await problem(refused);
    expect([code, document.detail]).toEqual(["overloaded", expect.stringContaining("server.maxHeldBytes")]);
    finish[0]?.();
    expect((await first).status).toBe(200);
    const second = send(app, 1000);
    await expect.poll(() => finish.length).toBe(2);
    finish[1]?.();
    expect((await second).status).toBe(200);
  });

  test("count what a handler holds, until it releases it", async () => {
    const seen: string[] = [];
    const app = createApp(
      [
        workSurface((exchange) => {
          exchange.hold(900);
          try {
            exchange.hold(200);
          } catch (error) {
            seen.push(String(error));
          }
          exchange.release(900);
          exchange.hold(1000);
          return done;
        }),
      ],
      shellOf({ maxHeldBytes: 1000 }),
    );
    for (const _ of [1, 2]) expect((await app.request("/work", { method: "POST" })).status).toBe(200);
    expect(seen).toHaveLength(2);
  });
});

test("an answer that makes no response is a fault, and its call's place is given back once", async () => {
  const shell = shellOf({ maxInFlight: 1, maxQueued: 0 });
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const surface = workSurface(async ({ url }) => {
    if (url.search !== "?hold") return { ...done, status: 999 };
    await held;
    return done;
  });
  const app = createApp([surface], shell);
  const work = (query: string) => app.request(`/work${query}`, { method: "POST", body: "{}" });
  for (let calls = 0; calls < 3; calls += 1) expect((await work("")).status).toBe(500);
  const holding = work("?hold");
  expect((await work("?hold")).status).toBe(503);
  release();
  expect((await holding).status).toBe(200);
  expect(shell.log.of("/work").map(({ facts }) => facts.status)).toEqual([500, 500, 500, 503, 200]);
});
