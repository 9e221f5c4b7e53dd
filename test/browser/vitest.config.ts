import { defineConfig } from "vitest/config";
import { TIME_LIMITS } from "../time-limits.ts";

export default defineConfig({
  test: {
    include: ["test/browser/**/*.test.ts"],
    globalSetup: "test/browser/portal-setup.ts",
    ...TIME_LIMITS,
    pool: "forks",
    // Each file has its own Chromium and servers, which together use about one core. Running more files at once would not be faster.
    maxWorkers: 2,
  },
});
