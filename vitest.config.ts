import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // By itself: npm run test:limits.
    exclude: ["test/limits/**"],
    // A test that hangs is a failure; none waits for the clock.
    testTimeout: 20_000,
    hookTimeout: 30_000,
    pool: "forks",
  },
});
