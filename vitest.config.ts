import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // By themselves: npm run test:limits, npm run test:interop, npm run test:browser.
    exclude: ["test/system/limits/**", "test/system/interop/**", "test/browser/**"],
    // A test that hangs is a failure; none waits for the clock, however slow the machine is.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: "forks",
  },
});
