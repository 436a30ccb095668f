import { describe, test } from "vitest";
import { adapters } from "../adapters/index.ts";
import { adapterLaws } from "../src/testing.ts";
import { subjectOf } from "./law-subjects.ts";

/** Fixed, so that a change that breaks a law breaks it in every run; the deep suite takes another one each time. */
const seed = 20_260_101;

describe.each(adapters.map((adapter) => ({ id: adapter.id, adapter })))("laws of $id", ({ adapter }) => {
  for (const { name, run } of adapterLaws(subjectOf(adapter))) test(name, () => run(300, seed));
});
