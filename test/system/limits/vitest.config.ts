// The history checker runs by itself, `npm run test:limits`: it takes minutes, and both cores.
import { defineConfig } from "vitest/config";
import { TIME_LIMITS } from "../../time-limits.ts";

export default defineConfig({
  test: {
    root: `${import.meta.dirname}/../../..`,
    include: ["test/system/limits/**/*.test.ts"],
    // A run takes seconds, and minutes where others keep the machine busy; only one that hangs takes longer.
    ...TIME_LIMITS,
    testTimeout: 1_000_000,
    pool: "forks",
    // One cluster at a time: what they measure is in milliseconds.
    fileParallelism: false,
  },
});
