/**
 * The upstream as a process of its own, so that it can be killed: `node upstream.mjs LEDGER`, then a line with a port on
 * standard input, and it listens. Ends with its standard input.
 */
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { LedgerWriter } from "./ledger.mjs";
import { canary, difyFrames, frameOf, strandsBody, watsonxBody } from "./tools.mjs";

const ledger = new LedgerWriter(process.argv[2]);
const forever = 60_000;

const tools = {
  /** One JSON document, in two pieces with a pause between. */
  "/strands": (call, given, answer) => inTwo(strandsBody(call, given), given, answer),
  "/watsonx": (_, given, answer) => inTwo(watsonxBody(given), given, answer),
  /** An event stream with a pause before each frame, and in the middle of some. */
  "/dify": async (_, given, answer) => {
    await answer.begin(200, "text/event-stream", "");
    for (const [index, frame] of difyFrames(given).entries()) {
      await answer.wait(given.pause);
      if (index % 2 === 1) {
        await answer.write(frame.slice(0, frame.length / 2), "inside");
        await answer.wait(given.pause);
        await answer.write(frame.slice(frame.length / 2), "between");
      } else await answer.write(frame, "between");
    }
    answer.end();
  },
  /** Answers only when nobody waits any more. */
  "/slow": async (_, given, answer) => {
    await answer.wait(forever);
    await inTwo(watsonxBody(given), given, answer);
  },
  /** Frame after frame, slowly. */
  "/endless": async (_, { token, pause }, answer) => {
    await answer.begin(200, "text/event-stream", "");
    for (const begun = Date.now(); Date.now() - begun < forever; await answer.wait(pause)) {
      await answer.write(frameOf({ type: "text", message: { text: token }, meta: null }), "between");
    }
    answer.end();
  },
  /** Frame after frame, as fast as they are taken. */
  "/flood": async (_, { token }, answer) => {
    await answer.begin(200, "text/event-stream", "");
    const frame = frameOf({ type: "text", message: { text: token.repeat(2000) }, meta: null });
    for (const begun = Date.now(); Date.now() - begun < forever; ) await answer.write(frame, "between");
    answer.end();
  },
  /** Ways to fail; whatever they say is nobody's business. */
  "/status": (_, __, answer) => answer.only(500, "application/json", JSON.stringify({ error: canary })),
  "/malformed": (_, __, answer) => answer.only(200, "application/json", `{"content": [${canary}`),
  "/page": (_, __, answer) => answer.only(200, "text/html", `<p>${canary}</p>`),
};

async function inTwo(body, { before, pause }, answer) {
  await answer.wait(before);
  const half = Math.floor(body.length / 2);
  await answer.begin(200, "application/json", body.slice(0, half));
  await answer.wait(pause);
  answer.end(body.slice(half));
}

/** An answer that notes each of its steps, and stops at the next one when its connection is closed. */
class NotedAnswer {
  #response;
  #token;
  #leaving = new AbortController();

  constructor(response, token) {
    this.#response = response;
    this.#token = token;
    response.once("close", () => {
      ledger.note("closed", token);
      this.#leaving.abort();
    });
  }

  get isOver() {
    return this.#leaving.signal.aborted;
  }

  async wait(milliseconds) {
    await sleep(milliseconds, undefined, { signal: this.#leaving.signal });
  }

  async begin(status, type, piece) {
    this.#response.writeHead(status, { "Content-Type": type, "X-Secret": canary, "Set-Cookie": canary });
    this.#response.flushHeaders();
    await this.write(piece, "begun");
  }

  async write(piece, step) {
    const isFull = piece !== "" && !this.#response.write(piece);
    ledger.note(step, this.#token);
    if (isFull) await drained(this.#response, this.#leaving.signal);
  }

  end(piece) {
    this.#response.end(piece);
    ledger.note("ended", this.#token);
  }

  async only(status, type, body) {
    await this.begin(status, type, "");
    this.end(body);
  }
}

function drained(response, signal) {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort);
    response.once("drain", () => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    });
  });
}

/** Undefined where the request was broken off: that is no call. */
async function bodyOf(request) {
  const pieces = [];
  try {
    for await (const piece of request) pieces.push(piece);
  } catch {
    return undefined;
  }
  return Buffer.concat(pieces).toString();
}

const server = createServer(async (request, response) => {
  const body = await bodyOf(request);
  if (body === undefined) return;
  const call = JSON.parse(body);
  const given = call.input ?? call.data?.tool_parameters ?? call;
  ledger.note("received", given.token);
  const answer = new NotedAnswer(response, given.token);
  try {
    await tools[request.url](call, given, answer);
  } catch (error) {
    if (!answer.isOver) throw error;
  }
});

for await (const port of createInterface({ input: process.stdin })) {
  server.listen(Number(port), "127.0.0.1", () => process.stdout.write("listening\n"));
}
process.exit();
