import { describe, expect, test } from "vitest";
import { createApp } from "../../src/server/app.ts";
import { isLoopback } from "../../src/server/loopback.ts";
import { sameSecret } from "../../src/server/secret.ts";
import { converter, done, problem, RawClient, serving, shellOf, surfacesOf, workSurface } from "./support.ts";

const keys = [
  { name: "orchestrate", key: "o".repeat(32) },
  { name: "dify", key: "d".repeat(40) },
];
const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });

describe("the table of routes", () => {
  const shell = shellOf({}, { keys });
  const surfaces = [...surfacesOf(converter, shell), workSurface(() => done)];
  const rows = surfaces.flatMap(({ endpoints }) => endpoints);
  const app = createApp(surfaces, shell);
  const guarded = rows.filter(({ access }) => access === "key").map(({ method, path }) => ({ method, path }));

  test("asks for a key everywhere but for the health checks", () => {
    expect(rows.filter(({ access }) => access !== "key").map(({ path }) => path)).toEqual([
      "/healthz",
      "/health",
      "/readyz",
      "/version",
    ]);
  });

  test.each(guarded)(
    "$method $path answers 401 without a key, and without a word about keys",
    async (row) => {
      const response = await app.request(row.path, { method: row.method });
      expect(response.headers.get("www-authenticate")).toBe("Bearer");
      const { status, code, document } = await problem(response);
      expect({ status, code, detail: document.detail }).toEqual({
        status: 401,
        code: "unauthorized",
        detail: "a key is needed",
      });
    },
  );

  test("the list of paths names every row", async () => {
    const { paths } = JSON.parse(await (await app.request("/")).text());
    expect(paths).toEqual([
      ...rows.map(({ method, path, what }) => ({ method, path, what })),
      { method: "GET", path: "/", what: "lists the paths" },
    ]);
  });

  test("an unknown path is 404, a wrong method 405 with Allow", async () => {
    expect(await problem(app.request("/v2"))).toMatchObject({ status: 404, code: "not-found" });
    const wrong = await app.request("/v1/convert?to=ir");
    expect(wrong.headers.get("allow")).toBe("POST");
    expect(await problem(wrong)).toMatchObject({ status: 405, code: "method-not-allowed" });
    const posted = await app.request("/healthz", { method: "POST" });
    expect(posted.headers.get("allow")).toBe("GET, HEAD");
    expect(posted.status).toBe(405);
  });

  test("a fallback gets every path that no row has, and no other", async () => {
    const [fallback] = workSurface(({ url }) => ({ ...done, body: url.pathname }), {
      method: "ALL",
      path: "/*",
      access: "own",
    }).endpoints;
    if (fallback === undefined) throw new Error("the surface has one row");
    const passing = createApp([...surfaces, { endpoints: [], fallback }], shellOf());
    expect(await (await passing.request("/plugin/x", { method: "DELETE" })).text()).toBe("/plugin/x");
    expect((await passing.request("/healthz")).headers.get("content-type")).toBe("application/json");
    expect((await passing.request("/healthz", { method: "POST" })).status).toBe(405);
  });
});

describe("a key", () => {
  const shell = shellOf({}, { keys });
  const app = createApp([workSurface(({ principal }) => ({ ...done, body: String(principal) }))], shell);
  const asked = async (headers: Readonly<Record<string, string>>) => {
    const response = await app.request("/work", { method: "POST", headers });
    return response.status === 200 ? response.text() : response.status;
  };

  test("is shown as bearer or as x-api-key", async () => {
    expect(await asked(bearer("o".repeat(32)))).toBe("orchestrate");
    expect(await asked({ authorization: `bearer ${"d".repeat(40)}` })).toBe("dify");
    expect(await asked({ "X-Api-Key": "d".repeat(40) })).toBe("dify");
    expect(await asked({ ...bearer("for-another"), "x-api-key": "d".repeat(40) })).toBe("dify");
  });

  test("is the whole key and nothing else", async () => {
    for (const headers of [
      {},
      bearer("o".repeat(31)),
      bearer("o".repeat(33)),
      bearer(""),
      { Authorization: "o".repeat(32) },
      { Authorization: `Basic ${"o".repeat(32)}` },
      { "x-api-key": `${"o".repeat(32)}, ${"d".repeat(40)}` },
    ]) {
      expect(await asked(headers)).toBe(401);
    }
  });

  test("is asked of nobody where none is configured", async () => {
    const open = createApp(
      [workSurface(({ principal }) => ({ ...done, body: String(principal) }))],
      shellOf(),
    );
    expect(await (await open.request("/work", { method: "POST" })).text()).toBe("undefined");
  });

  test("makes as many calls a second as its rate, whatever other keys do", async () => {
    let now = 0;
    const limited = createApp(
      [workSurface(() => done)],
      shellOf({ rate: 2 }, { keys }, () => now),
    );
    const call = async (key: string) => {
      const response = await limited.request("/work", { method: "POST", headers: bearer(key) });
      return response.status === 429 ? response.headers.get("retry-after") : response.status;
    };
    const [one, other] = ["o".repeat(32), "d".repeat(40)];
    expect([await call(one), await call(one), await call(one)]).toEqual([200, 200, "1"]);
    expect(await call(other)).toBe(200);
    now = 500;
    expect([await call(one), await call(one)]).toEqual([200, "1"]);
    now = 60_000;
    expect([await call(one), await call(one), await call(one)]).toEqual([200, 200, "1"]);
  });

  test("and another secret are told apart whatever their length", () => {
    expect(sameSecret("a", "a")).toBe(true);
    expect(sameSecret("a", "ab")).toBe(false);
    expect(sameSecret("", "a")).toBe(false);
  });
});

describe("the Host and Origin headers", () => {
  const app = createApp(
    [...surfacesOf(converter, shellOf()), workSurface(() => done)],
    shellOf({ host: "::1", hosts: ["Gateway.example"], origins: ["https://console.example"] }),
  );
  const asked = async (headers: Readonly<Record<string, string>>, path = "/work") =>
    (await app.request(path, { method: path === "/work" ? "POST" : "GET", headers })).status;

  test("name this server by a name of its own, with any port", async () => {
    for (const host of ["localhost", "LOCALHOST:8080", "127.0.0.1:1", "[::1]:8080", "gateway.example"]) {
      expect(await asked({ host }), host).toBe(200);
    }
    for (const host of ["evil.example", "localhost.evil.example", "127.0.0.2", "::1", "", "a@localhost"]) {
      expect(await asked({ host }), host).toBe(403);
    }
    const refused = app.request("/work", { method: "POST", headers: { host: "evil.example" } });
    expect(await problem(refused)).toMatchObject({ status: 403, code: "host-refused" });
  });

  test("come from a web page that may call, or from none", async () => {
    expect(await asked({ origin: "https://console.example" })).toBe(200);
    for (const origin of ["https://evil.example", "null", "https://console.example:444", ""]) {
      expect(await asked({ origin }), origin).toBe(403);
    }
    const refused = app.request("/work", { method: "POST", headers: { origin: "null" } });
    expect(await problem(refused)).toMatchObject({ status: 403, code: "origin-refused" });
  });

  test("of a health check can be any", async () => {
    expect(await asked({ host: "10.1.2.3:8080" }, "/healthz")).toBe(200);
    expect(await asked({ host: "10.1.2.3:8080" }, "/v1/formats")).toBe(403);
  });
});

describe("the form of a request", () => {
  const shell = shellOf({ maxHeaders: 20 });
  const surfaces = [...surfacesOf(converter, shell), workSurface(() => done)];
  const answerTo = (...lines: readonly string[]) =>
    serving(surfaces, shell, ({ url }) => new RawClient(url).send(...lines, "", "").closed);

  test("has one Host header, a path, and not too many header lines", async () => {
    const head = ["GET /healthz HTTP/1.1", "Host: localhost"];
    expect(await answerTo(...head, "Connection: close")).toMatch(/^HTTP\/1\.1 200 /);
    const flood = Array.from({ length: 20 }, (_, index) => `X-${index}: 1`);
    for (const lines of [
      [...head, "Host: localhost"],
      [...head, "Host: evil.example"],
      ["GET http://evil.example/healthz HTTP/1.1", "Host: localhost"],
      ["GET http://localhost/healthz HTTP/1.1", "Host: localhost"],
      ["OPTIONS * HTTP/1.1", "Host: localhost"],
      ["GET /healthz HTTP/1.1", "Host: a b"],
      ["GET /healthz HTTP/1.0"],
      ["GET /\\healthz HTTP/1.1", "Host: localhost"],
      [...head, ...flood],
    ]) {
      const answer = await answerTo(...lines);
      expect(answer, lines.join()).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer).toContain('"code":"request-refused"');
      expect(answer).not.toContain("evil");
    }
  });

  test("never makes this server a proxy", async () => {
    const answer = await answerTo("CONNECT evil.example:80 HTTP/1.1", "Host: localhost");
    expect(answer).toBe("");
  });
});

test("loopback is the loopback network in any spelling, and localhost", () => {
  for (const host of [
    "localhost",
    "LocalHost",
    "127.0.0.1",
    "127.255.0.9",
    "::1",
    "[::1]",
    "0:0:0:0:0:0:0:1",
    "::ffff:127.0.0.1",
  ]) {
    expect(isLoopback(host), host).toBe(true);
  }
  for (const host of [
    "",
    "0.0.0.0",
    "::",
    "128.0.0.1",
    "10.0.0.1",
    "::ffff:10.0.0.1",
    "localhost.evil.example",
    "127.1",
  ]) {
    expect(isLoopback(host), host).toBe(false);
  }
});
