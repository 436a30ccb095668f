import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** The gateway against the platforms' own SDKs, which are installed first. */
export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  test: {
    include: ["test/counterparts/**/*.test.ts"],
    globalSetup: ["test/counterparts/set-up.ts"],
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
