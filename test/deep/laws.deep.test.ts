import { randomInt } from "node:crypto";
import { adapters } from "../../adapters/index.ts";
import { testLaws } from "../laws/test-laws.ts";

/** `LAW_SEED` repeats a run; a broken law names its seed. */
const seed = Number(process.env.LAW_SEED ?? randomInt(2 ** 31));

for (const adapter of adapters) testLaws(adapter, 10_000, seed);
