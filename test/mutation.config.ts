// What Stryker runs for `npm run mutate`: the test files in the folder that the variable TESTS names.
import { defineConfig } from "vitest/config";
import { TIME_LIMITS } from "./time-limits.ts";

const { TESTS = "test" } = process.env;

export default defineConfig({ test: { ...TIME_LIMITS, include: [`${TESTS}/**/*.test.ts`] } });
