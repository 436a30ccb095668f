import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { account, forecastIn, weatherIn } from "./tools.ts";

/** A server of tools on this machine, so that a gateway without a configuration has something to call. */
export interface DemoServer {
  /** `http://127.0.0.1:49152`. */
  readonly url: string;
  close(): Promise<void>;
}

/** Whoever calls the demo's Dify daemon must show it; it protects nothing. */
export const demoKey = "demo";

const maxBodyBytes = 64 * 1024;

/**
 * Starts three tools that each speak their platform's own wire: `weather` as a Dify plugin daemon does, `forecast` as
 * Strands JSON, `account` as the plain body of a watsonx tool. Nothing here converts anything.
 */
export async function startDemo(): Promise<DemoServer> {
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  // A server that listens on a port has an address of this kind.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readBody(request);
  switch (request.url) {
    case "/health/check":
      return send(response, 200, { status: "ok" });
    case "/plugin/demo/dispatch/tool/invoke": {
      if (request.headers["x-api-key"] !== demoKey) {
        return send(response, 401, { code: -401, message: "unauthorized", data: null });
      }
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      for (const frame of weatherIn(body.data?.tool_parameters?.city)) {
        response.write(`data: ${JSON.stringify(frame)}\n\n`);
      }
      response.end();
      return;
    }
    case "/strands/forecast":
      return send(response, 200, forecastIn(body.toolUseId, body.input?.city));
    case "/watsonx/account":
      return send(response, 200, account(body.account));
    default:
      return send(response, 404, { error: "no such tool" });
  }
}

/** What the three platforms put into the body of a call, as far as the demo looks. */
interface DemoBody {
  readonly data?: { readonly tool_parameters?: { readonly city?: unknown } };
  readonly toolUseId?: unknown;
  readonly input?: { readonly city?: unknown };
  readonly account?: unknown;
}

async function readBody(request: IncomingMessage): Promise<DemoBody> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBodyBytes) throw new Error("the body is too large");
    chunks.push(chunk);
  }
  return length === 0 ? {} : (JSON.parse(Buffer.concat(chunks).toString()) as DemoBody);
}

function send(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "Content-Type": "application/json" });
  response.end(JSON.stringify(value));
}
