import { describe, expect, test } from "vitest";
import { canary, ok, outcomeOf, type RawAnswer, withServer } from "./support.ts";

/** Limits that end what would never end, soon enough for a test. */
const limits = { headersTimeout: 1000, idleTimeout: 1000 };

/** Writes without end until the other side closes. */
function flood(start: string, piece: string): RawAnswer {
  return (socket) => {
    socket.write(start);
    const write = () => {
      if (!socket.destroyed) socket.write(piece, () => setImmediate(write));
    };
    write();
  };
}

const says =
  (...pieces: readonly string[]): RawAnswer =>
  (socket) =>
    socket.end(pieces.join("\r\n"));

const malformed: Readonly<Record<string, RawAnswer>> = {
  "no HTTP at all": says(`${canary} garbage`),
  "a bare line feed in the head": says(`HTTP/1.1 200 OK\nX-A: ${canary}\nContent-Length: 1\n\na`),
  "a line feed in a value": says("HTTP/1.1 200 OK", `X-A: ${canary}\nX-B: b`, "Content-Length: 1", "", "a"),
  "a carriage return in a value": says("HTTP/1.1 200 OK", `X-A: ${canary}\rb`, "Content-Length: 1", "", "a"),
  "a NUL in a value": says("HTTP/1.1 200 OK", `X-A: ${canary}\0b`, "Content-Length: 1", "", "a"),
  "a folded line": says("HTTP/1.1 200 OK", "X-A: a", ` ${canary}`, "Content-Length: 1", "", "a"),
  "a blank before the colon": says("HTTP/1.1 200 OK", "Content-Length : 1", "", "a"),
  "a length and chunks": says(
    "HTTP/1.1 200 OK",
    "Content-Length: 3",
    "Transfer-Encoding: chunked",
    "",
    "3",
    "abc",
    "0",
    "",
    "",
  ),
  "two lengths": says("HTTP/1.1 200 OK", "Content-Length: 3", "Content-Length: 4", "", "abcd"),
  "a length twice": says("HTTP/1.1 200 OK", "Content-Length: 3", "Content-Length: 3", "", "abc"),
  "a list of lengths": says("HTTP/1.1 200 OK", "Content-Length: 3, 3", "", "abc"),
  "a negative length": says("HTTP/1.1 200 OK", "Content-Length: -3", "", "abc"),
  "a chunk of no size": says("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "", "zz", "abc", "0", "", ""),
  "a chunk longer than its size": says(
    "HTTP/1.1 200 OK",
    "Transfer-Encoding: chunked",
    "",
    "3",
    "abcdef",
    "0",
  ),
  "a transfer coding": says(
    "HTTP/1.1 200 OK",
    "Transfer-Encoding: gzip, chunked",
    "",
    "3",
    "abc",
    "0",
    "",
    "",
  ),
  "a transfer coding after the chunks": says(
    "HTTP/1.1 200 OK",
    "Transfer-Encoding: chunked, gzip",
    "",
    canary,
  ),
  "a status of two digits": says("HTTP/1.1 99 OK", "Content-Length: 1", "", "a"),
  "an answer of 100 that nobody waits for": says("HTTP/1.1 100 Continue", "", ok("a")),
  "a change of protocol": says("HTTP/1.1 101 Switching", "Upgrade: x", "Connection: Upgrade", "", canary),
  "a flood of 1xx": flood("", "HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n"),
  "headers without end": flood("HTTP/1.1 200 OK\r\n", `X-A: ${canary}\r\n`),
  "one header without end": flood("HTTP/1.1 200 OK\r\nX-A: ", canary),
  "trailers without end": flood(
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n",
    "X-A: b\r\n",
  ),
};

const refused: Readonly<Record<string, RawAnswer>> = {
  gzip: says(ok(canary, "Content-Encoding: gzip")),
  "br after identity": says(ok(canary, "Content-Encoding: identity", "Content-Encoding: br")),
  "gzip, gzip": says(ok(canary, "Content-Encoding: gzip, gzip")),
  "a redirect to another host": says(
    "HTTP/1.1 302 Found",
    `Location: http://${canary}.example/`,
    "Content-Length: 0",
    "",
    "",
  ),
  "a redirect that keeps the body": says("HTTP/1.1 307 x", "Location: /other", "Content-Length: 0", "", ""),
  "a stream whose cut nobody could tell": says(
    "HTTP/1.1 200 OK",
    "Content-Type: text/event-stream",
    "",
    canary,
  ),
  "not modified": says("HTTP/1.1 304 Not Modified", `ETag: ${canary}`, "", ""),
};

describe("an answer that is no proper HTTP is a fault of the protocol, and its connection is closed", () => {
  test.each(Object.entries({ ...malformed, ...refused }))("%s", async (_, answer) => {
    await withServer(answer, limits, async (client, server) => {
      expect(await outcomeOf(client)).toBe("upstream-protocol");
      expect(server.requests).toHaveLength(1);
      await server.until(() => server.open === 0);
    });
  });
});

describe("an answer that is cut is a broken connection, whatever tells its end", () => {
  const cut: Readonly<Record<string, RawAnswer>> = {
    "before the head": (socket) => socket.end(),
    "before the head, by a reset": (socket) => socket.resetAndDestroy(),
    "in the head": says("HTTP/1.1 200 OK", `X-A: ${canary}`),
    "within its length": says("HTTP/1.1 200 OK", "Content-Length: 100", "", canary),
    "within its length, closing": says(
      "HTTP/1.1 200 OK",
      "Connection: close",
      "Content-Length: 100",
      "",
      canary,
    ),
    "before the last chunk": says("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "", "3", "abc", ""),
    "before the last chunk, closing": says(
      "HTTP/1.1 200 OK",
      "Connection: close",
      "Transfer-Encoding: chunked",
      "",
      "3",
      "abc",
      "",
    ),
  };

  test.each(Object.entries(cut))("%s", async (_, answer) => {
    await withServer(answer, limits, async (client, server) => {
      expect(await outcomeOf(client)).toBe("upstream-disconnected");
      expect(server.requests).toHaveLength(1);
    });
  });
});

describe("what proper servers do is taken", () => {
  const proper: Readonly<Record<string, readonly [RawAnswer, string]>> = {
    "a length": [says(ok("abc")), "200 abc"],
    chunks: [says("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "", "3", "abc", "0", "", ""), "200 abc"],
    "the end of the connection, for a document": [says("HTTP/1.1 200 OK", "", "abc"), "200 abc"],
    "a stream in chunks": [
      says(
        "HTTP/1.1 200 OK",
        "Content-Type: text/event-stream",
        "Transfer-Encoding: chunked",
        "",
        "3",
        "abc",
        "0",
        "",
        "",
      ),
      "200 abc",
    ],
    "HTTP/1.0": [says("HTTP/1.0 200 OK", "", "abc"), "200 abc"],
    "no content": [says("HTTP/1.1 204 No Content", "", ""), "204 "],
    identity: [says(ok("abc", "Content-Encoding: Identity")), "200 abc"],
    "some early hints": [
      says("HTTP/1.1 103 Early Hints", "Link: <x>", "", "HTTP/1.1 103 Early Hints", "", ok("abc")),
      "200 abc",
    ],
    "a status of failure": [says("HTTP/1.1 500 x", "Content-Length: 3", "", "abc"), "500 abc"],
    "a header named like a prototype": [says(ok("abc", "__proto__: x", "constructor: y")), "200 abc"],
  };

  test.each(Object.entries(proper))("%s", async (_, [answer, expected]) => {
    await withServer(answer, limits, async (client) => {
      expect(await outcomeOf(client)).toBe(expected);
    });
  });
});

describe("bytes after an answer belong to nobody", () => {
  test("a second answer at once closes the connection, and the next call gets its own", async () => {
    const answer: RawAnswer = (socket, { index }) => socket.write(ok(`own ${index}`) + ok("foreign"));
    await withServer(answer, limits, async (client, server) => {
      expect(await outcomeOf(client)).toBe("200 own 0");
      expect(await outcomeOf(client)).toBe("200 own 1");
      expect(server.connections).toBe(2);
    });
  });

  test("an answer on an idle connection closes it", async () => {
    let late = (): void => {};
    const answer: RawAnswer = (socket, { index }) => {
      socket.write(ok(`own ${index}`));
      late = () => socket.write(ok("foreign"));
    };
    await withServer(answer, limits, async (client, server) => {
      expect(await outcomeOf(client)).toBe("200 own 0");
      late();
      await server.until(() => server.open === 0);
      expect(await outcomeOf(client)).toBe("200 own 1");
    });
  });

  test("more bytes than the length says are no part of it", async () => {
    const answer: RawAnswer = (socket, { index }) => socket.write(`${ok(`own ${index}`)}more`);
    await withServer(answer, limits, async (client) => {
      expect(await outcomeOf(client)).toBe("200 own 0");
      expect(await outcomeOf(client)).toBe("200 own 1");
    });
  });
});
