import { randomInt } from "node:crypto";

/** Payloads for each law and each ordered pair of dialects. */
export const deepRuns = 10_000;

/** `LAW_SEED` repeats a run; a broken law names its seed. */
export const seed = Number(process.env.LAW_SEED ?? randomInt(2 ** 31));
