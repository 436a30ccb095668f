import { adapters } from "../../adapters/index.ts";
import { createConverter } from "../../src/converter.ts";
import { openHttpClient } from "../../src/gateway/client/open-http-client.ts";
import type { Upstream, UpstreamAnswer, UpstreamKind, UpstreamRequest } from "../../src/gateway/upstream.ts";
import { KeptLog } from "../server/support.ts";

export const converter = createConverter(adapters);

/** Opens an upstream by settings as a configuration says them. */
export function openUpstream<Settings extends object>(
  { settings, open }: UpstreamKind<Settings>,
  given: object,
): Upstream {
  const environment = { name: "tools", converter, log: new KeptLog(), connect: openHttpClient };
  return open(settings.parse(given), environment);
}

export function callOf(given: Partial<UpstreamRequest> = {}): UpstreamRequest {
  return {
    call: { toolCallId: "call-1", name: "weather", arguments: { city: "Oslo" } },
    from: "strands",
    path: "",
    requestId: "request-1",
    signal: new AbortController().signal,
    ...given,
  };
}

export async function bodyOf({ body }: UpstreamAnswer): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}
