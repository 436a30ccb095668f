import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { LedgerReader } from "./ledger.mjs";
import { canary } from "./tools.mjs";

/** The processes under test: the gateway as a user starts it, and the upstream that it calls. */

/** The gateway as it is built: what Node is started with. */
export const builtGateway = [fileURLToPath(new URL("../../dist/src/bin.js", import.meta.url))];
const upstreamProgram = fileURLToPath(new URL("./upstream.mjs", import.meta.url));
const startTimeout = 20_000;

/** The key that the clients show. */
export const key = `${canary}-${"k".repeat(32)}`;

const folder = mkdtempSync(join(tmpdir(), "chaos-"));
const children = new Set();
process.on("exit", () => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

let files = 0;

function newFile(name) {
  files += 1;
  return join(folder, `${files}-${name}`);
}

function start(parameters, environment = {}) {
  const child = spawn(process.execPath, parameters, {
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, ...environment },
  });
  children.add(child);
  child.stdin.on("error", () => {});
  const exited = once(child, "close").then(([status, signal]) => {
    children.delete(child);
    return { status, signal };
  });
  return { child, exited };
}

/** Resolves with the match of a pattern in what a process writes. */
function told({ child, exited }, pattern) {
  return new Promise((resolve, reject) => {
    let text = "";
    const fail = (why) => reject(new Error(`${child.spawnargs.join(" ")}: ${why}\n${text}`));
    const timer = setTimeout(() => fail("did not start"), startTimeout);
    void exited.then(() => fail("has ended"));
    child.stderr.on("data", (piece) => {
      text += piece;
    });
    child.stdout.on("data", (piece) => {
      text += piece;
      const match = pattern.exec(text);
      if (match === null) return;
      clearTimeout(timer);
      resolve(match);
    });
  });
}

/** An upstream process that is loaded and waits for its port, so that after a kill the next one is there at once. */
export class UpstreamProcess {
  ledger;
  #process;

  constructor() {
    const path = newFile("ledger");
    this.ledger = new LedgerReader(path);
    this.#process = start([upstreamProgram, path]);
  }

  async listen(port) {
    const listening = told(this.#process, /listening/);
    this.#process.child.stdin.write(`${port}\n`);
    await listening;
  }

  /** Ends it as a crash of the machine would; resolves when it is gone. */
  async kill() {
    this.#process.child.kill("SIGKILL");
    await this.#process.exited;
  }
}

/** The gateway, and everything that it has written. */
export class GatewayProcess {
  port = 0;
  #process;
  #output = [];
  #log = [];

  /** Starts `trg serve` with a configuration, or another program of the same manners. */
  static async start(config, entry) {
    const file = newFile("gateway.json");
    writeFileSync(file, JSON.stringify(config));
    const gateway = new GatewayProcess();
    // A rejection that nobody handles must not pass as a warning.
    const environment = { NODE_OPTIONS: "--unhandled-rejections=strict" };
    gateway.#process = start([...entry, "serve", "--config", file, "--port", "0"], environment);
    const { child } = gateway.#process;
    child.stdout.on("data", (piece) => gateway.#output.push(piece));
    child.stderr.on("data", (piece) => gateway.#log.push(piece));
    const [, port] = await told(gateway.#process, /Listening on http:\/\/127\.0\.0\.1:(\d+)/);
    gateway.port = Number(port);
    return gateway;
  }

  get isRunning() {
    return this.#process.child.exitCode === null && this.#process.child.signalCode === null;
  }

  signal(name) {
    this.#process.child.kill(name);
  }

  /** Ends it as an operator does; after so many milliseconds as one who has lost patience. */
  async stop(patience = 60_000) {
    const timer = setTimeout(() => this.signal("SIGKILL"), patience);
    this.signal("SIGTERM");
    await this.#process.exited;
    clearTimeout(timer);
  }

  get log() {
    return Buffer.concat(this.#log).toString();
  }

  /** How it ended and what it wrote. */
  async ending() {
    const { status } = await this.#process.exited;
    const log = this.log;
    const lines = log.split("\n").filter((line) => line !== "");
    const everything = Buffer.concat(this.#output).toString() + log;
    return {
      endedWell: status === 0,
      lines: lines.length,
      faults: lines.filter(isFault),
      canaries: everything.split(canary).length - 1,
    };
  }
}

/** What must hold of every gateway, whatever was done to it. */
export async function checkGateways(report, gateways) {
  const endings = await Promise.all(gateways.map((gateway) => gateway.ending()));
  const sum = (of) => endings.reduce((total, ending) => total + of(ending), 0);
  report.none(
    "gateways with another exit status than 0",
    sum(({ endedWell }) => (endedWell ? 0 : 1)),
  );
  report.least(
    "lines in their logs",
    sum(({ lines }) => lines),
    1,
  );
  report.none(
    "of them about a fault of the program",
    sum(({ faults }) => faults.length),
  );
  report.none(
    "canaries in what they wrote",
    sum(({ canaries }) => canaries),
  );
  report.faults.push(...endings.flatMap(({ faults }) => faults));
}

/** A stack, a warning of Node, or a line of the level `error`. */
function isFault(line) {
  try {
    return JSON.parse(line).level === "error";
  } catch {
    return true;
  }
}

/**
 * A free port below those that the system gives to outgoing connections: while the upstream is down, nobody must get its
 * port by chance.
 */
export async function freePort(chance) {
  for (;;) {
    const port = chance.between(20_000, 30_000);
    const server = createServer();
    server.listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    await new Promise((resolve) => server.close(resolve));
    if (isFree) return port;
  }
}

/** A configuration with one route for each tool of the upstream. */
export function configFor(upstreamPort, { server = {}, upstream = {} } = {}) {
  const route = (name, from) => ({ name, upstream: "tools", from, to: "strands", path: `/${name}` });
  return {
    server: { logLevel: "debug", ...server },
    auth: { keys: [{ name: "chaos", key }] },
    upstreams: {
      tools: {
        kind: "http",
        url: `http://127.0.0.1:${upstreamPort}`,
        headers: { "x-upstream-key": canary },
        ...upstream,
      },
    },
    routes: [
      route("strands", "strands"),
      route("watsonx", "watsonx"),
      route("dify", "dify:sse"),
      route("slow", "watsonx"),
      route("endless", "dify:sse"),
      route("flood", "dify:sse"),
      route("status", "strands"),
      route("malformed", "strands"),
      route("page", "strands"),
    ],
  };
}
