import { type AddressInfo, createServer, type Socket } from "node:net";
import { describe, expect, test } from "vitest";
import type { Resolve } from "../../src/gateway/client/address.ts";
import {
  clientOf,
  faultOf,
  ok,
  outcomeOf,
  type RawAnswer,
  RawServer,
  request,
  withServer,
} from "./support.ts";

/** A port that nothing listens on. */
async function freePort(): Promise<string> {
  const server = await RawServer.start(() => {});
  await server.close();
  return server.url;
}

/** Resolves every name to this machine, and counts how often it is asked. */
function counting(before: () => Promise<void> = async () => {}): { resolve: Resolve; count: number } {
  const counter = {
    count: 0,
    resolve: ((_name, _options, done) => {
      counter.count += 1;
      void before().then(() => done(null, [{ address: "127.0.0.1", family: 4 }]));
    }) as Resolve,
  };
  return counter;
}

const named = (url: string) => ({ url: url.replace("127.0.0.1", "tools.test") });
const allowed = { allowHttp: true, allowPrivate: true };

describe("where no connection can be made", () => {
  test.each([0, 1, 3])("tries again %i times, as `connectRetries` says", async (connectRetries) => {
    const names = counting();
    const client = clientOf(named(await freePort()), { ...allowed, connectRetries }, names);
    const { code, message } = await faultOf(client.send(request()));
    expect(code).toBe("upstream-unreachable");
    expect(message).toBe("the connection was refused");
    expect(names.count).toBe(connectRetries + 1);
    await client.close();
  });

  test("a try that succeeds sends the request, once", async () => {
    const server = await RawServer.start((socket, { body }) => socket.write(ok(body)));
    let tries = 0;
    const resolve: Resolve = (_name, _options, done) => {
      tries += 1;
      if (tries === 1) done(Object.assign(new Error("no such name"), { code: "ENOTFOUND" }), []);
      else done(null, [{ address: "127.0.0.1", family: 4 }]);
    };
    const client = clientOf(named(server.url), allowed, { resolve });
    expect(await outcomeOf(client, { body: "only" })).toBe("200 only");
    expect(server.requests).toHaveLength(1);
    await client.close();
    await server.close();
  });

  test("a name that is not known is told, without the name", async () => {
    const resolve: Resolve = (_name, _options, done) =>
      done(Object.assign(new Error("getaddrinfo ENOTFOUND tools.test"), { code: "ENOTFOUND" }), []);
    const client = clientOf({ url: "https://tools.test" }, {}, { resolve });
    const { code, message } = await faultOf(client.send(request()));
    expect([code, message]).toEqual(["upstream-unreachable", "the name of the host is not known"]);
    await client.close();
  });

  test("a server that speaks no TLS is unreachable by it", async () => {
    const server = await RawServer.start(() => {});
    const client = clientOf({ url: server.url.replace("http:", "https:") }, { connectTimeout: 5000 });
    const call = faultOf(client.send(request()));
    await server.until(() => server.connections > 0);
    await server.close();
    expect((await call).code).toBe("upstream-unreachable");
    await client.close();
  });

  test("a refused address is not tried again", async () => {
    const names = counting();
    const client = clientOf({ url: "https://tools.test" }, { connectRetries: 3 }, names);
    expect(await outcomeOf(client)).toBe("upstream-address-refused");
    expect(names.count).toBe(1);
    await client.close();
  });

  test("a header that cannot be sent is not tried at all", async () => {
    await withServer(
      (socket) => socket.write(ok("")),
      {},
      async (client, server) => {
        expect(await outcomeOf(client, { headers: { "x-key": "two\r\nlines" } })).toBe("request-refused");
        expect(server.connections).toBe(0);
        expect(await outcomeOf(client)).toBe("200 ");
      },
    );
  });
});

describe("once a byte was sent, never again", () => {
  test.each(["POST", "PUT", "GET", "HEAD", "DELETE"])(
    "%s on a connection that closes then",
    async (method) => {
      const body = method === "GET" || method === "HEAD" ? {} : { body: "{}" };
      const answer: RawAnswer = (socket, { index }) => {
        if (index === 0) socket.write(ok(""));
        else socket.destroy();
      };
      await withServer(answer, { connectRetries: 5 }, async (client, server) => {
        expect(await outcomeOf(client)).toBe("200 ");
        const given = request({ method });
        const { body: _, ...rest } = given;
        expect(await outcomeOf(client, { ...rest, ...body })).toBe("upstream-disconnected");
        expect(server.requests).toHaveLength(2);
      });
    },
  );

  test("an idle connection that the server has closed is not used", async () => {
    let socket: Socket | undefined;
    const answer: RawAnswer = (given, { index }) => {
      socket = given;
      socket.write(ok(`${index}`));
    };
    await withServer(answer, {}, async (client, server) => {
      expect(await outcomeOf(client)).toBe("200 0");
      socket?.end();
      await server.until(() => server.open === 0);
      expect(await outcomeOf(client)).toBe("200 1");
      expect(server.connections).toBe(2);
    });
  });

  test("600 calls over a server that kills connections at every moment", async () => {
    const answer: RawAnswer = (socket, { index, body }) => {
      const whole = ok(body);
      switch (index % 7) {
        case 1:
          return socket.destroy();
        case 2:
          return socket.resetAndDestroy();
        case 3:
          return socket.write(whole.slice(0, 30), () => socket.destroy());
        case 4:
          return socket.write(whole.slice(0, -3), () => socket.destroy());
        case 5:
          return socket.end(whole);
        default:
          return socket.write(whole);
      }
    };
    await withServer(answer, { maxSockets: 16, connectRetries: 2 }, async (client, server) => {
      const calls = Array.from({ length: 600 }, async (_, index) => {
        const token = `token-${index}-of-the-call`;
        const outcome = await outcomeOf(client, { body: token });
        return { token, outcome };
      });
      const outcomes = await Promise.all(calls);
      for (const { token, outcome } of outcomes) {
        expect([`200 ${token}`, "upstream-disconnected"]).toContain(outcome);
      }
      const seen = server.requests.map(({ body }) => body);
      expect(new Set(seen).size).toBe(seen.length);
      const right = outcomes.filter(({ outcome }) => outcome !== "upstream-disconnected");
      expect(right.length).toBeGreaterThan(200);
      expect(right.every(({ token }) => seen.includes(token))).toBe(true);
    });
  });
});

describe("idle connections", () => {
  const twice = async (answer: RawAnswer) =>
    withServer(answer, {}, async (client, server) => {
      expect(await outcomeOf(client)).toBe("200 abc");
      expect(await outcomeOf(client)).toBe("200 abc");
      return server.connections;
    });

  test("are used again", async () => {
    expect(await twice((socket) => socket.write(ok("abc")))).toBe(1);
  });

  test("are not, where the server announces to close within a second", async () => {
    expect(await twice((socket) => socket.write(ok("abc", "Keep-Alive: timeout=1")))).toBe(2);
  });

  test("are closed after `keepAlive`", async () => {
    await withServer(
      (socket) => socket.write(ok("abc")),
      { keepAlive: 50 },
      async (client, server) => {
        expect(await outcomeOf(client)).toBe("200 abc");
        await server.until(() => server.open === 0);
      },
    );
  });
});

describe("a body that comes piece by piece", () => {
  test("is passed on as it comes", async () => {
    const answer: RawAnswer = (socket, { body }) => socket.write(ok(body));
    await withServer(answer, {}, async (client) => {
      async function* pieces() {
        yield Buffer.from("abc");
        yield Buffer.from("de");
      }
      const outcome = await outcomeOf(client, { passThrough: true, headers: {}, body: pieces() });
      expect(outcome).toBe("200 3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
    });
  });

  test("that breaks off ends the request, which is no whole one then", async () => {
    await withServer(
      () => {},
      {},
      async (client, server) => {
        async function* pieces() {
          yield Buffer.from("abc");
          throw new Error("the client has gone");
        }
        const outcome = await outcomeOf(client, { passThrough: true, headers: {}, body: pieces() });
        expect(outcome).toBe("cancelled");
        await server.until(() => server.open === 0 && server.connections === 1);
        expect(server.requests).toHaveLength(0);
      },
    );
  });

  test("is left where the answer comes before its end", async () => {
    let left = (): void => {};
    const isLeft = new Promise<void>((resolve) => {
      left = resolve;
    });
    async function* pieces() {
      try {
        for (;;) yield Buffer.alloc(1024);
      } finally {
        left();
      }
    }
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.end(ok("too large", "Connection: close")));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo; // A server that listens on a port has an address of this kind.
    const client = clientOf({ url: `http://127.0.0.1:${port}` });
    const outcome = await outcomeOf(client, { passThrough: true, headers: {}, body: pieces() });
    // Either is right: the answer may be lost with the connection that the server closes under the request.
    expect(["200 too large", "upstream-disconnected"]).toContain(outcome);
    await isLeft;
    await client.close();
    server.close();
  });
});

describe("what is passed through is not judged", () => {
  test.each([
    ["a redirect", "HTTP/1.1 302 Found\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n", "302 "],
    ["a coding", ok("abc", "Content-Encoding: gzip"), "200 abc"],
    ["a failure", "HTTP/1.1 503 x\r\nContent-Length: 1\r\n\r\na", "503 a"],
  ])("%s", async (_, answer, expected) => {
    await withServer(
      (socket) => socket.write(answer),
      {},
      async (client, server) => {
        const headers = { "accept-encoding": "gzip, br" };
        expect(await outcomeOf(client, { passThrough: true, headers })).toBe(expected);
        expect(server.requests[0]?.head).toContain("accept-encoding: gzip, br");
      },
    );
  });

  test("all else asks for no coding", async () => {
    await withServer(
      (socket) => socket.write(ok("")),
      {},
      async (client, server) => {
        await outcomeOf(client);
        expect(server.requests[0]?.head).toMatch(/^accept-encoding: identity$/m);
      },
    );
  });
});
