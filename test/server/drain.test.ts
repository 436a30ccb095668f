import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { createApp } from "../../src/server/app.ts";
import type { Answer } from "../../src/server/endpoint.ts";
import { type Listener, listen } from "../../src/server/listen.ts";
import { converter, done, RawClient, shellOf, surfacesOf, type TestShell, workSurface } from "./support.ts";

const get = (path: string) => [`GET ${path} HTTP/1.1`, "Host: localhost", "", ""];
const work = ["POST /work HTTP/1.1", "Host: localhost", "", ""];

/** A call that ends when the test says so. */
function pendingCall() {
  let begun = 0;
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const surface = workSurface(async () => {
    begun += 1;
    await finished;
    return done;
  });
  return { surface, finish, begun: () => begun };
}

async function started(shell: TestShell, surface: ReturnType<typeof workSurface>) {
  return listen(createApp([surface, ...surfacesOf(converter, shell)], shell), shell);
}

/** Resolves when the port takes no connection any more. */
const closed = ({ url }: Listener) =>
  expect
    .poll(() =>
      fetch(`${url}/healthz`).then(
        ({ status }) => status,
        () => "refused",
      ),
    )
    .toBe("refused");

describe("a server that stops", () => {
  test("says so first: it is not ready, still answers, and closes each connection", async () => {
    // Longer than the test: the second step begins when the test is over.
    const shell = shellOf({ drainDelay: 1500 });
    const { surface, finish } = pendingCall();
    finish();
    const listener = await started(shell, surface);
    const idle = new RawClient(listener.url).send(...get("/readyz"));
    expect(await idle.until(/\{"status":"ready"\}/)).toContain("Connection: keep-alive");
    const stopped = listener.stop();
    const unready = await new RawClient(listener.url).send(...get("/readyz")).closed;
    expect(unready).toMatch(/^HTTP\/1\.1 503 /);
    expect(unready).toContain('"code":"draining"');
    expect(unready.toLowerCase()).toContain("retry-after: 1");
    const answered = await new RawClient(listener.url).send(...work).closed;
    expect(answered).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(answered.toLowerCase()).toContain("\r\nconnection: close\r\n");
    // The connection that was open before gets its last answer, too.
    const last = await idle.send(...get("/healthz")).closed;
    expect(last).toMatch(/"ready"\}HTTP\/1\.1 200 OK[\s\S]*"ok"/);
    await stopped;
    await closed(listener);
  });

  test("finishes the calls in flight, and takes no new connection", async () => {
    const shell = shellOf();
    const { surface, finish, begun } = pendingCall();
    const listener = await started(shell, surface);
    const call = new RawClient(listener.url).send(...work);
    const idle = new RawClient(listener.url).send(...get("/healthz"));
    const silent = new RawClient(listener.url);
    await idle.until(/"ok"/);
    await expect.poll(begun).toBe(1);
    const stopped = listener.stop();
    expect(listener.stop()).toBe(stopped);
    expect(await silent.closed).toBe("");
    expect(await idle.closed).toContain('"ok"');
    await closed(listener);
    finish();
    expect(await call.closed).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*done$/);
    await stopped;
  });

  test("finishes a request whose body is still coming", async () => {
    const shell = shellOf();
    const { surface } = pendingCall();
    const listener = await started(shell, surface);
    const body = '{"content":["late"]}';
    const client = new RawClient(listener.url).send(
      "POST /v1/convert?from=watsonx&to=ir HTTP/1.1",
      "Host: localhost",
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
      "",
      body.slice(0, 5),
    );
    await expect.poll(() => client.socket.bytesWritten > 0).toBe(true);
    // The first bytes must have reached the server, else there is nothing begun to finish.
    await fetch(`${listener.url}/healthz`, { headers: { Connection: "close" } });
    const stopped = listener.stop();
    await closed(listener);
    client.send(body.slice(5));
    const received = await client.closed;
    await stopped;
    expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(received).toContain('"late"');
  });

  test("ends the calls whose time is over with their own last words", async () => {
    const shell = shellOf({ drainTimeout: 50 });
    const surface = workSurface(({ signal }): Answer => {
      async function* body() {
        yield "begun;";
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        yield `ended by ${signal.reason.code}`;
      }
      return { ...done, body: body() };
    });
    const listener = await started(shell, surface);
    const client = new RawClient(listener.url).send(...work);
    await client.until(/begun;/);
    await listener.stop();
    // With the last chunk, that is, as a whole answer.
    expect(await client.closed).toMatch(/begun;\r\n11\r\nended by draining\r\n0\r\n\r\n$/);
    expect(shell.log.of("/work")).toMatchObject([{ event: "request", facts: { status: 200 } }]);
  });

  test("still answers a client whose answer had begun before it could say close", async () => {
    const shell = shellOf({ drainTimeout: 50 });
    const surface = workSurface(({ signal }): Answer => {
      async function* body() {
        yield "begun;";
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        yield "ended";
      }
      return { ...done, body: body() };
    });
    const listener = await started(shell, surface);
    const client = new RawClient(listener.url).send(...work);
    await client.until(/begun;/);
    const stopping = listener.stop();
    await client.until(/ended\r\n0\r\n\r\n$/);
    // Later than the server looks for idle connections.
    await sleep(250);
    client.send(...work);
    expect(await client.closed).toMatch(/HTTP\/1\.1 503 [\s\S]*connection: close[\s\S]*"code":"draining"/i);
    await stopping;
  });

  test("ends also what does not listen", async () => {
    const shell = shellOf({ drainTimeout: 50 });
    const surface = workSurface(() => new Promise(() => {}));
    const listener = await started(shell, surface);
    const client = new RawClient(listener.url).send(...work);
    await expect.poll(() => client.socket.bytesWritten > 0).toBe(true);
    await fetch(`${listener.url}/healthz`, { headers: { Connection: "close" } });
    await listener.stop();
    expect(await client.closed).toBe("");
  });

  test("sends calls away that wait in the queue when the time is over", async () => {
    const shell = shellOf({ maxInFlight: 1, queueTimeout: 20_000 });
    const { surface, finish, begun } = pendingCall();
    const app = createApp([surface], shell);
    const first = app.request("/work", { method: "POST" });
    const waiting = app.request("/work", { method: "POST" });
    await expect.poll(begun).toBe(1);
    shell.drain.end();
    expect((await waiting).status).toBe(503);
    expect(await (await waiting).json()).toMatchObject({ code: "draining" });
    expect((await app.request("/work", { method: "POST" })).status).toBe(503);
    finish();
    expect((await first).status).toBe(200);
  });
});
