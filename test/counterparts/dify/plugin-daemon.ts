import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { json } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { errorFrame, frame } from "../answers.ts";
import { pythonOf } from "../environments.ts";
import type { Running } from "../gateway.ts";

export const daemonKey = "key-of-the-daemon-in-the-counterpart-check";

/**
 * Runs the plugin beside this file over the SDK's standard streams, and stands before it as Dify's plugin daemon does
 * (langgenius/dify-plugin-daemon): a request in, the plugin's messages out as framed events.
 */
export async function startPluginDaemon(): Promise<Running> {
  const plugin = spawn(pythonOf("dify"), ["main.py"], {
    cwd: fileURLToPath(new URL("plugin/", import.meta.url)),
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1", INSTALL_METHOD: "local" },
  });
  const sessions = new Map<string, ServerResponse>();

  const server = createServer(async (request, response) => {
    const isInvoke = /^\/plugin\/[^/]+\/dispatch\/tool\/invoke$/.test(request.url ?? "");
    if (!isInvoke || request.headers["x-api-key"] !== daemonKey) return response.writeHead(404).end();
    // What Dify's server sends, and the daemon passes on.
    const { user_id, data } = (await json(request)) as { user_id: string; data: object };
    const session_id = randomUUID();
    sessions.set(session_id, response.writeHead(200, { "Content-Type": "text/event-stream" }));
    const wanted = { user_id, type: "tool", action: "invoke_tool", ...data };
    return plugin.stdin.write(`${JSON.stringify({ session_id, event: "request", data: wanted })}\n`);
  });

  createInterface({ input: plugin.stdout }).on("line", (line) => {
    // Among the lines of sessions are the manifest, logs and signs of life.
    if (!line.startsWith('{"event":"session"')) return;
    const { session_id, data } = JSON.parse(line);
    const response = sessions.get(session_id);
    switch (data.type) {
      case "stream":
        response?.write(frame(JSON.stringify(data.data)));
        break;
      case "error":
        response?.write(errorFrame(data.data.error_type, data.data.message, data.data.args));
        break;
      case "end":
        response?.end();
    }
  });
  plugin.stderr.pipe(process.stderr);
  plugin.on("close", () => server.closeAllConnections());

  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    // A server that listens on a port has an address of this kind.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      const closed = [once(plugin, "close"), once(server, "close")];
      plugin.kill();
      server.close();
      await Promise.all(closed);
    },
  };
}
