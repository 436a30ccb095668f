import { prepareEnvironments } from "./environments.ts";

/** Vitest calls this once before the tests. */
export async function setup(): Promise<void> {
  await prepareEnvironments();
}
