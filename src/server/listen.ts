import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import type { Hono } from "hono";
import { ConversionError } from "../errors.ts";

export interface Listener {
  /** `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Stops accepting, and resolves when every request that had begun is answered or the time is over. */
  stop(): Promise<void>;
}

/** Milliseconds for a client to send its headers, and its whole request; Node's own defaults let it take minutes. */
const headersTimeout = 10_000;
const requestTimeout = 30_000;
const stopWithin = 30_000;

/** Serves an app. Throws `port-failed`, and `invalid-option` for an address that others can reach. */
export async function listen(
  app: Hono,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<Listener> {
  if (!isLoopback(host)) {
    throw new ConversionError(
      "invalid-option",
      `--host ${host}: without authentication only this machine is served; use 127.0.0.1 or ::1`,
    );
  }
  const server = createAdaptorServer({
    fetch: app.fetch,
    // A library must not replace the program's Request and Response.
    overrideGlobalObjects: false,
    createServer,
    serverOptions: {
      headersTimeout,
      requestTimeout,
      connectionsCheckingInterval: 1000,
      keepAliveTimeout: 5000,
      maxHeaderSize: 16 * 1024,
    },
  }) as Server; // `createServer` of node:http makes no other.
  server.maxRequestsPerSocket = 1000;
  server.maxConnections = 2000;
  server.maxHeadersCount = 100;
  await begin(server, host, port);
  // A server that listens on a port has an address of this kind.
  const address = server.address() as AddressInfo;
  const name = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return { url: `http://${name}:${address.port}`, stop: () => end(server) };
}

function begin(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const reason = cause.code === "EADDRINUSE" ? "the port is in use" : (cause.code ?? cause.message);
      reject(new ConversionError("port-failed", `cannot listen on ${host}:${port}: ${reason}`, { cause }));
    });
    server.listen(port, host, resolve);
  });
}

function end(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), stopWithin);
    // A connection whose last request is answered would stay open for its keep-alive time.
    const sweep = setInterval(() => server.closeIdleConnections(), 100);
    server.close(() => {
      clearTimeout(cut);
      clearInterval(sweep);
      resolve();
    });
  });
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.[0-9]{1,3}){3}$/.test(host);
}
