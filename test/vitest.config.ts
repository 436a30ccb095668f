import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/deep/**", "test/counterparts/**", "**/node_modules/**"],
    benchmark: { include: ["test/bench/**/*.bench.ts"] },
    // Two files of laws side by side; more would only take turns on a small machine.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
