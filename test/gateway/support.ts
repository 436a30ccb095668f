import { EventEmitter, once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { adapters } from "../../adapters/index.ts";
import { builtInParts } from "../../src/gateway/built-in.ts";
import { loadConfig } from "../../src/gateway/config/load.ts";
import { demoConfig } from "../../src/gateway/demo/demo-config.ts";
import { startDemo } from "../../src/gateway/demo/demo-server.ts";
import { startGateway as start } from "../../src/gateway/start-gateway.ts";
import { KeptLog } from "../server/support.ts";

export interface Running {
  readonly url: string;
  readonly log: KeptLog;
  close(): Promise<void>;
}

/** A gateway on a free port, by a configuration as a file would say it. */
export async function startGateway(configuration: object): Promise<Running> {
  const { config, parts } = await loadConfig(JSON.stringify(configuration), {
    file: "test.json",
    environment: {},
    flags: [],
    readFile: () => Promise.reject(new Error("the test has no files")),
    parts: { ...builtInParts, adapters },
    importAdapters: () => Promise.reject(new Error("the test has no modules")),
    importPlugin: () => Promise.reject(new Error("the test has no modules")),
  });
  const log = new KeptLog();
  const server = { ...config.server, port: 0, drainDelay: 0 };
  const gateway = await start({ config: { ...config, server }, parts }, { log, version: "1.2.3" });
  return { url: gateway.url, log, close: gateway.stop };
}

/** The gateway in front of the demo's three tools. */
export async function startDemoGateway(): Promise<Running> {
  const demo = await startDemo();
  const gateway = await startGateway(demoConfig(demo.url));
  return {
    ...gateway,
    close: async () => {
      await gateway.close();
      await demo.close();
    },
  };
}

export interface ToolServer {
  readonly url: string;
  /** Every request so far. */
  readonly requests: readonly ToolRequest[];
  /** Resolves when so many requests have come. */
  arrived(count: number): Promise<void>;
  close(): Promise<void>;
}

export interface ToolRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** A server of tools that answers as the test says. */
export async function startTools(
  answer: (request: ToolRequest, response: ServerResponse) => void,
): Promise<ToolServer> {
  const requests: ToolRequest[] = [];
  const arrivals = new EventEmitter();
  const handle: RequestListener = async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
    const { method, url, headers } = incoming;
    const request = { method, url, headers, body: Buffer.concat(chunks).toString() };
    requests.push(request);
    arrivals.emit("request");
    answer(request, response);
  };
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // A server that listens on a port has an address of this kind.
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    arrived: async (count) => {
      while (requests.length < count) await once(arrivals, "request");
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Answers with a JSON document. */
export function json(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { "Content-Type": "application/json" });
  response.end(typeof value === "string" ? value : JSON.stringify(value));
}

export async function post(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}
