// The tests that Vitest runs by itself, in three projects: `npm test` runs the first, `npm run test:system` the second,
// `npm run test:alone` the third, and `npx vitest run FILE` finds the one that the file belongs to.
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { quickDirectory } from "./test/fixtures/quick-directory.ts";
import { sortTestFiles } from "./test/test-files.ts";
import { TIME_LIMITS } from "./test/time-limits.ts";

const PORTAL_SETUP = "test/fixtures/portal-setup.ts";
const PROGRAM_SETUP = "test/fixtures/program-setup.ts";

const { shared, system, alone } = sortTestFiles();
const maxWorkers = Math.max(2, availableParallelism());
const common = {
  ...TIME_LIMITS,
  pool: "forks",
  globalSetup: PORTAL_SETUP,
  env: { TMPDIR: quickDirectory() },
  maxWorkers,
} as const;

export default defineConfig({
  test: {
    reporters: ["default", "./test/skipped-tests.ts"],
    maxWorkers,
    projects: [
      // Files that run one after another in a process, which loads the product once.
      { test: { ...common, name: "shared", include: [...shared], isolate: false, sequence: { groupOrder: 0 } } },
      {
        test: {
          ...common,
          name: "system",
          include: [...system],
          globalSetup: [PORTAL_SETUP, PROGRAM_SETUP],
          isolate: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: { ...common, name: "alone", include: [...alone], maxWorkers: 1, maxConcurrency: 3, sequence: { groupOrder: 2 } },
      },
    ],
  },
});
