import { describe, expect, test } from "vitest";
import { createApp } from "../../src/server/app.ts";
import { jsonLog, type LogLevel } from "../../src/server/log.ts";
import { converter, done, shellOf, surfacesOf, workSurface } from "./support.ts";

/** A log whose clock the test sets. */
function logOf(level: LogLevel = "debug") {
  const written: string[] = [];
  const clock = { now: Date.UTC(2026, 11, 1) };
  const log = jsonLog(
    (line) => written.push(line),
    level,
    () => clock.now,
  );
  return { log, written, clock };
}

describe("a log of JSON lines", () => {
  test("writes one object a line, with time, level, event and facts", () => {
    const { log, written } = logOf();
    log.write("info", "request", { status: 200, endpoint: "/tools/:name", cut: true });
    expect(written).toEqual([
      '{"time":"2026-12-01T00:00:00.000Z","level":"info","event":"request","status":200,"endpoint":"/tools/:name","cut":true}\n',
    ]);
  });

  test("writes its level and the graver ones", () => {
    const { log, written } = logOf("warn");
    for (const level of ["error", "warn", "info", "debug"] as const) log.write(level, level);
    expect(written.map((line) => JSON.parse(line).event)).toEqual(["error", "warn"]);
  });

  test("never holds a character that a terminal would obey, nor a long text", () => {
    const { log, written } = logOf();
    const hostile = "\u001b[2J\n\r\u009b31m\u2028\u202e\u0000";
    log.write("info", "request", { principal: hostile, endpoint: "x".repeat(5000) });
    const [line = ""] = written;
    expect(line).toMatch(/^[\x20-\x7e]+\n$/);
    expect(JSON.parse(line)).toMatchObject({ principal: hostile, endpoint: "x".repeat(1024) });
  });

  test("writes what clients cause at will once a second, and how often it was left out", () => {
    const { log, written, clock } = logOf();
    for (let count = 0; count < 100; count += 1) log.write("info", "request-aborted");
    log.write("info", "request");
    expect(written).toHaveLength(2);
    clock.now += 1000;
    log.write("info", "request-aborted");
    expect(JSON.parse(written[2] ?? "")).toMatchObject({ event: "request-aborted", leftOut: 99 });
    clock.now += 1000;
    log.write("info", "request-aborted");
    expect(JSON.parse(written[3] ?? "")).not.toHaveProperty("leftOut");
  });
});

describe("the line of a request", () => {
  test("says who asked for what, how it ended and how long it took", async () => {
    const times = [10, 25.4];
    const shell = shellOf({}, { keys: [{ name: "dify", key: "d".repeat(32) }] }, () => times.shift() ?? 0);
    const surface = workSurface(
      (exchange) => {
        exchange.note({ route: "weather" });
        exchange.note({ losses: 2 });
        return done;
      },
      { path: "/tools/:name" },
    );
    await createApp([surface], shell).request("/tools/secret-name?q=canary", {
      method: "POST",
      headers: { "x-api-key": "d".repeat(32), "x-request-id": "id-1" },
    });
    await expect
      .poll(() => shell.log.lines)
      .toEqual([
        {
          level: "info",
          event: "request",
          facts: {
            requestId: "id-1",
            method: "POST",
            endpoint: "/tools/:name",
            status: 200,
            bytes: 4,
            ms: 15,
            principal: "dify",
            route: "weather",
            losses: 2,
          },
        },
      ]);
  });

  test("has a level by how it ended", async () => {
    const shell = shellOf({ maxInFlight: 0, maxQueued: 0 });
    const app = createApp(
      [
        ...surfacesOf(converter, shell),
        workSurface(() => done),
        workSurface(() => Promise.reject(new RangeError("canary")), { path: "/broken", admitted: false }),
      ],
      shell,
    );
    await app.request("/healthz");
    await app.request("/v1/formats");
    await app.request("/none");
    await app.request("/work", { method: "POST" });
    const broken = await app.request("/broken", { method: "POST" });
    expect(broken.status).toBe(500);
    expect(await broken.json()).toEqual({
      type: "about:blank",
      title: "Internal Server Error",
      status: 500,
      requestId: broken.headers.get("x-request-id"),
    });
    await expect
      .poll(() => shell.log.lines.map(({ level, facts }) => [level, facts.endpoint, facts.status]))
      .toEqual([
        ["debug", "/healthz", 200],
        ["info", "/v1/formats", 200],
        ["info", "(none)", 404],
        ["warn", "/work", 503],
        ["error", "/broken", 500],
      ]);
    expect(shell.log.lines.at(-1)?.facts).toMatchObject({ fault: "RangeError" });
  });

  test("names the place of a fault, and takes no message for one", async () => {
    const shell = shellOf();
    const forged = "x\n    at canary (file:///src/canary.ts:1:1)";
    const broken = { ...converter, detect: () => converter.convert("{}", null as never) as never };
    const app = createApp(
      [...surfacesOf(broken, shell), workSurface(() => Promise.reject(new Error(forged)))],
      shell,
    );
    const body = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
    expect((await app.request("/v1/detect", body)).status).toBe(500);
    expect((await app.request("/work", { method: "POST" })).status).toBe(500);
    await expect.poll(() => shell.log.lines.length).toBe(2);
    expect(shell.log.lines[0]?.facts).toMatchObject({
      fault: "TypeError",
      place: expect.stringMatching(/^converter\.ts:\d+:\d+$/),
    });
    expect(JSON.stringify(shell.log.lines)).not.toContain("canary");
  });
});
