// Deletes expired rows in a server: a minute after its start, and then once an hour. If there are many, they are deleted in short
// transactions with a pause after each, so that calls do not wait. Servers on one database may do this at the same time.
import { type JobContext, startBackgroundJob } from "../runtime/background-job.ts";
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
