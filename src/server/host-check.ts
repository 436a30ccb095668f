import { ConversionError } from "../errors.ts";
import type { ServerSettings } from "./settings.ts";

/**
 * Checks whom a request takes this server for, and whose web page it comes from. A page can have a name of its own
 * point at this address (DNS rebinding) and send requests to any address, but it cannot hide that name or its origin.
 * Throws `host-refused` and `origin-refused`.
 */
export type HostCheck = (host: string, origin: string | null) => void;

export function createHostCheck({
  host,
  hosts,
  origins,
}: Pick<ServerSettings, "host" | "hosts" | "origins">): HostCheck {
  const bound = host.includes(":") ? `[${host}]` : host;
  const names = new Set(
    ["localhost", "127.0.0.1", "[::1]", bound, ...hosts].map((name) => name.toLowerCase()),
  );
  return (shown, origin) => {
    if (!names.has(nameOf(shown))) {
      throw new ConversionError("host-refused", "the Host header names another host");
    }
    if (origin !== null && !origins.includes(origin)) {
      throw new ConversionError("origin-refused", "the Origin header names a page that may not call");
    }
  };
}

/** A Host header without its port. */
function nameOf(host: string): string {
  return host.replace(/:[0-9]*$/, "").toLowerCase();
}
