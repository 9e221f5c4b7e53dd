// Deletes expired rows in a server: a minute after its start, and then once an hour. If there are many, they are deleted in short
// transactions with a pause after each, so that calls do not wait. Servers on one database may do this at the same time.
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { Store } from "./store.ts";

const FIRST_MS = 60_000;
const AGAIN_MS = 3_600_000;
const PAUSE_MS = 200;

/** Starts it. Returns a function that stops it and resolves when no work is in progress. */
export function beginExpiry(deps: {
  readonly store: Pick<Store, "deleteExpired">;
  readonly clock: Pick<Clock, "after">;
  readonly log: Log;
}): () => Promise<void> {
  const { store, clock, log } = deps;
  let isEnded = false;
  let underWay = Promise.resolve();
  let cancel = clock.after(FIRST_MS, look);
  return () => {
    isEnded = true;
    cancel();
    return underWay;
  };

  function look(): void {
    underWay = deleteSome();
  }

  // Never rejects. What cannot be deleted now is deleted the next time.
  async function deleteSome(): Promise<void> {
    let hasMore = false;
    try {
      hasMore = await store.deleteExpired();
    } catch (error) {
      log.warn({ err: error }, "expired rows could not be deleted from the database; trying again in an hour");
    }
    if (!isEnded) {
      cancel = clock.after(hasMore ? PAUSE_MS : AGAIN_MS, look);
    }
  }
}
