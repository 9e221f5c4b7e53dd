// Clients that generators make from the OpenAPI document run separately, with `npm run test:openapi`: the first time, generators and
// libraries are downloaded.
import { defineConfig } from "vitest/config";
import { TIME_LIMITS } from "../../../time-limits.ts";

export default defineConfig({
  test: {
    root: `${import.meta.dirname}/../../../..`,
    include: ["test/system/interop/openapi/**/*.test.ts"],
    globalSetup: "test/system/interop/openapi/openapi-generator.ts",
    ...TIME_LIMITS,
    testTimeout: 900_000,
    pool: "forks",
    maxWorkers: 2,
    // Each loads the product once, instead of for every file.
    isolate: false,
  },
});
