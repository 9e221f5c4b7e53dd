// The history checker runs separately, with `npm run test:limits`: it takes minutes, and both cores.
import { defineConfig } from "vitest/config";
import { TIME_LIMITS } from "../../time-limits.ts";

export default defineConfig({
  test: {
    root: `${import.meta.dirname}/../../..`,
    include: ["test/system/limits/**/*.test.ts"],
    globalSetup: "test/system/limits/node-setup.ts",
    // A run takes seconds, or minutes on a busy machine; only one that hangs takes longer.
    ...TIME_LIMITS,
    testTimeout: 1_000_000,
    pool: "forks",
    // One cluster at a time, because they measure milliseconds.
    fileParallelism: false,
    maxConcurrency: 3,
  },
});
