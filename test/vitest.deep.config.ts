import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** The slow suite: more random cases and larger documents than every change needs. */
export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  test: {
    include: ["test/deep/**/*.test.ts"],
    maxWorkers: 2,
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
