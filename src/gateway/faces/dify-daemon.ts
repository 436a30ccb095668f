import * as z from "zod";
import { ConversionError } from "../../errors.ts";
import type { Answer, Endpoint, Exchange } from "../../server/endpoint.ts";
import { sameSecret } from "../../server/secret.ts";
import type { HttpClient } from "../client/http-client.ts";
import { connectionShape, count, duration, texts } from "../config/values.ts";
import type { Face, FaceEnvironment } from "../face.ts";
import { resultAnswer } from "./answering.ts";

const settings = z
  .strictObject({
    url: z
      .url()
      .describe("Address of the real plugin daemon, which gets whatever the gateway has no tool for."),
    key: z.string().min(1).describe("The daemon's key, as Dify's server sends it in `X-Api-Key`."),
    providers: z
      .array(z.string())
      .optional()
      .describe("Tools of these Dify providers only are the gateway's own; by default of every provider."),
    publicPaths: texts()
      .prefault(["/health/check"])
      .describe(
        "Paths that are passed through without the key; one that ends with / stands for all below it. `/e/` are the endpoints of plugins.",
      ),
    ...connectionShape,
    // A plugin may work for ten minutes before its daemon ends it, and says nothing in the meantime.
    headersTimeout: duration()
      .prefault("630s")
      .describe("Time from the request until the head of the answer."),
    idleTimeout: duration().prefault("630s").describe("Time between two pieces of the answer."),
    maxSockets: count({ from: 1 }).prefault(256).describe("Connections to the daemon at one time."),
  })
  .describe(
    "Stands in front of a Dify plugin daemon: Dify's server is pointed at the gateway instead of it.",
  );

/**
 * The plugin daemon's address for tool calls, and every other path of a real daemon passed through untouched, so that
 * Dify's own server can be pointed at the gateway (langgenius/dify-plugin-daemon, `internal/server`).
 */
export const difyDaemonFace: Face<z.output<typeof settings>> = {
  id: "difyDaemon",
  settings,
  always: false,
  open: (given, environment) => {
    const daemon = environment.connect(new URL(given.url), given);
    const endpoints: readonly Endpoint[] = [
      {
        method: "POST",
        path: "/plugin/:tenant/dispatch/tool/invoke",
        what: "calls a tool as Dify's server calls its plugin daemon",
        access: "own",
        admitted: true,
        handle: (exchange) => invoke(exchange, given, daemon, environment),
      },
    ];
    const fallback: Endpoint = {
      method: "ALL",
      path: "/*",
      what: "passes every other path to the plugin daemon",
      access: "own",
      admitted: true,
      handle: (exchange) => {
        if (!given.publicPaths.some((path) => isAt(exchange.url.pathname, path))) checkKey(exchange, given);
        return passThrough(exchange, daemon, exchange.request.body ?? undefined);
      },
    };
    return { endpoints, fallback };
  },
};

async function invoke(
  exchange: Exchange,
  given: z.output<typeof settings>,
  daemon: HttpClient,
  { gateway }: FaceEnvironment,
): Promise<Answer> {
  checkKey(exchange, given);
  const body = await exchange.body();
  const { tool, provider } = meantBy(body);
  const isOwn = given.providers === undefined || given.providers.some((one) => one === provider);
  const route = isOwn ? gateway.routes.get(tool) : undefined;
  // Whether a call that is the daemon's can be read is for the daemon to say.
  if (route === undefined) return passThrough(exchange, daemon, body);
  const call = gateway.converter.parseCall(body, { from: "dify", name: tool, limits: gateway.limits });
  const answer = await gateway.call({ route, call, to: "dify:sse" }, exchange);
  const framing = { mediaType: "text/event-stream", before: "", after: "" } as const;
  return resultAnswer(answer, framing, undefined, exchange);
}

function checkKey({ request }: Exchange, { key }: Pick<z.output<typeof settings>, "key">): void {
  if (sameSecret(request.headers.get("x-api-key") ?? "", key)) return;
  throw new ConversionError("unauthorized", "the key in X-Api-Key is not the daemon's");
}

function isAt(pathname: string, path: string): boolean {
  return path.endsWith("/") ? pathname.startsWith(path) : pathname === path;
}

const meantSchema = z.object({
  data: z.object({ tool: z.string(), provider: z.string().optional().catch(undefined) }),
});

/** Whose tool is called, as the daemon's own reader would see it: the last of two equal keys counts. */
function meantBy(body: Uint8Array): { readonly tool: string; readonly provider?: string | undefined } {
  try {
    return meantSchema.parse(JSON.parse(Buffer.from(body).toString())).data;
  } catch {
    return { tool: "" };
  }
}

/** Fields of one connection (RFC 9110, 7.6.1), and those that the other side writes itself. */
const ownFields = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "host",
  "expect",
]);

async function passThrough(
  exchange: Exchange,
  daemon: HttpClient,
  body: Uint8Array | AsyncIterable<Uint8Array> | undefined,
): Promise<Answer> {
  const { request, url, signal } = exchange;
  exchange.note({ passed: true });
  const answer = await daemon.send({
    method: request.method,
    path: url.pathname + url.search,
    headers: passedOn(Object.fromEntries(request.headers)),
    ...(body !== undefined && { body }),
    signal,
    passThrough: true,
  });
  if (answer.status > 599) {
    throw new ConversionError(
      "upstream-protocol",
      "the plugin daemon answered with a status that HTTP does not have",
    );
  }
  return { status: answer.status, headers: passedOn(answer.headers), body: answer.body };
}

function passedOn(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const named = (headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase());
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !ownFields.has(name) && !named.includes(name)),
  );
}
