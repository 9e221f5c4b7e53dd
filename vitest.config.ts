import { defineConfig } from "vitest/config";
import { TIME_LIMITS } from "./test/time-limits.ts";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // By themselves: npm run test:limits, npm run test:interop, npm run test:browser.
    exclude: ["test/system/limits/**", "test/system/interop/**", "test/browser/**"],
    ...TIME_LIMITS,
    pool: "forks",
  },
});
