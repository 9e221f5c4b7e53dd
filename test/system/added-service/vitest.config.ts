// Runs separately, with `npm run test:service`: it generates, checks and builds a copy of the project, which takes a minute or two and both
// cores.
import { defineConfig } from "vitest/config";
import { TIME_LIMITS } from "../../time-limits.ts";

export default defineConfig({
  test: {
    root: `${import.meta.dirname}/../../..`,
    include: ["test/system/added-service/**/*.test.ts"],
    globalSetup: "test/fixtures/portal-setup.ts",
    ...TIME_LIMITS,
    // Slow because of other load on the machine; only a test that hangs takes longer.
    testTimeout: 1_000_000,
    hookTimeout: 1_000_000,
    pool: "forks",
  },
});
