import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { inspect } from "node:util";
import { expect } from "vitest";
import * as z from "zod";
import { isConversionError } from "../../src/errors.ts";
import type { ClientAnswer, ClientRequest, HttpClient } from "../../src/gateway/client/http-client.ts";
import { type ClientEnvironment, openHttpClient } from "../../src/gateway/client/open-http-client.ts";
import { connectionShape } from "../../src/gateway/config/values.ts";
import type { ConnectionSettings } from "../../src/gateway/upstream.ts";

/** Planted in everything that a hostile server says. */
export const canary = "CANARY-91b7";

/** The defaults of the configuration, with what the test needs otherwise. */
export function settingsOf(given: Partial<ConnectionSettings> = {}): ConnectionSettings {
  return { ...z.strictObject(connectionShape).parse({}), ...given };
}

/** One request as it came on the wire. */
export interface RawRequest {
  /** How many came before it, over all connections. */
  readonly index: number;
  readonly head: string;
  readonly body: string;
}

export type RawAnswer = (socket: Socket, request: RawRequest) => void;

/** A server that writes bytes of its own making, and keeps what came. */
export class RawServer {
  readonly url: string;
  readonly requests: RawRequest[] = [];
  connections = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #onChange = (): void => {};

  private constructor(server: Server) {
    this.#server = server;
    // A server that listens on a port has an address of this kind.
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(answer: RawAnswer): Promise<RawServer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const raw = new RawServer(server);
    server.on("connection", (socket) => raw.#serve(socket, answer));
    return raw;
  }

  /** Connections that are open now. */
  get open(): number {
    return this.#sockets.size;
  }

  /** Resolves when a condition holds that requests, connections and their ends can change. */
  until(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#onChange = () => {
        if (condition()) resolve();
      };
      this.#onChange();
    });
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #serve(socket: Socket, answer: RawAnswer): void {
    this.connections += 1;
    this.#sockets.add(socket);
    let received = "";
    socket.on("data", (data) => {
      received += data.toString("latin1");
      for (let whole = cutRequest(received); whole !== undefined; whole = cutRequest(received)) {
        received = received.slice(whole.length);
        const request = { index: this.requests.length, head: whole.head, body: whole.body };
        this.requests.push(request);
        answer(socket, request);
        this.#onChange();
      }
    });
    // Ends of every kind are part of what is tested.
    socket.on("error", () => {});
    socket.on("close", () => {
      this.#sockets.delete(socket);
      this.#onChange();
    });
    this.#onChange();
  }
}

/** The first whole request of a text; chunked bodies are given as they are written. */
function cutRequest(text: string) {
  const end = text.indexOf("\r\n\r\n");
  if (end === -1) return undefined;
  const head = text.slice(0, end);
  const rest = text.slice(end + 4);
  const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
  const isChunked = /^transfer-encoding: chunked$/im.test(head);
  const size = isChunked ? rest.indexOf("0\r\n\r\n") + 5 : length;
  if ((isChunked && size === 4) || rest.length < size) return undefined;
  return { head, body: rest.slice(0, size), length: end + 4 + size };
}

/** An answer with a length. */
export function ok(body: string, ...fields: readonly string[]): string {
  return ["HTTP/1.1 200 OK", ...fields, `Content-Length: ${Buffer.byteLength(body)}`, "", body].join("\r\n");
}

/** A client of a server, closed by the test. */
export function clientOf(
  { url }: { readonly url: string },
  settings: Partial<ConnectionSettings> = {},
  environment: ClientEnvironment = {},
): HttpClient {
  return openHttpClient(new URL(url), settingsOf(settings), environment);
}

/** Runs with a server and its client, and closes both. */
export async function withServer<Value>(
  answer: RawAnswer,
  settings: Partial<ConnectionSettings>,
  use: (client: HttpClient, server: RawServer) => Promise<Value>,
): Promise<Value> {
  const server = await RawServer.start(answer);
  const client = clientOf(server, settings);
  try {
    return await use(client, server);
  } finally {
    await client.close();
    await server.close();
  }
}

export function request(given: Partial<ClientRequest> = {}): ClientRequest {
  return {
    method: "POST",
    path: "/tool",
    headers: { "content-type": "application/json" },
    body: "{}",
    signal: new AbortController().signal,
    ...given,
  };
}

export async function textOf({ body }: ClientAnswer): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

/** What becomes of one request: `200 body`, or the code of the error, whose every part is searched for the canary. */
export async function outcomeOf(client: HttpClient, given: Partial<ClientRequest> = {}): Promise<string> {
  try {
    const answer = await client.send(request(given));
    return `${answer.status} ${await textOf(answer)}`;
  } catch (error) {
    return codeOf(error);
  }
}

/** The code of an error that must be one of ours and say nothing that a server said. */
export function codeOf(error: unknown): string {
  if (!isConversionError(error)) throw error;
  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(canary);
  return error.code;
}

/** The error that a promise ends with, checked as `codeOf` does. */
export async function faultOf(promise: Promise<unknown>): Promise<{ code: string; message: string }> {
  try {
    await promise;
  } catch (error) {
    return { code: codeOf(error), message: (error as Error).message };
  }
  throw new Error("expected a fault");
}
