// What a server does about plans while it runs: it follows the plans on offer, and moves subscriptions that are due to another version.
import type { Plan } from "../catalogue/plan.ts";
import { Plans, readPlanFile } from "../catalogue/plans.ts";
import { startBackgroundJob } from "../runtime/background-job.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import { PLANS_CHANGED, planChanges } from "../store/repositories/plans.ts";
import type { Store } from "../store/store.ts";

/** The plans on offer. If there have never been any, first applies the plan file at this path, or the built-in one. */
export async function openPlans(store: Pick<Store, "applyPlans" | "offeredPlans">, plansPath: string | undefined): Promise<Plans> {
  const offered = await store.offeredPlans();
  if (offered.length > 0) {
    return new Plans(offered);
  }
  await store.applyPlans(readPlanFile(plansPath).plans, { onlyIfNone: true });
  return new Plans(await store.offeredPlans());
}

/** Warns if a plan file was set that differs from the plans on offer: somebody may have edited it and expect that this was enough. */
export async function warnOfUnappliedFile(store: Pick<Store, "planVersions">, path: string, log: Pick<Log, "warn">): Promise<void> {
  const changes = planChanges(await store.planVersions(), readPlanFile(path).plans);
  if (changes.some(({ kind }) => kind !== "unchanged")) {
    log.warn(
      { path },
      "the plans on offer are not those of QUINTET_PLANS: `quintet plans diff` shows how they differ, `quintet plans apply` offers them",
    );
  }
}

interface WatchPlansOptions {
  readonly store: Pick<Store, "offeredPlans">;
  readonly clock: Clock;
  readonly log: Log;
  readonly plans: Plans;
  /** Passes the plans on to other threads. */
  readonly changed: (offered: readonly Plan[]) => void;
}

const RETRY_MS = 250;

/**
 * Reads the plans on offer again when they have changed. `changed` gets the ids of the store's `onChange`. Subscriptions do not depend on
 * what is read here: the guard gets their versions with their keys.
 */
export function watchPlans({ store, clock, log, plans, changed }: WatchPlansOptions): { changed(accountId?: string): void } {
  let isReading = false;
  let isOutdated = false;
  const read = async (): Promise<void> => {
    isReading = true;
    while (isOutdated) {
      isOutdated = false;
      const offered = await store.offeredPlans();
      plans.replace(offered);
      changed(offered);
    }
    isReading = false;
  };
  const start = (): void => {
    isOutdated = true;
    if (!isReading) {
      read().catch((error: unknown) => {
        isReading = false;
        log.warn({ err: error }, "The plans on offer cannot be read; trying again");
        clock.after(RETRY_MS, start);
      });
    }
  };
  return {
    changed(accountId) {
      if (accountId === undefined || accountId === PLANS_CHANGED) {
        start();
      }
    },
  };
}

const EVERY_MS = 5000;
const MOVED_MAX = 100;
const PAUSE_MS = 50;

/** Moves the subscriptions that are due, each in a transaction of its own. Returns whether there may be more. */
export async function moveDueSubscriptions(store: Pick<Store, "dueMoves" | "moveDue">): Promise<boolean> {
  const ids = await store.dueMoves(MOVED_MAX);
  for (const id of ids) {
    await store.moveDue(id);
  }
  return ids.length === MOVED_MAX;
}

interface PlanJobs {
  /** How many requested plans wait for an operator, counted a few seconds ago. */
  readonly requestsWaiting: number;
  close(): Promise<void>;
}

/** Moves subscriptions, and counts the requests that wait, until it is closed. All servers on one database may do it at the same time. */
export function beginPlanJobs({
  store,
  clock,
  log,
}: {
  readonly store: Pick<Store, "dueMoves" | "moveDue" | "waitingSubscriptions">;
  readonly clock: Clock;
  readonly log: Log;
}): PlanJobs {
  let requestsWaiting = 0;
  const close = startBackgroundJob({
    clock,
    log,
    firstMs: 0,
    everyMs: EVERY_MS,
    pauseMs: PAUSE_MS,
    failure: "subscriptions cannot be moved to other versions of their plans; trying again",
    async work() {
      requestsWaiting = await store.waitingSubscriptions();
      return moveDueSubscriptions(store);
    },
  });
  return {
    get requestsWaiting() {
      return requestsWaiting;
    },
    close,
  };
}
