import { describe, test } from "vitest";
import type { Adapter } from "../../src/adapter.ts";
import { adapterLaws } from "../../src/testing.ts";
import { subjectOf } from "../law-subjects.ts";

/** Makes one test of each law of an adapter. Each format has a file of its own, so that they run at the same time. */
export function testLaws(adapter: Adapter, runs: number, seed: number): void {
  describe(`laws of ${adapter.id}`, () => {
    for (const { name, run } of adapterLaws(subjectOf(adapter))) test(name, () => run(runs, seed));
  });
}

/** Enough for every change. The seed is fixed, so that a change that breaks a law breaks it in every run. */
export const everyChange = { runs: 300, seed: 20_260_101 } as const;
