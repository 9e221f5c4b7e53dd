// Work that a server repeats in the background for as long as it runs.
import type { Clock } from "./clock.ts";
import type { Log } from "./log.ts";

interface RoundsOptions {
  readonly clock: Pick<Clock, "after">;
  readonly log: Pick<Log, "warn">;
  /** The time until the first round; by default the time between two rounds. */
  readonly firstMs?: number;
  /** The time between two rounds. */
  readonly everyMs: number;
  /** The time between two parts of a round. */
  readonly pauseMs: number;
  /** Logged when the work fails, once until it succeeds again. */
  readonly failure: string;
  /** Does part of a round. Returns whether there is more to do now. */
  readonly work: () => Promise<boolean>;
}

/** Starts the rounds. Returns a function that ends them, and resolves when no work is in progress. */
export function beginRounds({
  clock,
  log,
  everyMs,
  firstMs = everyMs,
  pauseMs,
  failure,
  work,
}: RoundsOptions): () => Promise<void> {
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
      cancel = clock.after(hasMore ? pauseMs : everyMs, next);
    }
  }
}
