// Runs tests with one fault in memory. No file is written.
import { readFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import type { ProvidedContext } from "vitest";
import { createVitest, type TestModule, type Vitest } from "vitest/node";
import { type Mutant, mutate } from "./mutants.ts";

/** A test that passes takes much less time; one that waits because of a fault is ended. */
const TEST_TIME_MAX_MS = 4_000;
/** How many new threads a file's tests get after faults that broke one. */
const THREADS_MAX = 12;
/** A run of one file that takes longer is in a loop that contains no fault's switch. */
const RUN_TIME_MAX_MS = 120_000;

const UNCHANGED = -1;

/** Puts faults into some sources and runs tests with them. */
export class MutationSession {
  readonly mutants: readonly Mutant[];
  readonly #texts = new Map<string, string>();
  #vitest: Vitest | undefined;

  /** @param sources - The files that get faults, by paths from the repository's root. */
  constructor(sources: readonly string[]) {
    const mutants: Mutant[] = [];
    for (const path of sources) {
      const mutated = mutate(path, readFileSync(path, "utf8"), mutants.length);
      mutants.push(...mutated.mutants);
      this.#texts.set(path, mutated.text);
    }
    this.mutants = mutants;
  }

  /**
   * Runs a test file's tests once unchanged, and once with each of the faults that they reach. Returns which faults made a test fail,
   * which were reached while modules were loaded, which by tests, and which tests were left out because they fail unchanged or take too
   * long.
   */
  async tryEach(
    test: string,
    faults: readonly number[],
  ): Promise<{ noticed: Set<number>; loaded: Set<number>; reached: Set<number>; leftOut: Set<string> }> {
    const noticed = new Set<number>();
    const loaded = new Set<number>();
    const leftOut = new Set<string>();
    const triedBefore: Record<string, readonly number[]> = {};
    let isDone = false;
    for (let threads = 0; !isDone && threads < THREADS_MAX; threads += 1) {
      const [module] = (
        await this.#run(test, { faults: faults.filter((id) => !noticed.has(id)), triedBefore, alwaysThere: UNCHANGED })
      ).modules;
      const outcome = module?.meta().tried;
      if (outcome === undefined) {
        leftOut.add("all");
        break;
      }
      isDone = !outcome.isSpoilt;
      for (const id of outcome.noticed) {
        noticed.add(id);
      }
      for (const id of outcome.loaded) {
        loaded.add(id);
      }
      for (const name of outcome.leftOut) {
        leftOut.add(name);
      }
      for (const [id, tried] of Object.entries(outcome.tried)) {
        triedBefore[id] = [...(triedBefore[id] ?? []), ...tried];
      }
    }
    if (!isDone) {
      leftOut.add(`what follows after ${THREADS_MAX} threads`);
    }
    return { noticed, loaded, reached: new Set(Object.values(triedBefore).flat()), leftOut };
  }

  /** Whether a test of the file fails if the fault is present from the start. */
  async isNoticed(mutant: Mutant, test: string): Promise<boolean> {
    const { modules, failed } = await this.#run(test, { faults: [], triedBefore: {}, alwaysThere: mutant.id });
    return failed || modules.some((module) => !module.ok());
  }

  async close(): Promise<void> {
    await this.#vitest?.close();
    this.#vitest = undefined;
  }

  async #run(
    test: string,
    { faults, triedBefore, alwaysThere }: Pick<ProvidedContext, "faults" | "triedBefore" | "alwaysThere">,
  ): Promise<{ modules: readonly TestModule[]; failed: boolean }> {
    this.#vitest ??= await this.#start();
    const vitest = this.#vitest;
    vitest.provide("faults", faults);
    vitest.provide("triedBefore", triedBefore);
    vitest.provide("alwaysThere", alwaysThere);
    vitest.config.bail = alwaysThere === UNCHANGED ? 0 : 1;
    const specification = vitest.getRootProject().createSpecification(resolve(test));
    const late = Promise.withResolvers<undefined>();
    const timer = setTimeout(late.resolve, RUN_TIME_MAX_MS, undefined);
    const result = await Promise.race([vitest.runTestSpecifications([specification]), late.promise]);
    clearTimeout(timer);
    if (result === undefined) {
      await this.close();
    }
    // Earlier runs have left entries there, too.
    const modules = result?.testModules.filter(({ relativeModuleId }) => relativeModuleId === test) ?? [];
    return { modules, failed: result === undefined || result.unhandledErrors.length > 0 };
  }

  #start(): Promise<Vitest> {
    return createVitest(
      "test",
      {
        config: false,
        include: ["test/**/*.test.ts"],
        watch: false,
        // The next run must not find changed files in a cache.
        fsModuleCache: false,
        pool: "threads",
        maxWorkers: 1,
        fileParallelism: false,
        reporters: [{}],
        runner: "scripts/mutation/mutant-runner.ts",
        testTimeout: TEST_TIME_MAX_MS,
        hookTimeout: TEST_TIME_MAX_MS,
        expect: { poll: { timeout: TEST_TIME_MAX_MS / 2, interval: 10 } },
      },
      {
        plugins: [
          {
            name: "mutants",
            enforce: "pre",
            transform: (_source, id) => this.#texts.get(relative(process.cwd(), id.replace(/\?.*$/, ""))),
          },
        ],
      },
    );
  }
}
