import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // A test that hangs is a failure; none waits for the clock.
    testTimeout: 20_000,
    hookTimeout: 30_000,
    pool: "forks",
  },
});
