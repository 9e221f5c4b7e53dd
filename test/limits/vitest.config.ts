// The history checker runs by itself, `npm run test:limits`: it takes minutes, and both cores.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: `${import.meta.dirname}/../..`,
    include: ["test/limits/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: "forks",
    // One world at a time: what they measure is in milliseconds.
    fileParallelism: false,
  },
});
