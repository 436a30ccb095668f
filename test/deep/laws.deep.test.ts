import { randomInt } from "node:crypto";
import { describe, test } from "vitest";
import { adapters } from "../../adapters/index.ts";
import { adapterLaws } from "../../src/testing.ts";
import { subjectOf } from "../law-subjects.ts";

/** `LAW_SEED` repeats a run; a broken law names its seed. */
const seed = Number(process.env.LAW_SEED ?? randomInt(2 ** 31));

describe.each(adapters.map((adapter) => ({ id: adapter.id, adapter })))("laws of $id", ({ adapter }) => {
  for (const { name, run } of adapterLaws(subjectOf(adapter))) test(name, () => run(10_000, seed));
});
