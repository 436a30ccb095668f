import type { Converter } from "../converter.ts";
import type { Surface } from "../server/endpoint.ts";
import type { Log } from "../server/log.ts";
import type { HttpClient } from "./client/http-client.ts";
import { openHttpClient } from "./client/open-http-client.ts";
import type { GatewayConfig } from "./config/config.ts";
import { createGateway } from "./gateway.ts";
import type { GatewayParts } from "./parts.ts";
import type { ConnectionSettings, Upstream, UpstreamKind } from "./upstream.ts";

export interface OpenGateway {
  /** One for each face. */
  readonly surfaces: readonly Surface[];
  readonly upstreams: ReadonlyMap<string, Upstream>;
  /** Closes every connection to the outside; nothing is called after it. */
  close(): Promise<void>;
}

/** Opens the upstreams and faces of a configuration that was checked. No connection is made before it is needed. */
export function openGateway(
  config: GatewayConfig,
  { faces, kinds }: GatewayParts,
  converter: Converter,
  log: Log,
): OpenGateway {
  const clients: HttpClient[] = [];
  const connect = (url: URL, settings: ConnectionSettings): HttpClient => {
    const client = openHttpClient(url, settings);
    clients.push(client);
    return client;
  };
  const upstreams = new Map(
    Object.entries(config.upstreams).map(([name, { kind, settings }]) => {
      // The configuration was read with these kinds, so it names no other.
      const found = kinds.find((one) => one.kind === kind) as UpstreamKind;
      return [name, found.open(settings, { name, converter, log, connect })];
    }),
  );
  const { limits, carryKey, routes } = config;
  const gateway = createGateway({ converter, limits, carryKey, routes, upstreams });
  const surfaces = faces.flatMap((face) => {
    const settings = config.faces[face.id] ?? (face.always ? {} : undefined);
    return settings === undefined ? [] : [face.open(settings, { gateway, server: config.server, connect })];
  });
  return {
    surfaces,
    upstreams,
    close: async () => {
      await Promise.all([...upstreams.values()].map((upstream) => upstream.close()));
      await Promise.all(clients.map((client) => client.close()));
    },
  };
}
