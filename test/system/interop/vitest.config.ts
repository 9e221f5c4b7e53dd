// The clients of other languages run by themselves, `npm run test:interop`: they are built with their own tools, which takes minutes when
// nothing of it is there yet.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: `${import.meta.dirname}/../../..`,
    include: ["test/system/interop/**/*.test.ts"],
    globalSetup: "test/system/interop/table.ts",
    testTimeout: 120_000,
    hookTimeout: 60_000,
    pool: "forks",
  },
});
