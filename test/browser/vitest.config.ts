import { defineConfig } from "vitest/config";
import { TIME_LIMITS } from "../time-limits.ts";

export default defineConfig({
  test: {
    include: ["test/browser/**/*.test.ts"],
    globalSetup: "test/browser/portal-setup.ts",
    ...TIME_LIMITS,
    pool: "forks",
    // Files that run one after another in a process load Playwright and the product once.
    isolate: false,
    // Each file has its own Chromium and servers, which together use about two thirds of a core.
    maxWorkers: 3,
  },
});
