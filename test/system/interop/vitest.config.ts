// The clients of other languages run by themselves, `npm run test:interop`: they are built with their own tools, which takes minutes when
// nothing of it is there yet.
import { defineConfig } from "vitest/config";
import { TIME_LIMITS } from "../../time-limits.ts";

export default defineConfig({
  test: {
    root: `${import.meta.dirname}/../../..`,
    include: ["test/system/interop/**/*.test.ts"],
    globalSetup: "test/system/interop/table.ts",
    ...TIME_LIMITS,
    // Some programs are compiled by the test that runs them.
    testTimeout: 900_000,
    pool: "forks",
  },
});
