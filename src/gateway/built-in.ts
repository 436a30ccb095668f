import { faces } from "./faces/index.ts";
import type { GatewayParts } from "./parts.ts";
import { difyDaemonUpstream } from "./upstreams/dify-daemon.ts";
import { httpUpstream } from "./upstreams/http.ts";

/** The kinds of upstreams and the faces that come with the program. */
export const builtInParts: GatewayParts = { kinds: [httpUpstream, difyDaemonUpstream], faces };
