import type { Face } from "./face.ts";
import type { UpstreamKind } from "./upstream.ts";

/** What a gateway is made of beside its converter; the program comes with some, and plugins add to them. */
export interface GatewayParts {
  readonly kinds: readonly UpstreamKind[];
  readonly faces: readonly Face[];
}
