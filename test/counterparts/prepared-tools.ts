import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Running } from "./gateway.ts";

export interface ToolAnswer {
  /** The format of the body. */
  readonly from: string;
  readonly body: string;
}

export type ToolAnswers = Readonly<Record<string, ToolAnswer>>;

/** A server of tools whose answers are prepared: each name is a path. */
export async function startPreparedTools(answers: ToolAnswers): Promise<Running> {
  const server = createServer(async (request, response) => {
    const answer = answers[request.url?.slice(1) ?? ""];
    for await (const _ of request);
    if (answer === undefined) return response.writeHead(404).end();
    const type = answer.from === "dify:sse" ? "text/event-stream" : "application/json";
    return response.writeHead(200, { "Content-Type": type }).end(answer.body);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    // A server that listens on a port has an address of this kind.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** A configuration of the gateway with one route for each prepared tool at the address. */
export function preparedConfig(answers: ToolAnswers, { url }: Running) {
  return {
    upstreams: { prepared: { kind: "http", url, allowPrivate: true } },
    routes: Object.entries(answers).map(([name, { from }]) => ({
      name,
      upstream: "prepared",
      path: `/${name}`,
      from,
      to: "strands",
    })),
  };
}
