import { ConversionError } from "../errors.ts";
import { jsonAnswer } from "./answers.ts";
import type { Drain } from "./drain.ts";
import type { Endpoint, Exchange, Surface } from "./endpoint.ts";

export interface HealthParts {
  readonly version: string;
  readonly drain: Drain;
}

/** What an orchestrator asks a server: whether it runs, whether it takes calls, and which version it is. */
export function healthSurface({ version, drain }: HealthParts): Surface {
  const alive = () => jsonAnswer({ status: "ok" });
  const ready = () => {
    if (drain.isDraining) throw new ConversionError("draining", "the server is stopping");
    return jsonAnswer({ status: "ready" });
  };
  return {
    endpoints: [
      health("/healthz", "says that the server runs", alive),
      health("/health", "the same as /healthz", alive),
      health("/readyz", "says whether the server takes calls: 503 while it stops", ready),
      health("/version", "names the version", () => jsonAnswer({ name: "tool-result-gateway", version })),
    ],
  };
}

function health(
  path: string,
  what: string,
  handle: (exchange: Exchange) => ReturnType<Endpoint["handle"]>,
): Endpoint {
  return { method: "GET", path, what, access: "open", admitted: false, handle };
}
