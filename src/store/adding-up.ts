// Lets a server add up the counts that all servers have written. The servers on one database do this at the same time, each for a different
// part.
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { Store } from "./store.ts";

const LOOK_EVERY_MS = 5000;
// Between two transactions, so that calls do not wait.
const PAUSE_MS = 25;

/** Starts it. Returns a function that stops it and resolves when no work is in progress. */
export function beginAddingUp(deps: {
  readonly store: Pick<Store, "addUpCounts">;
  readonly clock: Pick<Clock, "after">;
  readonly log: Log;
}): () => Promise<void> {
  const { store, clock, log } = deps;
  let isEnded = false;
  // Whether the last attempt failed, which is logged once.
  let isBehind = false;
  let underWay = Promise.resolve();
  let cancel = clock.after(LOOK_EVERY_MS, look);
  return () => {
    isEnded = true;
    cancel();
    return underWay;
  };

  function look(): void {
    underWay = addUpSome();
  }

  // Never rejects.
  async function addUpSome(): Promise<void> {
    let hasMore = false;
    try {
      hasMore = await store.addUpCounts();
      isBehind = false;
    } catch (error) {
      if (!isBehind) {
        log.warn({ err: error }, "Counts of calls cannot be added up in the database; they are kept there and tried again");
      }
      isBehind = true;
    }
    if (!isEnded) {
      cancel = clock.after(hasMore ? PAUSE_MS : LOOK_EVERY_MS, look);
    }
  }
}
