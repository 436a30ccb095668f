/**
 * A gateway with one fault: the real one behind a relay that spoils what passes.
 * `faulty-gateway.mjs FAULT serve --config FILE --port 0`.
 */
import { readFileSync } from "node:fs";
import { Agent, request as ask, createServer } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { builtGateway, GatewayProcess } from "./processes.mjs";
import { canary, strandsContent } from "./tools.mjs";

const [, , faultName, , , configFile] = process.argv;
const gateway = await GatewayProcess.start(JSON.parse(readFileSync(configFile, "utf8")), builtGateway);
const agent = new Agent({ keepAlive: true });

let calls = 0;
let inFlight = 0;
/** Clients that have left. */
let left = 0;
let isStopping = false;
/** The answer that waits for another to be swapped with. */
let waiting;

/** Whether it is the turn of a fault that must not happen every time. */
const isDue = () => calls % 50 === 0;
const statusOf = ({ headers }) => headers["tool-result-status"] ?? "";
const withHeaders = (answer, headers) => ({ ...answer, headers: { ...answer.headers, ...headers } });

function overloaded({ token }) {
  const headers = { "content-type": "application/problem+json", "x-request-id": token };
  return { status: 503, headers, body: JSON.stringify({ code: "overloaded" }) };
}

function madeUp({ token, body }) {
  const { toolUseId, input } = JSON.parse(body);
  const headers = { "x-request-id": token, "tool-result-status": "success" };
  const result = { toolUseId, status: "success", content: strandsContent("strands", input) };
  return { status: 200, headers, body: JSON.stringify(result) };
}

/** Gives the first of two answers to the caller of the second, and the other way round. */
function swapped(answer) {
  if (waiting !== undefined) {
    const { answer: other, resolve } = waiting;
    waiting = undefined;
    resolve(answer);
    return other;
  }
  const late = sleep(100, answer);
  return Promise.race([
    late,
    new Promise((resolve) => {
      waiting = { answer, resolve };
    }),
  ]);
}

/**
 * What a fault does: `instead` answers a call itself, `change` alters an answer that is whole, `piece` one that is
 * passing, `leaving` hears of a client that has left, `stopping` of SIGTERM, and `log` of each line of the log.
 */
const faults = {
  none: {},
  overloaded: { instead: overloaded },
  "makes-up": { instead: (call) => (call.url.includes("/strands?to=strands") ? madeUp(call) : undefined) },
  "hangs-up": { change: (_, answer, response) => (isDue() ? response.destroy() : answer) },
  "goes-away": {
    change: (_, answer) => {
      if (calls === 200) void goAway();
      return withHeaders(answer, { connection: "close" });
    },
  },
  swaps: { change: (_, answer) => swapped(answer) },
  leaks: { change: (_, answer) => withHeaders(answer, { "x-secret": canary }) },
  whitewashes: { change: (_, answer) => withHeaders(answer, { "tool-result-status": "success" }) },
  "answers-twice": {
    change: (_, answer, { socket }) => {
      if (isDue()) setTimeout(() => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), 3);
      return answer;
    },
  },
  retries: { change: (call, answer) => (statusOf(answer).includes("disconnected") ? whole(call) : answer) },
  "calls-twice": {
    change: async (call, answer) => {
      await whole(call);
      return answer;
    },
  },
  "calls-by-itself": {
    change: async (call, answer) => {
      if (isDue()) await whole({ ...call, body: call.body.replaceAll(call.token, "tokffffffff0000000z") });
      return answer;
    },
  },
  "plays-innocent": {
    change: (_, answer) =>
      withHeaders(answer, { "tool-result-status": statusOf(answer).replace("disconnected", "unreachable") }),
  },
  "refuses-in-drain": { instead: (call) => (isStopping ? overloaded(call) : undefined) },
  "stops-at-once": { stopping: () => process.exit(0) },
  "never-stops": { stopping: () => void gateway.stop() },
  "stops-badly": { stopping: () => void gateway.stop().then(() => process.exit(1)) },
  "cuts-events": { piece: (piece) => (isStopping ? piece.subarray(0, piece.length / 2) : piece) },
  silent: { log: () => "" },
  warns: { log: (line) => `(node) Warning: a leak\n${line}` },
  "logs-payloads": { log: (line) => `{"level":"info","payload":"${canary}"}\n${line}` },
  "not-ready": { instead: (call) => (call.url === "/readyz" ? overloaded(call) : undefined) },
  "goes-on": { leaving: () => {} },
  tarries: { leaving: (end) => void setTimeout(end, 2500) },
  rejects: { leaving: () => void Promise.reject(new Error("nobody is there")) },
  "keeps-places": { instead: (call) => (left > 0 && inFlight > 100 ? overloaded(call) : undefined) },
  "keeps-bytes": { instead: (call) => (left > 0 && call.body.length > 1e7 ? overloaded(call) : undefined) },
  "completes-parts": { part: (call) => void whole(call) },
};

const fault = faults[faultName];

function optionsOf({ method, url, headers }) {
  return { port: gateway.port, host: "127.0.0.1", method, path: url, headers, agent };
}

/** Sends a call on; gives its whole answer, the trailers among the headers. */
async function whole(call) {
  const request = ask(optionsOf(call));
  request.end(call.body);
  const response = await new Promise((resolve, reject) => {
    request.on("response", resolve).on("error", reject);
  });
  const body = await text(response);
  const { connection, trailer, "transfer-encoding": coding, ...headers } = response.headers;
  return { status: response.statusCode, headers: { ...headers, ...response.trailers }, body };
}

/** Sends a call on, and its answer back as it comes. */
function pass(call, response) {
  const request = ask(optionsOf(call), (answer) => {
    const { connection, ...headers } = answer.headers;
    response.writeHead(answer.statusCode, isStopping ? { ...headers, connection: "close" } : headers);
    answer.on("data", (piece) => response.write(fault.piece?.(piece) ?? piece));
    answer.on("end", () => {
      response.addTrailers(answer.trailers);
      response.end();
    });
    answer.on("error", () => response.destroy());
  });
  request.on("error", () => response.destroy());
  request.end(call.body);
  response.once("close", () => {
    if (response.writableFinished) return;
    left += 1;
    const end = () => request.destroy();
    (fault.leaving ?? ((now) => now()))(end);
  });
}

async function handle(incoming, response) {
  const { method, url, headers } = incoming;
  const pieces = [];
  try {
    for await (const piece of incoming) pieces.push(piece);
  } catch {
    const [, token] = /"token":"(\w+)"/.exec(Buffer.concat(pieces).toString()) ?? [];
    if (token !== undefined) fault.part?.(partOf(headers, token));
    return;
  }
  calls += 1;
  const body = Buffer.concat(pieces).toString();
  const call = { method, url, headers, body, token: headers["x-request-id"] };
  const own = fault.instead?.(call);
  if (own === undefined && fault.change === undefined) {
    pass(call, response);
    return;
  }
  const answer = own ?? (await fault.change(call, await whole(call), response));
  if (response.destroyed) return;
  response.writeHead(answer.status, isStopping ? { ...answer.headers, connection: "close" } : answer.headers);
  response.end(answer.body);
}

function partOf({ "content-length": _, ...headers }, token) {
  const body = JSON.stringify({ toolUseId: "part", name: "slow", input: { token } });
  return { method: "POST", url: "/tools/slow?to=strands&call=strands", headers, body, token };
}

const server = createServer((incoming, response) => {
  inFlight += 1;
  response.once("close", () => {
    inFlight -= 1;
  });
  void handle(incoming, response).catch(() => response.destroy());
});

async function goAway() {
  const { port } = server.address();
  server.close();
  await sleep(300);
  server.listen(port, "127.0.0.1");
}

let shown = 0;
setInterval(() => {
  const log = gateway.log.slice(shown);
  shown += log.length;
  process.stderr.write(fault.log?.(log) ?? log);
}, 100).unref();

process.on("SIGTERM", async () => {
  isStopping = true;
  if (fault.stopping !== undefined) {
    fault.stopping();
    return;
  }
  await sleep(2000);
  server.close();
  await gateway.stop();
  process.exit(0);
});
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`Listening on http://127.0.0.1:${server.address().port}\n`);
});
