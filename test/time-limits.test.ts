// No test may fail because the machine is busy: checks for code that would make tests depend on time.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "./fixtures/root.ts";
import { TIME_LIMITS } from "./time-limits.ts";

const files = globSync("test/**/*.ts", { cwd: ROOT })
  .toSorted()
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") }));

/** The places that match `pattern`, each with the text of its first group. */
const places = (pattern: RegExp, folder = "test/"): readonly (readonly [path: string, found: string])[] =>
  files
    .filter(({ path }) => path.startsWith(folder))
    .flatMap(({ path, text }) => [...text.matchAll(pattern)].map(([whole, group = whole]) => [path, group] as const));

test("no wait has a shorter limit than the common one, unless it is retried", () => {
  const short = places(/\btimeout: ([\d_]+)/g).filter(([, ms]) => Number(ms.replaceAll("_", "")) < TIME_LIMITS.expect.poll.timeout);
  expect(short).toEqual([
    // Clicked again by the poll around it.
    ["test/browser/explore-failures.test.ts", "1000"],
    // No limit at all.
    ["test/system/interop/page.ts", "0"],
    // A database that is locked for longer is retried.
    ["test/system/limits/broken-guards.ts", "1000"],
  ]);
});

test("a promise with only a finally handler is not left to reject unhandled", () => {
  expect(places(/^ +\w+\.finally\(/gm)).toEqual([]);
});

test("no wait for a page's event is left unhandled if the step before it fails", () => {
  expect(places(/= \w+\.waitFor(?:Request|Response|Event)\(/g, "test/browser/")).toEqual([]);
});
