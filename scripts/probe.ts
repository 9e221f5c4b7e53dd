// `npm run probe -- GLOB…`: lists the assertions of tests that never ran, and those that cannot fail.
import { globSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { createVitest } from "vitest/node";
import { type Assertion, probeAssertions } from "./mutation/assertions.ts";

/** A test that passes takes much less time. */
const TEST_TIME_MAX_MS = 60_000;
const say = (line: string): boolean => process.stdout.write(`${line}\n`);

const assertions: Assertion[] = [];
const texts = new Map<string, string>();
for (const path of globSync("test/**/*.ts").toSorted()) {
  const probed = probeAssertions(path, readFileSync(path, "utf8"), assertions.length);
  assertions.push(...probed.assertions);
  texts.set(path, probed.text);
}
const vitest = await createVitest(
  "test",
  {
    config: false,
    include: ["test/**/*.test.ts"],
    testTimeout: TEST_TIME_MAX_MS,
    hookTimeout: TEST_TIME_MAX_MS,
    watch: false,
    // The next run must not find changed files in a cache.
    fsModuleCache: false,
    maxWorkers: 1,
    reporters: [{}],
    setupFiles: ["scripts/mutation/probe.ts"],
    expect: { requireAssertions: true, poll: { timeout: TEST_TIME_MAX_MS / 2, interval: 10 } },
    diff: { maxDepth: 1 },
  },
  {
    plugins: [
      {
        name: "probes",
        enforce: "pre",
        transform: (_source, id) => texts.get(relative(process.cwd(), id.replace(/\?.*$/, ""))),
      },
    ],
  },
);
const created = new Set<number>();
const canFail = new Set<number>();
const callbacksCalled = new Set<number>();
const files = new Set<string>();
const { testModules } = await vitest.runTestSpecifications(await vitest.globTestSpecifications(process.argv.slice(2)));
for (const module of testModules) {
  const { probed } = module.meta();
  files.add(module.relativeModuleId);
  for (const test of module.children.allTests("failed")) {
    say(`failed      ${module.relativeModuleId} ${test.fullName}: ${test.result().errors?.[0]?.message.split("\n")[0]}`);
  }
  for (const test of module.children.allTests("skipped")) {
    say(`skipped     ${module.relativeModuleId} ${test.fullName}`);
  }
  for (const [all, found] of [
    [created, probed?.created],
    [canFail, probed?.canFail],
    [callbacksCalled, probed?.callbacksCalled],
  ] as const) {
    for (const id of found ?? []) {
      all.add(id);
    }
  }
}
await vitest.close();

function fault({ id, path, isUnawaited, takesCallback }: Assertion): string | undefined {
  if (!created.has(id)) {
    return files.has(path) ? "never made" : undefined;
  }
  if (isUnawaited) {
    return "not awaited";
  }
  if (!canFail.has(id)) {
    return "cannot fail";
  }
  return takesCallback && !callbacksCalled.has(id) ? "of nothing" : undefined;
}

let count = 0;
for (const assertion of assertions) {
  const found = fault(assertion);
  if (found !== undefined) {
    count += 1;
    say(`${found.padEnd(11)} ${assertion.path}:${assertion.line} ${assertion.text}`);
  }
}
process.exitCode = count === 0 ? 0 : 1;
say(`${created.size} assertions made in ${files.size} files; ${count} to look at`);
