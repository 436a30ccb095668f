import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { connect, type Socket } from "node:net";
import { expect } from "vitest";
import * as z from "zod";
import { adapters } from "../../adapters/index.ts";
import { type Converter, createConverter } from "../../src/converter.ts";
import { serverShape } from "../../src/gateway/config/settings-table.ts";
import { type App, createApp, type Shell } from "../../src/server/app.ts";
import { type ConversionApiSettings, conversionApi } from "../../src/server/conversion-api.ts";
import { Drain } from "../../src/server/drain.ts";
import type { Answer, Endpoint, Exchange, Surface } from "../../src/server/endpoint.ts";
import { healthSurface } from "../../src/server/health.ts";
import { type Listener, listen } from "../../src/server/listen.ts";
import type { Log, LogFacts, LogLevel } from "../../src/server/log.ts";
import type { AuthSettings, ServerSettings } from "../../src/server/settings.ts";

export const converter = createConverter(adapters);

export interface LogLine {
  readonly level: LogLevel;
  readonly event: string;
  readonly facts: LogFacts;
}

/** A log that keeps its lines. */
export class KeptLog implements Log {
  readonly lines: LogLine[] = [];

  write(level: LogLevel, event: string, facts: LogFacts = {}): void {
    this.lines.push({ level, event, facts });
  }

  /** The lines of requests to an endpoint. */
  of(endpoint: string): readonly LogLine[] {
    return this.lines.filter(({ facts }) => facts.endpoint === endpoint);
  }
}

export interface TestShell extends Shell {
  readonly log: KeptLog;
}

/** A shell on a free port of this machine that stops without delay, with settings and keys as the test needs them. */
export function shellOf(
  settings: Partial<ServerSettings> = {},
  auth: AuthSettings = { keys: [] },
  now?: () => number,
): TestShell {
  return {
    settings: { ...z.strictObject(serverShape).parse({ port: 0, drainDelay: "0ms" }), ...settings },
    auth,
    log: new KeptLog(),
    drain: new Drain(),
    ...(now !== undefined && { now }),
  };
}

/** The conversion API and the health checks, as they are without configuration. */
export function conversionApp(
  bound: Converter = converter,
  settings: ConversionApiSettings = {},
  shell: Shell = shellOf(settings.maxBodyBytes === undefined ? {} : { maxBodyBytes: settings.maxBodyBytes }),
): App {
  return createApp(surfacesOf(bound, shell, settings), shell);
}

export function surfacesOf(
  bound: Converter,
  { drain }: Shell,
  settings: ConversionApiSettings = {},
): readonly Surface[] {
  return [conversionApi(bound, settings), healthSurface({ version: "1.2.3", drain })];
}

/** A surface of one row that a test handles itself: `POST /work`, with a key where there are keys. */
export function workSurface(
  handle: (exchange: Exchange) => Answer | Promise<Answer>,
  row: Partial<Endpoint> = {},
): Surface {
  return {
    endpoints: [
      { method: "POST", path: "/work", what: "works", access: "key", admitted: true, ...row, handle },
    ],
  };
}

export const done: Answer = { status: 200, headers: { "Content-Type": "text/plain" }, body: "done" };

/** Serves until `use` is done. */
export async function serving<Value>(
  surfaces: readonly Surface[],
  shell: Shell,
  use: (listener: Listener) => Promise<Value>,
): Promise<Value> {
  const listener = await listen(createApp(surfaces, shell), shell);
  try {
    return await use(listener);
  } finally {
    await listener.stop();
  }
}

/** A client that writes bytes of its own making and reads what comes. */
export class RawClient {
  readonly socket: Socket;
  received = "";
  /** Everything that came, when the connection has ended. */
  readonly closed: Promise<string>;
  #onData = () => {};

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.socket = connect(Number(port), hostname);
    this.socket.setEncoding("latin1");
    this.socket.on("data", (data) => {
      this.received += String(data);
      this.#onData();
    });
    // Ends are part of what is tested; how they show is read from `closed`.
    this.socket.on("error", () => {});
    this.closed = new Promise((resolve) => this.socket.on("close", () => resolve(this.received)));
  }

  send(...lines: readonly string[]): this {
    this.socket.write(lines.join("\r\n"), "latin1");
    return this;
  }

  /** Resolves when what has come matches; rejects when the connection ends before. */
  async until(pattern: RegExp): Promise<string> {
    const came = new Promise<void>((resolve) => {
      this.#onData = () => {
        if (pattern.test(this.received)) resolve();
      };
      this.#onData();
    });
    await Promise.race([came, this.closed]);
    expect(this.received).toMatch(pattern);
    return this.received;
  }

  leave(): void {
    this.socket.resetAndDestroy();
  }
}

/** Status, code and document of a problem, checked for its form. */
export async function problem(response: Response | Promise<Response>) {
  const answered = await response;
  const { status, headers } = answered;
  const text = await answered.text();
  expect(headers.get("content-type")).toBe("application/problem+json");
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(8 * 1024);
  const document = JSON.parse(text);
  expect(document).toMatchObject({
    type: `urn:tool-result-gateway:error:${document.code}`,
    title: expect.any(String),
    status,
    detail: expect.any(String),
    requestId: headers.get("x-request-id"),
  });
  return { status, code: document.code, pointer: document.pointer, document };
}

/** A watsonx result with a part for the user only. */
export const userOnly = JSON.stringify({
  content: [
    { type: "text", text: "sunny" },
    { type: "text", text: "secret", annotations: { audience: ["user"] } },
  ],
});

export interface Sent {
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly to?: App;
}

const standard = conversionApp();

export function post(
  path: string,
  { body = userOnly, type = "application/json", headers = {}, to = standard }: Sent = {},
) {
  return to.request(path, { method: "POST", body, headers: { "Content-Type": type, ...headers } });
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly trailers: NodeJS.Dict<string>;
  /** Whether the answer ended as HTTP ends one. */
  readonly complete: boolean;
}

/** A request by Node's own client, which writes a body piece by piece and shows trailers. */
export class HttpCall {
  readonly request: ClientRequest;
  readonly head: Promise<IncomingMessage>;

  constructor(url: string, type: string, headers: Readonly<Record<string, string>> = {}) {
    this.request = request(url, {
      method: "POST",
      headers: { "Content-Type": type, ...headers },
      agent: false,
    });
    this.head = new Promise((resolve, reject) => {
      this.request.on("response", resolve);
      this.request.on("error", reject);
    });
    this.head.catch(() => undefined);
    this.request.flushHeaders();
  }

  write(piece: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.request.write(piece, (error) => (error instanceof Error ? reject(error) : resolve()));
    });
  }

  async answer(piece = ""): Promise<HttpAnswer> {
    this.request.end(piece);
    const head = await this.head;
    let body = "";
    head.setEncoding("utf8");
    head.on("data", (data) => {
      body += data;
    });
    // A connection that breaks is an answer that is not complete.
    head.on("error", () => {});
    await new Promise((resolve) => head.on("close", resolve));
    const { statusCode = 0, headers, trailers, complete } = head;
    return { status: statusCode, headers, body, trailers, complete };
  }
}
