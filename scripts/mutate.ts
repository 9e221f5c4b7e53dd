// `npm run mutate -- GLOB…`: puts small faults into the source files, one at a time, and lists those that no test notices.
import { globSync } from "node:fs";
import { parseArgs } from "node:util";
import type { Mutant } from "./mutation/mutants.ts";
import { RelatedTests } from "./mutation/related.ts";
import { MutationSession } from "./mutation/session.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** How many test files may be run for a source file. */
    nearest: { type: "string", default: "8" },
    /** Tries only every nth fault. */
    every: { type: "string", default: "1" },
    /** Tries only faults whose line of the list contains this, such as `h2-stream.ts:40 `. */
    only: { type: "string", default: "" },
  },
});
const [nearest, every] = [Number(values.nearest), Number(values.every)];
const sources = globSync(positionals)
  .filter((path) => path.endsWith(".ts"))
  .toSorted();
/** A fault that seems to survive is tried again with this many test files, this time from when modules are loaded. */
const CHECKED_MAX = 2;
const say = (line: string): boolean => process.stdout.write(`${line}\n`);
const lineOf = ({ path, line, kind, original }: Mutant): string => `${path}:${line} ${kind}: ${original}`;

const related = new RelatedTests();
const session = new MutationSession(sources);
const chosen = session.mutants.filter((mutant) => mutant.id % every === 0 && lineOf(mutant).includes(values.only));
const left = new Map(chosen.map((mutant) => [mutant.id, mutant]));
/** Fault → the test files that reach it and do not fail. */
const unnoticedBy = new Map<number, string[]>();
const tests = [...new Set(sources.flatMap((source) => related.of(source, nearest)))];
say(`${chosen.length} of ${session.mutants.length} faults in ${sources.length} files, ${tests.length} test files`);
for (const test of tests) {
  if (left.size === 0) {
    break;
  }
  const { noticed, loaded, reached, leftOut } = await session.tryEach(test, [...left.keys()]);
  for (const id of noticed) {
    left.delete(id);
  }
  for (const id of [...loaded, ...reached]) {
    unnoticedBy.set(id, [...new Set([...(unnoticedBy.get(id) ?? []), test])]);
  }
  say(`${test}: ${noticed.size} noticed, ${left.size} left${leftOut.size > 0 ? `; without ${[...leftOut].join("; ")}` : ""}`);
}
const counts = { noticed: chosen.length - left.size, survived: 0, unreached: 0 };
for (const mutant of left.values()) {
  const unnoticedTests = unnoticedBy.get(mutant.id) ?? [];
  let isNoticed = false;
  for (const test of unnoticedTests.slice(0, CHECKED_MAX)) {
    isNoticed = isNoticed || (await session.isNoticed(mutant, test));
  }
  if (unnoticedTests.length === 0) {
    counts.unreached += 1;
    say(`unreached ${lineOf(mutant)}`);
  } else if (isNoticed) {
    counts.noticed += 1;
  } else {
    counts.survived += 1;
    say(`survived  ${lineOf(mutant)}`);
  }
}
await session.close();
say(JSON.stringify(counts));
// Vitest has set it, because tests failed.
process.exitCode = counts.noticed === chosen.length ? 0 : 1;
