// Runs each test once unchanged, and then once with each fault that it reaches.
import { inject, type RunnerTestCase, TestRunner } from "vitest";

/** The faults to try, and the results. */
export interface Tried {
  /** Faults that made a test fail. */
  readonly noticed: number[];
  /** A test's id → the faults that it reaches and was tried with. */
  readonly tried: Record<string, readonly number[]>;
  /** Whether something was left behind that makes tests fail: the remaining tests must run in a new thread. */
  isSpoilt: boolean;
  /** Tests that take too long, or fail unchanged. */
  readonly leftOut: string[];
  /** Faults that were reached before the first test, when modules were loaded. */
  readonly loaded: readonly number[];
}

declare module "vitest" {
  interface ProvidedContext {
    /** The ids of the faults to try. */
    faults: readonly number[];
    /** A test's id → the faults that were tried with it before. */
    triedBefore: Readonly<Record<string, readonly number[]>>;
    /** The one fault that is present from when modules are loaded, or -1. No others are tried then. */
    alwaysThere: number;
  }
  interface TaskMeta {
    tried?: Tried;
  }
}

/** A test that takes longer is not run again for each fault. */
const TEST_TIME_MAX_MS = 1_500;
/** A test that reaches faults more often than this is in an endless loop. */
const REACHED_MAX = 20_000_000;

const wanted = new Set(inject("faults"));
const triedBefore = inject("triedBefore");
const alwaysThere = inject("alwaysThere");

const UNCHANGED = -1;
let active = alwaysThere;
let reachedCount = 0;
const reached = new Set<number>();
let hasUnhandledFailure = false;

Object.assign(globalThis, {
  isMutant(id: number): boolean {
    reachedCount += 1;
    if (reachedCount > REACHED_MAX) {
      throw new Error("this fault does not end");
    }
    reached.add(id);
    return id === active;
  },
});
const noteUnhandled = (): void => {
  hasUnhandledFailure = true;
};
process.on("unhandledRejection", noteUnhandled);
process.on("uncaughtException", noteUnhandled);

/** The tries of one test: unchanged, with a fault, and unchanged again after a fault that made it fail. */
interface Tries {
  /** When the current try started, in monotonic time. */
  startedMs: number;
  /** The remaining faults; undefined until the test has been run unchanged. */
  queue: number[] | undefined;
  readonly tried: number[];
}

/** For Vitest's `runner`. */
export default class MutantRunner extends TestRunner {
  #tries: Tries | undefined;

  override async onBeforeRunTask(test: RunnerTestCase): Promise<void> {
    await super.onBeforeRunTask(test);
    test.file.meta.tried ??= { noticed: [], tried: {}, isSpoilt: false, leftOut: [], loaded: [...reached] };
    this.#tries = { startedMs: 0, queue: undefined, tried: [] };
    if (test.file.meta.tried.isSpoilt) {
      test.mode = "skip";
    } else if (alwaysThere === UNCHANGED) {
      // As many retries as needed: `onAfterRetryTask` ends them.
      test.repeats = Number.MAX_SAFE_INTEGER;
    }
  }

  override onBeforeTryTask(test: RunnerTestCase, options: { retry: number; repeats: number }): void {
    super.onBeforeTryTask(test, options);
    reachedCount = 0;
    hasUnhandledFailure = false;
    reached.clear();
    if (this.#tries !== undefined) {
      this.#tries.startedMs = performance.now();
    }
  }

  // Not `onTaskFinished`: a test's cleanup belongs to its try.
  override async onAfterRetryTask(test: RunnerTestCase, options: { retry: number; repeats: number }): Promise<void> {
    await super.onAfterRetryTask(test, options);
    const { result } = test;
    const outcome = test.file.meta.tried;
    const tries = this.#tries;
    if (alwaysThere !== UNCHANGED || result === undefined || outcome === undefined || tries === undefined) {
      return;
    }
    this.#judge(test, result.state === "fail" || hasUnhandledFailure, tries, outcome);
    const next = outcome.isSpoilt ? undefined : tries.queue?.shift();
    active = next ?? UNCHANGED;
    result.state = "pass";
    delete result.errors;
    result.attempts?.splice(0);
    if (next === undefined) {
      outcome.tried[test.id] = tries.tried;
      result.state = "skip";
    } else if (next !== UNCHANGED) {
      tries.tried.push(next);
    }
  }

  #judge(test: RunnerTestCase, hasFailed: boolean, tries: Tries, outcome: Tried): void {
    const tookMs = performance.now() - tries.startedMs;
    if (tries.queue === undefined) {
      const known = new Set([...(triedBefore[test.id] ?? []), ...outcome.noticed]);
      const isGood = !hasFailed && tookMs <= TEST_TIME_MAX_MS;
      if (!isGood) {
        outcome.leftOut.push(test.name);
      }
      tries.queue = isGood ? [...reached].filter((id) => wanted.has(id) && !known.has(id)) : [];
    } else if (hasFailed && active === UNCHANGED) {
      outcome.isSpoilt = true;
    } else if (hasFailed) {
      outcome.noticed.push(active);
      // A wait without success is repeated with a longer pause.
      outcome.isSpoilt = tookMs > TEST_TIME_MAX_MS;
      tries.queue.unshift(UNCHANGED);
    }
  }
}
