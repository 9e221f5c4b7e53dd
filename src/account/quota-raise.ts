// Counts the calls that a database has lost as if they were used. A database restored from a backup, or a standby that missed the last
// commits, would grant them again. Nobody knows how many there were. A subscription cannot have made more calls than its plan's rate
// allows, so counting that many is safe. Instead, an operator may guess what share of the plan was used.
import type { Plans } from "../catalogue/plans.ts";
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
  /** How many subscriptions were left unchanged because their plan is not in the plan file; they cannot make calls anyway. */
  readonly withoutPlan: number;
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
  {
    store,
    plans,
  }: {
    readonly store: Pick<
      Store,
      "plansInUse" | "subscriberCount" | "subscribersAfter" | "addQuotaRaise" | "chargeRaise" | "raiseCaps"
    >;
    readonly plans: Plans;
  },
  raise: QuotaRaise,
): Promise<QuotaRaised> {
  await store.addQuotaRaise(raise);
  let calls = 0;
  let subscriptions = 0;
  let withoutPlan = 0;
  for (const inUse of await store.plansInUse()) {
    const { service } = inUse;
    const plan = plans.find(service, inUse.plan);
    if (plan === undefined) {
      withoutPlan += await store.subscriberCount(inUse);
      continue;
    }
    let page = await store.subscribersAfter(inUse, "", PAGE_SIZE);
    while (page.length > 0) {
      subscriptions += page.length;
      const accountIds = page.map(({ accountId }) => accountId);
      calls += await store.chargeRaise(raise, plan, service, accountIds);
      page = await store.subscribersAfter(inUse, page.at(-1)?.id ?? "", PAGE_SIZE);
    }
  }
  // A key without a rate of its own may have called every service on its fastest plan.
  const fastest = SERVICE_NAMES.map((service) => Math.max(0, ...plans.of(service).map((plan) => plan.requestsPerSecond)));
  const keyCaps = await store.raiseCaps(
    raise,
    fastest.reduce((sum, rate) => sum + rate, 0),
  );
  return { subscriptions, calls, keyCaps, withoutPlan };
}
