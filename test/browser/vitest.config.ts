import { defineConfig } from "vitest/config";
import { TIME_LIMITS } from "../time-limits.ts";

export default defineConfig({
  test: {
    include: ["test/browser/**/*.test.ts"],
    ...TIME_LIMITS,
    pool: "forks",
  },
});
