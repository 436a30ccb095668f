import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { ClientAnswer } from "../../src/gateway/client/http-client.ts";
import { codeOf, type RawAnswer, request, withServer } from "./support.ts";

const mebibyte = 1024 * 1024;

test("a reader that stops holds the sender back", async () => {
  let written = 0;
  const endless: RawAnswer = async (socket) => {
    socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    const piece = Buffer.concat([Buffer.from("100000\r\n"), Buffer.alloc(mebibyte), Buffer.from("\r\n")]);
    while (!socket.destroyed && written < 256 * mebibyte) {
      written += mebibyte;
      if (socket.write(piece)) continue;
      await new Promise((resolve) => {
        socket.once("drain", resolve);
        socket.once("close", resolve);
      });
    }
  };
  await withServer(endless, {}, async (client) => {
    const { body } = await client.send(request());
    const pieces = body[Symbol.asyncIterator]();
    expect((await pieces.next()).value?.length).toBeLessThanOrEqual(mebibyte / 4);
    // Nothing tells that nothing happens any more.
    for (let before = -1; before !== written; await delay(100)) before = written;
    // What the sockets of both sides hold is the system's affair.
    expect(written).toBeLessThan(64 * mebibyte);
    await pieces.return?.();
  });
});

/** One more than is held for a reader in one read of the socket, and many times that. */
const sizes = [70_000, 300_000];
const closing = (framing: string, body: string) =>
  `HTTP/1.1 200 OK\r\nConnection: close\r\n${framing}\r\n\r\n${body}`;
const chunks = "Transfer-Encoding: chunked";

/** Begins late, reads a piece and lets others run. */
async function readSlowly({ body }: ClientAnswer): Promise<string> {
  let bytes = 0;
  await delay(50);
  try {
    for await (const piece of body) {
      bytes += piece.length;
      await delay(10);
    }
    return `${bytes} bytes`;
  } catch (error) {
    return codeOf(error);
  }
}

describe.each(sizes)(
  "a connection that ends while %i bytes wait for the reader (nodejs/undici#5360)",
  (size) => {
    const text = "a".repeat(size);
    const length = `Content-Length: ${size}`;
    const chunk = `${size.toString(16)}\r\n${text}\r\n`;

    test.each([
      ["with a length", closing(length, text)],
      ["in chunks", closing(chunks, `${chunk}0\r\n\r\n`)],
      ["until the connection ends", closing("X-A: b", text)],
      ["with a length, on a connection to be kept", `HTTP/1.1 200 OK\r\n${length}\r\n\r\n${text}`],
    ])("ends an answer that is whole, %s", async (_, answer) => {
      await withServer(
        (socket) => socket.end(answer),
        {},
        async (client) => {
          expect(await readSlowly(await client.send(request()))).toBe(`${size} bytes`);
        },
      );
    });

    test.each([
      ["with a length", closing(`Content-Length: ${size + 1}`, text)],
      ["in chunks", closing(chunks, chunk)],
      ["within a chunk", closing(chunks, chunk.slice(0, -9))],
    ])("breaks an answer that is cut, %s", async (_, answer) => {
      await withServer(
        (socket) => socket.end(answer),
        {},
        async (client) => {
          expect(await readSlowly(await client.send(request()))).toBe("upstream-disconnected");
        },
      );
    });

    test.each([
      ["with a length", closing("Content-Length: 9000000", text)],
      ["in chunks", closing(chunks, chunk)],
    ])("breaks an answer that is reset, %s", async (_, answer) => {
      const reset: RawAnswer = (socket) => {
        socket.write(answer);
        setTimeout(() => socket.resetAndDestroy(), 15);
      };
      await withServer(reset, {}, async (client) => {
        expect(await readSlowly(await client.send(request()))).toBe("upstream-disconnected");
      });
    });

    test("never ends the process, whenever a body without a length is reset", async () => {
      const reset: RawAnswer = (socket, { index }) => {
        socket.write(closing("X-A: b", text));
        setTimeout(() => socket.resetAndDestroy(), index % 40);
      };
      await withServer(reset, {}, async (client) => {
        const outcomes = Array.from({ length: 40 }, async () => readSlowly(await client.send(request())));
        for (const outcome of await Promise.all(outcomes)) {
          expect(outcome).toMatch(/^(\d+ bytes|upstream-disconnected)$/);
        }
      });
    });
  },
);
