// Makes a server add up the counts that servers have written. All servers on one database do this at the same time, each for different
// accounts.

import { startBackgroundJob } from "../runtime/background-job.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { Store } from "./store.ts";

const CHECK_EVERY_MS = 5000;
// The pause between two transactions, so that calls do not wait.
const PAUSE_MS = 25;

/** Starts it. Returns a function that stops it and resolves when no work is in progress. */
export const startCountAggregation = ({
  store,
  clock,
  log,
}: {
  readonly store: Pick<Store, "addUpCounts">;
  readonly clock: Pick<Clock, "after">;
  readonly log: Log;
}): (() => Promise<void>) =>
  startBackgroundJob({
    clock,
    log,
    everyMs: CHECK_EVERY_MS,
    pauseMs: PAUSE_MS,
    failure: "Counts of calls cannot be added up in the database; they are kept there and will be retried",
    work: () => store.addUpCounts(),
  });
