import { type Context, Hono } from "hono";
import type { Converter } from "../converter.ts";
import { ConversionError, errorTable, isConversionError } from "../errors.ts";
import type { Limits } from "../options.ts";
import { envelopeText, outputText } from "../output-text.ts";
import { readBody } from "./body.ts";
import { lossesHeader, lossesHeaderValue } from "./losses-header.ts";
import { problemOf } from "./problem.ts";
import { readConvertQuery } from "./query.ts";

export interface AppSettings {
  /** Bytes of one request body. Default 16 MiB. */
  readonly maxBodyBytes?: number;
  /** Limits of reading. By default those of the library, and 1,000,000 nodes. */
  readonly limits?: Partial<Limits>;
  /** Told one line about a fault of the program itself; never a payload. Default: nobody. */
  readonly log?: (line: string) => void;
}

/** What a server sets where a library leaves it to its caller (R16). */
export const serverDefaults = { maxBodyBytes: 16 * 1024 * 1024, limits: { maxNodes: 1_000_000 } } as const;

interface Route {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly what: string;
  readonly handle: (context: Context) => Response | Promise<Response>;
}

/** The HTTP surface over a converter: handles requests, opens no port. */
export function createApp(converter: Converter, settings: AppSettings = {}): Hono {
  const { maxBodyBytes = serverDefaults.maxBodyBytes, log = () => {} } = settings;
  const limits = { ...serverDefaults.limits, ...settings.limits };
  const routes: readonly Route[] = [
    {
      method: "POST",
      path: "/v1/convert",
      what: "converts the body: ?from=FORMAT&to=FORMAT, envelope=1 for the losses and the carry",
      handle: async ({ req }) => {
        const { options, envelope } = readConvertQuery(new URL(req.url).searchParams, limits);
        const conversion = converter.convert(await readBody(req.raw, maxBodyBytes), options);
        const headers = { [lossesHeader]: lossesHeaderValue(conversion.losses) };
        return envelope
          ? answer(envelopeText(conversion), "application/json", headers)
          : answer(outputText(conversion), conversion.mediaType, headers);
      },
    },
    {
      method: "POST",
      path: "/v1/detect",
      what: "names the format of the body",
      handle: async ({ req }) => json(converter.detect(await readBody(req.raw, maxBodyBytes))),
    },
    {
      method: "GET",
      path: "/v1/formats",
      what: "lists the formats",
      handle: () => json(converter.formats()),
    },
    {
      method: "GET",
      path: "/healthz",
      what: "says that the server runs",
      handle: () => json({ status: "ok" }),
    },
    {
      method: "GET",
      path: "/",
      what: "lists the paths",
      handle: () => json({ paths: routes.map(describe) }),
    },
  ];

  const app = new Hono();
  for (const { method, path, handle } of routes) {
    app.on(method, path, handle);
    app.all(path, () => refuse("method-not-allowed", `${path} takes ${method}`, { Allow: allowed(method) }));
  }
  app.notFound(() => refuse("not-found", "there is nothing at this path"));
  app.onError((error) => {
    if (isConversionError(error)) return problem(error);
    // The message of an unknown error can hold anything, so only its kind is told.
    log(`trg: unexpected ${error.name} while answering`);
    return answer(
      '{"type":"about:blank","title":"Internal Server Error","status":500}',
      problemType,
      {},
      500,
    );
  });
  return app;
}

const problemType = "application/problem+json";

function describe({ method, path, what }: Route): {
  readonly method: string;
  readonly path: string;
  readonly what: string;
} {
  return { method, path, what };
}

/** Hono answers HEAD where there is a GET. */
function allowed(method: Route["method"]): string {
  return method === "GET" ? "GET, HEAD" : method;
}

function json(value: unknown): Response {
  return answer(JSON.stringify(value), "application/json");
}

function refuse(code: "not-found" | "method-not-allowed", detail: string, headers = {}): Response {
  return problem(new ConversionError(code, detail), headers);
}

function problem(error: ConversionError, headers: Readonly<Record<string, string>> = {}): Response {
  return answer(problemOf(error), problemType, headers, errorTable[error.code].http);
}

function answer(
  text: string,
  type: string,
  headers: Readonly<Record<string, string>> = {},
  status = 200,
): Response {
  return new Response(text, {
    status,
    headers: {
      ...headers,
      "Content-Type": type,
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
    },
  });
}
