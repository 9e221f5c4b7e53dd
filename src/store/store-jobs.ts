// What a server does with its database in the background: deletes expired rows, and adds up the counts that servers have written. Servers
// on one database may do this at the same time.
import { type JobContext, startBackgroundJob } from "../runtime/background-job.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Randomness } from "../runtime/randomness.ts";
import type { Store } from "./store.ts";

const FIRST_MS = 60_000;
const EVERY_MS = 3_600_000;
const PAUSE_MS = 200;

/** Starts the job. Returns a function that stops it and resolves when no work is in progress. */
export const beginExpiry = ({
  store,
  ...context
}: JobContext & { readonly store: Pick<Store, "deleteExpired"> }): (() => Promise<void>) =>
  startBackgroundJob({
    ...context,
    firstMs: FIRST_MS,
    everyMs: EVERY_MS,
    pauseMs: PAUSE_MS,
    failure: "expired rows could not be deleted from the database; trying again in an hour",
    work: () => store.deleteExpired(),
  });

const CHECK_EVERY_MS = 5000;
// The pause between two transactions, so that calls do not wait.
const COUNT_PAUSE_MS = 25;
// The longest pause while there is no backlog. Half of it, 64 times, is about the half minute after which a bucket is due again: so the 64
// buckets are added up one after another, and not in one burst. If several servers share the work, each pauses longer.
const SPREAD_PAUSE_MS = 900;
const SHARING_MAX = 10;
// If there is always more for this long, other servers do not keep up either, and the pauses are short until all is done.
const BACKLOG_AFTER_MS = 60_000;

interface CountAggregationOptions extends JobContext {
  readonly clock: Pick<Clock, "after" | "monotonicMs">;
  readonly randomness: Pick<Randomness, "unit">;
  readonly store: Pick<Store, "addUpCounts"> & { readonly nodeStatus: Pick<Store["nodeStatus"], "aliveNodes"> };
}

/** Starts the job. Returns a function that stops it and resolves when no work is in progress. */
export function startCountAggregation({ store, randomness, ...context }: CountAggregationOptions): () => Promise<void> {
  const { clock } = context;
  let idleAtMs = clock.monotonicMs();
  return startBackgroundJob({
    ...context,
    everyMs: CHECK_EVERY_MS,
    pauseMs() {
      const isBacklog = clock.monotonicMs() - idleAtMs > BACKLOG_AFTER_MS;
      const servers = Math.min(store.nodeStatus.aliveNodes, SHARING_MAX);
      return isBacklog ? COUNT_PAUSE_MS : COUNT_PAUSE_MS + randomness.unit() * SPREAD_PAUSE_MS * servers;
    },
    failure: "Counts of calls cannot be added up in the database; they are kept there and will be retried",
    async work() {
      const hasMore = await store.addUpCounts();
      if (!hasMore) {
        idleAtMs = clock.monotonicMs();
      }
      return hasMore;
    },
  });
}
