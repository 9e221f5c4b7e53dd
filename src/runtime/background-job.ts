// A background job: work that a server repeats for as long as it runs.
import type { Clock } from "./clock.ts";
import type { Log } from "./log.ts";

/** What every job is given. */
export interface JobContext {
  readonly clock: Pick<Clock, "after">;
  readonly log: Pick<Log, "warn">;
}

interface BackgroundJobOptions extends JobContext {
  /** The time until the first run; by default the time between two runs. */
  readonly firstMs?: number;
  /** The time between two runs. */
  readonly everyMs: number;
  /** The time between two parts of a run; a function is asked after each part. */
  readonly pauseMs: number | (() => number);
  /** Logged when the work fails, and not again until it has succeeded. */
  readonly failure: string;
  /** Does part of a run. Returns whether there is more to do now. */
  readonly work: () => Promise<boolean>;
}

/** Starts the job. Returns a function that stops it, and resolves when no work is in progress. */
export function startBackgroundJob({
  clock,
  log,
  everyMs,
  firstMs = everyMs,
  pauseMs,
  failure,
  work,
}: BackgroundJobOptions): () => Promise<void> {
  let isEnded = false;
  let isFailing = false;
  let inProgress = Promise.resolve();
  let cancel = clock.after(firstMs, next);
  return () => {
    isEnded = true;
    cancel();
    return inProgress;
  };

  function next(): void {
    inProgress = part();
  }

  // Never rejects.
  async function part(): Promise<void> {
    let hasMore = false;
    try {
      hasMore = await work();
      isFailing = false;
    } catch (error) {
      if (!isFailing) {
        log.warn({ err: error }, failure);
      }
      isFailing = true;
    }
    if (!isEnded) {
      const nextPauseMs = typeof pauseMs === "number" ? pauseMs : pauseMs();
      cancel = clock.after(hasMore ? nextPauseMs : everyMs, next);
    }
  }
}
