import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { ConversionError } from "../errors.ts";
import type { App, Shell } from "./app.ts";
import { Connections } from "./connections.ts";
import { isLoopback } from "./loopback.ts";
import { problemType } from "./problem.ts";
import { refusalStatus, refusalText, refuseConnection } from "./refusal.ts";
import { stopServer } from "./stop.ts";

export interface Listener {
  /** `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Stops as `stopServer` says, and resolves when every connection is closed. */
  stop(): Promise<void>;
}

/** How often Node looks for requests whose time is over. */
const checkInterval = 1000;

/** Serves an app. Throws `port-failed`, and `invalid-option` for an address that others can reach without a key. */
export async function listen(app: App, shell: Shell): Promise<Listener> {
  const { settings, auth } = shell;
  const { host, port } = settings;
  if (auth.keys.length === 0 && !isLoopback(host)) {
    throw new ConversionError(
      "invalid-option",
      `${host} can be reached by others, and no key is configured: set \`auth.keys\`, or listen on 127.0.0.1 or ::1`,
    );
  }
  const connections = new Connections();
  const server = serverOf(app, shell, connections);
  await begin(server, host, port);
  // Too few files for a further connection is no reason to end those that there are.
  server.on("error", ({ code = "" }: NodeJS.ErrnoException) =>
    shell.log.write("error", "accept-failed", { code }),
  );
  // A server that listens on a port has an address of this kind.
  const address = server.address() as AddressInfo;
  const name = address.family === "IPv6" ? `[${address.address}]` : address.address;
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= stopServer(server, { connections, ...shell });
    return stopped;
  };
  return { url: `http://${name}:${address.port}`, stop };
}

function serverOf(app: App, { settings, log }: Shell, connections: Connections): Server {
  const refused = (status: number) => log.write("info", "connection-refused", { status });
  const handle = getRequestListener(app.fetch, {
    // A library must not replace the program's Request and Response.
    overrideGlobalObjects: false,
    autoCleanupIncoming: true,
    // A request whose address or Host header makes no URL.
    errorHandler: () => {
      refused(400);
      const headers = { "Content-Type": problemType, "Cache-Control": "no-store", Connection: "close" };
      return new Response(refusalText(400), { status: 400, headers });
    },
  });
  const server = createServer(
    {
      headersTimeout: Math.min(settings.headersTimeout, settings.requestTimeout),
      requestTimeout: settings.requestTimeout,
      keepAliveTimeout: settings.keepAliveTimeout,
      maxHeaderSize: settings.maxHeaderBytes,
      connectionsCheckingInterval: checkInterval,
    },
    (incoming, outgoing) => {
      connections.begin(incoming, outgoing);
      void handle(incoming, outgoing);
    },
  );
  server.maxRequestsPerSocket = settings.maxRequestsPerSocket;
  server.maxConnections = settings.maxConnections;
  // Node would drop the lines beyond its limit in silence; `checkForm` counts and refuses.
  server.maxHeadersCount = 0;
  server.on("clientError", (error, socket) => {
    const status = refusalStatus(error);
    if (status === undefined) {
      socket.destroy();
      return;
    }
    refused(status);
    refuseConnection(socket, status, connections.pending(socket));
  });
  server.on("connection", (socket) => connections.add(socket));
  // A client may wait for its answer in silence, but must take what there is of it. A little later than the timeouts
  // of its request, which have an answer.
  server.setTimeout(settings.requestTimeout + 2 * checkInterval, (socket) => {
    const isWaiting = connections.pending(socket).length > 0 && socket.writableLength === 0;
    if (!isWaiting) socket.destroy();
  });
  return server;
}

function begin(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (cause: NodeJS.ErrnoException) => {
      const reason = cause.code === "EADDRINUSE" ? "the port is in use" : (cause.code ?? cause.message);
      reject(new ConversionError("port-failed", `cannot listen on ${host}:${port}: ${reason}`, { cause }));
    };
    server.once("error", fail);
    server.listen(port, host, () => {
      server.off("error", fail);
      resolve();
    });
  });
}
