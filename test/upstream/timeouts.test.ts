import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { clientOf, faultOf, ok, outcomeOf, type RawAnswer, request, textOf, withServer } from "./support.ts";

const head = (type: string) =>
  `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`;
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

/** Sends a piece every few milliseconds, until the other side closes or the time is over. */
const trickle =
  (type: string, piece: string, milliseconds = Number.POSITIVE_INFINITY): RawAnswer =>
  (socket) => {
    const begun = performance.now();
    socket.write(head(type));
    const timer = setInterval(() => {
      if (performance.now() - begun < milliseconds) socket.write(chunk(piece));
      else socket.end(chunk(piece) + chunk(""));
    }, 10);
    socket.on("close", () => clearInterval(timer));
  };

const silent: RawAnswer = () => {};

test("no head within `headersTimeout`", async () => {
  await withServer(silent, { headersTimeout: 100 }, async (client, server) => {
    const { code, message } = await faultOf(client.send(request()));
    expect(code).toBe("upstream-timeout");
    expect(message).toContain("100 ms (`headersTimeout`)");
    await server.until(() => server.open === 0);
  });
});

test("no further piece within `idleTimeout`", async () => {
  const stalling: RawAnswer = (socket) => socket.write(head("application/json") + chunk("{"));
  await withServer(stalling, { idleTimeout: 100 }, async (client, server) => {
    const { code, message } = await faultOf(textOf(await client.send(request())));
    expect(code).toBe("upstream-timeout");
    expect(message).toContain("100 ms (`idleTimeout`)");
    await server.until(() => server.open === 0);
  });
});

test("a document that trickles is over within `totalTimeout`", async () => {
  await withServer(trickle("application/json", " "), { totalTimeout: 200 }, async (client) => {
    const { code, message } = await faultOf(textOf(await client.send(request())));
    expect(code).toBe("upstream-timeout");
    expect(message).toContain("200 ms (`totalTimeout`)");
  });
});

test.each(["text/event-stream", "application/x-ndjson; charset=utf-8"])(
  "%s may last longer than `totalTimeout`",
  async (type) => {
    await withServer(trickle(type, "a", 300), { totalTimeout: 100 }, async (client) => {
      expect(await outcomeOf(client)).toMatch(/^200 a+$/);
    });
  },
);

test("comments keep a stream from being idle, and not from `streamTimeout`", async () => {
  const limits = { idleTimeout: 5000, streamTimeout: 200 };
  await withServer(trickle("text/event-stream", ": ping\n\n"), limits, async (client) => {
    const { code, message } = await faultOf(textOf(await client.send(request())));
    expect(code).toBe("upstream-timeout");
    expect(message).toContain("200 ms (`streamTimeout`)");
  });
});

test("a head that comes before its time has no part in the time of the body", async () => {
  await withServer(trickle("text/event-stream", "a", 300), { headersTimeout: 100 }, async (client) => {
    expect(await outcomeOf(client)).toMatch(/^200 a+$/);
  });
});

test("a reader that takes its time is not the server's idleness", async () => {
  await withServer(
    (socket) => socket.write(ok("abc")),
    { idleTimeout: 100 },
    async (client) => {
      const answer = await client.send(request());
      await delay(300);
      expect(await textOf(answer)).toBe("abc");
    },
  );
});

test("no connection within `connectTimeout`: the tool was not called", async () => {
  const client = clientOf(
    { url: "http://tools.test" },
    { allowHttp: true, connectTimeout: 50, connectRetries: 0 },
    { resolve: () => {} },
  );
  const { code, message } = await faultOf(client.send(request()));
  expect(code).toBe("upstream-unreachable");
  expect(message).toContain("50 ms (`connectTimeout`)");
  await client.close();
});

test("the wait for a connection counts, and a call that has waited too long is never sent", async () => {
  let first: Socket | undefined;
  const answer: RawAnswer = (socket, { index }) => {
    if (index === 0) first = socket;
    else socket.write(ok("later"));
  };
  await withServer(answer, { maxSockets: 1, totalTimeout: 300 }, async (client, server) => {
    const unlimited = outcomeOf(client, { passThrough: true });
    await server.until(() => server.requests.length === 1);
    const { code, message } = await faultOf(client.send(request()));
    expect(code).toBe("upstream-timeout");
    expect(message).toContain("`totalTimeout`");
    first?.write(ok("at last"));
    expect(await unlimited).toBe("200 at last");
    expect(await outcomeOf(client)).toBe("200 later");
    expect(server.requests).toHaveLength(2);
  });
});

test("what is passed through has no total time", async () => {
  const limits = { totalTimeout: 50, streamTimeout: 50 };
  await withServer(trickle("text/event-stream", "a", 200), limits, async (client) => {
    expect(await outcomeOf(client, { passThrough: true })).toMatch(/^200 a+$/);
  });
});
