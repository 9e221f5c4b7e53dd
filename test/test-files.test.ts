// Every test file is in exactly one suite, which its imports decide.
import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "./fixtures/root.ts";
import { MEASURING, OTHER_SUITES, sortTestFiles } from "./test-files.ts";

const { shared, system, alone } = sortTestFiles();

test("each file is in exactly one suite", () => {
  const others = globSync([...OTHER_SUITES], { cwd: ROOT }).filter((file) => file.endsWith(".test.ts"));
  const all = globSync("{packages/*/,}test/**/*.test.ts", { cwd: ROOT });
  expect([...shared, ...system, ...alone, ...others].toSorted()).toEqual(all.toSorted());
});

test.each([
  ["test/guard/quota/quota.test.ts", "needs only its own process", shared],
  ["packages/http/test/client-certs.test.ts", "has a certificate made by a short program", shared],
  ["test/runtime/idle-memory.test.ts", "starts a process itself", system],
  ["test/store/postgres/failover.test.ts", "starts one in a file that it imports", system],
  ["test/workers/limits.test.ts", "starts threads", system],
  ["test/problem/new-reason.test.ts", "replaces a module", alone],
  ["test/system/costs/costs.test.ts", "measures", alone],
] as const)("%s %s", (file, _, suite) => {
  expect(suite).toContain(file);
});

test("the files that measure exist", () => {
  expect([...MEASURING].filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
});
