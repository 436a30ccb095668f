import type { Adapter } from "../src/adapter.ts";
import { difyAdapter } from "./dify/index.ts";
import { irAdapter } from "./ir/index.ts";
import { strandsAdapter } from "./strands/index.ts";
import { watsonxAdapter } from "./watsonx/index.ts";

export { difyAdapter, irAdapter, strandsAdapter, watsonxAdapter };

/** The built-in adapters, sorted by id. */
export const adapters: readonly Adapter[] = [difyAdapter, irAdapter, strandsAdapter, watsonxAdapter];
