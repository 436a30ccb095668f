import type { ConnectionSettings } from "../upstream.ts";
import { checkedLookup, checkUrl, hostOf, type Resolve } from "./address.ts";
import { clientClosed } from "./client-faults.ts";
import { Connection, Connections } from "./connections.ts";
import { Exchange } from "./exchange.ts";
import type { HttpClient } from "./http-client.ts";
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
      if (isClosed) throw clientClosed();
      const path = targetOf(url, request.path);
      return new Exchange({ ...request, path }, connections, settings).answer;
    },
    close: () => {
      isClosed = true;
      return connections.close(clientClosed());
    },
  };
}
