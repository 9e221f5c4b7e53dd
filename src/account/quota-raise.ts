// Counts the calls that a database has lost as if they were used. A database restored from a backup, or a standby that missed the last
// commits, would grant them again. Nobody knows how many there were. A subscription cannot have made more calls than its plan's rate
// allows, so counting that many is safe. Instead, an operator may guess what share of the plan was used.
import { SERVICE_NAMES } from "../catalogue/service-names.ts";
import { dayAt } from "../runtime/calendar.ts";
import type { QuotaRaise } from "../store/records.ts";
import type { Store } from "../store/store.ts";

export interface QuotaRaised {
  readonly subscriptions: number;
  /** How many calls now count as used, over all subscriptions. */
  readonly calls: number;
  /** How many key caps had their counts raised. */
  readonly keyCaps: number;
}

const PAGE_SIZE = 5000;

/** How many seconds of this month have passed since `sinceMs`, the time of the database's last counts: a whole number, at least 1. */
export const secondsLost = (sinceMs: number, nowMs: number): number =>
  Math.max(1, Math.ceil((nowMs - Math.max(sinceMs, dayAt(nowMs).monthStartMs)) / 1000));

/**
 * Raises the counts of all active subscriptions, each up to its plan's calls plus its credited calls, and the counts of all key caps.
 * Subscriptions that are activated later in the month are charged then. Each run raises them again.
 */
export async function raiseQuotas(
  store: Pick<Store, "planVersions" | "subscribersAfter" | "addQuotaRaise" | "chargeRaise" | "raiseCaps">,
  raise: QuotaRaise,
): Promise<QuotaRaised> {
  await store.addQuotaRaise(raise);
  let calls = 0;
  let subscriptions = 0;
  const versions = await store.planVersions();
  for (const plan of versions) {
    const { service } = plan;
    let page = await store.subscribersAfter(plan.id, "", PAGE_SIZE);
    while (page.length > 0) {
      subscriptions += page.length;
      const accountIds = page.map(({ accountId }) => accountId);
      calls += await store.chargeRaise(raise, plan, service, accountIds);
      page = await store.subscribersAfter(plan.id, page.at(-1)?.id ?? "", PAGE_SIZE);
    }
  }
  // A key without a rate of its own may have called every service on its fastest plan.
  const fastest = SERVICE_NAMES.map((service) =>
    Math.max(0, ...versions.filter((plan) => plan.service === service).map((plan) => plan.requestsPerSecond)),
  );
  const keyCaps = await store.raiseCaps(
    raise,
    fastest.reduce((sum, rate) => sum + rate, 0),
  );
  return { subscriptions, calls, keyCaps };
}
