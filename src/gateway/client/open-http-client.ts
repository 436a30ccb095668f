import type { Dispatcher } from "undici";
import { ConversionError, isConversionError } from "../../errors.ts";
import type { ConnectionSettings } from "../upstream.ts";
import { checkedLookup, checkUrl, hostOf, type Resolve } from "./address.ts";
import { Connection, Connections } from "./connections.ts";
import { Exchange } from "./exchange.ts";
import type { ClientRequest, HttpClient } from "./http-client.ts";
import { targetOf } from "./target.ts";

/** Where names are resolved, other than by the system; for tests. */
export interface ClientEnvironment {
  readonly resolve?: Resolve;
}

/** Opens a way to one server. Throws `upstream-address-refused`; connects to nothing before the first request. */
export function openHttpClient(
  url: URL,
  settings: ConnectionSettings,
  { resolve }: ClientEnvironment = {},
): HttpClient {
  checkUrl(url, settings);
  const lookup = checkedLookup(hostOf(url), settings, resolve);
  const connections = new Connections(
    () => new Connection(url.origin, settings, lookup),
    settings.maxSockets,
  );
  let isClosed = false;
  return {
    send: async (request) => {
      if (isClosed) throw closed();
      const { signal, passThrough = false } = request;
      const options = optionsOf(request, targetOf(url, request.path));
      return new Exchange(options, { connections, settings, signal, passThrough }).answer;
    },
    close: () => {
      isClosed = true;
      return connections.close(closed());
    },
  };
}

function optionsOf(
  { method, headers, body, passThrough }: ClientRequest,
  path: string,
): Dispatcher.DispatchOptions {
  return {
    path,
    method: method as Dispatcher.HttpMethod, // The type lists the usual ones; undici takes any token.
    headers: passThrough === true ? headers : { ...headers, "accept-encoding": "identity" },
    body: bodyOf(body),
  };
}

function bodyOf(body: ClientRequest["body"]): NonNullable<Dispatcher.DispatchOptions["body"]> | null {
  if (body === undefined || typeof body === "string" || body instanceof Uint8Array) return body ?? null;
  // The type does not say so, but undici takes any iterable of bytes, and begins to read it when it sends.
  return sentOn(body) as unknown as Uint8Array;
}

/** A body as its caller sends it; that it breaks off is the caller's leaving. */
async function* sentOn(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  try {
    yield* body;
  } catch (error) {
    if (isConversionError(error)) throw error;
    throw new ConversionError("cancelled", "the caller's request broke off");
  }
}

function closed(): ConversionError {
  return new ConversionError("cancelled", "the gateway has closed its connections");
}
