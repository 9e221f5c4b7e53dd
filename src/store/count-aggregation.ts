// Adds up the counts that servers have written, as a background job of a server. All servers on one database do this at the same time, each
// for different accounts.
import { type JobContext, startBackgroundJob } from "../runtime/background-job.ts";
import type { Store } from "./store.ts";

const CHECK_EVERY_MS = 5000;
// The pause between two transactions, so that calls do not wait.
const PAUSE_MS = 25;

/** Starts the job. Returns a function that stops it and resolves when no work is in progress. */
export const startCountAggregation = ({
  store,
  ...context
}: JobContext & { readonly store: Pick<Store, "addUpCounts"> }): (() => Promise<void>) =>
  startBackgroundJob({
    ...context,
    everyMs: CHECK_EVERY_MS,
    pauseMs: PAUSE_MS,
    failure: "Counts of calls cannot be added up in the database; they are kept there and will be retried",
    work: () => store.addUpCounts(),
  });
