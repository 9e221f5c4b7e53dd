// The clients in other languages run separately, with `npm run test:interop`: they are built with their own tools, which takes minutes the
// first time.
import { defineConfig } from "vitest/config";
import { TIME_LIMITS } from "../../time-limits.ts";

export default defineConfig({
  test: {
    root: `${import.meta.dirname}/../../..`,
    include: ["test/system/interop/**/*.test.ts"],
    exclude: ["test/system/interop/openapi/**"],
    globalSetup: ["table.ts", "grpcurl.ts", "client-packages.ts"].map((file) => `test/system/interop/${file}`),
    ...TIME_LIMITS,
    // Some programs are compiled by the test that runs them.
    testTimeout: 900_000,
    pool: "forks",
    // While one waits for a deadline or a download, the other compiles.
    maxWorkers: 2,
    // Each loads the product once, instead of for every file.
    isolate: false,
  },
});
