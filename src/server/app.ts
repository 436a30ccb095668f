import { type Context, Hono } from "hono";
import { ConversionError } from "../errors.ts";
import { Admission } from "./admission.ts";
import { jsonAnswer } from "./answers.ts";
import type { Drain } from "./drain.ts";
import type { Endpoint, Surface } from "./endpoint.ts";
import { type ExchangeParts, type NodeEnvironment, OpenExchange } from "./exchange.ts";
import { HeldBytes } from "./held-bytes.ts";
import { createHostCheck } from "./host-check.ts";
import { createKeyCheck } from "./keys.ts";
import type { Log } from "./log.ts";
import { RateLimit } from "./rate-limit.ts";
import { checkForm } from "./request-form.ts";
import type { AuthSettings, ServerSettings } from "./settings.ts";

/** What a server is made of, beside its surfaces; `listen` takes the same. */
export interface Shell {
  readonly settings: ServerSettings;
  readonly auth: AuthSettings;
  readonly log: Log;
  readonly drain: Drain;
  /** Milliseconds of a clock that only goes forward. Default: that of the process. */
  readonly now?: () => number;
}

export type App = Hono<NodeEnvironment>;

/**
 * Handles the requests of all surfaces by one table of routes, in which each row says who is let in; opens no port.
 */
export function createApp(surfaces: readonly Surface[], shell: Shell): App {
  const { settings } = shell;
  const parts: ExchangeParts = {
    now: () => performance.now(),
    ...shell,
    held: new HeldBytes(settings.maxHeldBytes),
  };
  const guard = createGuard(shell, parts.now);
  const rows = tableOf(surfaces);
  const app: App = new Hono();

  const serve = (row: Endpoint) => async (context: Context<NodeEnvironment>) => {
    const exchange = new OpenExchange(context, row, parts);
    try {
      await guard(exchange, row);
      return exchange.send(await row.handle(exchange));
    } catch (error) {
      return exchange.send(exchange.failure(error));
    }
  };
  for (const row of rows) app.on(row.method, row.path, serve(row));
  for (const path of new Set(rows.map((row) => row.path))) app.all(path, serve(wrongMethod(path, rows)));
  app.notFound(serve(surfaces.find(({ fallback }) => fallback !== undefined)?.fallback ?? nothingThere));
  return app;
}

/** Every row of the surfaces, and the one that lists them. */
function tableOf(surfaces: readonly Surface[]): readonly Endpoint[] {
  const index: Endpoint = {
    method: "GET",
    path: "/",
    what: "lists the paths",
    access: "open",
    admitted: false,
    handle: () => jsonAnswer({ paths: rows.map(({ method, path, what }) => ({ method, path, what })) }),
  };
  const rows = [...surfaces.flatMap(({ endpoints }) => endpoints), index];
  return rows;
}

type Guard = (exchange: OpenExchange, row: Endpoint) => Promise<void>;

/** Every check that a request must pass before its handler sees it, what costs least first. */
function createGuard({ settings, auth }: Shell, now: () => number): Guard {
  const checkHost = createHostCheck(settings);
  const keyNameOf = createKeyCheck(auth);
  const rateLimit = new RateLimit(settings.rate, now);
  const admission = new Admission(settings);
  return async (exchange, { access, admitted }) => {
    const { incoming, request } = exchange;
    if (incoming !== undefined) checkForm(incoming, settings.maxHeaders);
    // What everyone may see needs no protection from web pages, and health checks come under any name.
    if (access !== "open") {
      checkHost(request.headers.get("host") ?? exchange.url.host, request.headers.get("origin"));
    }
    if (access === "key") exchange.principal = keyNameOf(request.headers);
    if (!admitted) return;
    if (exchange.principal !== undefined) rateLimit.take(exchange.principal);
    await admission.enter(exchange.signal);
    exchange.atEnd(() => admission.leave());
  };
}

/** Answers the methods that no row of a path has. */
function wrongMethod(path: string, rows: readonly Endpoint[]): Endpoint {
  const methods = rows.filter((row) => row.path === path).map(({ method }) => method);
  // Hono answers HEAD where there is a GET.
  const allow = methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])).join(", ");
  return {
    ...nothingThere,
    path,
    handle: () => {
      throw new ConversionError("method-not-allowed", `${path} takes ${allow}`, { data: { allow } });
    },
  };
}

const nothingThere: Endpoint = {
  method: "ALL",
  path: "(none)",
  what: "answers every other path",
  access: "open",
  admitted: false,
  handle: () => {
    throw new ConversionError("not-found", "there is nothing at this path");
  },
};
