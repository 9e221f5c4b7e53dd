// Counts calls as used that a database has lost. A database restored from a backup, or a standby that missed the last commits, would grant them
// again. Nobody knows how many there were. A subscription cannot have made more calls than its plan's rate allows, so counting that many is
// safe; a share of the plan is the operator's guess.
import type { Plan } from "../catalogue/plan.ts";
import type { Plans } from "../catalogue/plans.ts";
import type { Month, Subscription } from "../store/records.ts";
import type { Store } from "../store/store.ts";

/** How many calls of the month each subscription is to be charged with. */
export type QuotaRaise =
  /** As many as it can have made in this time. */
  | { readonly by: "seconds"; readonly seconds: number }
  /** This share of its plan, from 1 to 100. */
  | { readonly by: "percent"; readonly percent: number };

/** What was raised. */
export interface QuotaRaised {
  readonly subscriptions: number;
  /** Calls, of all subscriptions together. */
  readonly calls: number;
  /** Subscriptions whose plan is not in the plan file; they cannot call anyway, and were left as they are. */
  readonly withoutPlan: number;
}

const PAGE = 1000;
// Several nodes together keep a rate within a tenth.
const RATE_TOLERANCE = 1.1;

/** Raises the counts of all active subscriptions, each to its plan's quota at most. Each run raises them again. */
export async function raiseQuotas(
  { store, plans }: { readonly store: Pick<Store, "activeSubscriptionsAfter" | "lease">; readonly plans: Plans },
  month: Month,
  raise: QuotaRaise,
): Promise<QuotaRaised> {
  let calls = 0;
  let subscriptions = 0;
  let withoutPlan = 0;
  const raiseOne = async ({ id, service, plan: name }: Subscription): Promise<void> => {
    const plan = plans.find(service, name);
    if (plan === undefined) {
      withoutPlan++;
      return;
    }
    // To everybody else a leased call is a used one.
    const { granted } = await store.lease(id, month, plan.callsPerMonth, callsOf(raise, plan));
    subscriptions++;
    calls += granted;
  };
  let page: readonly Subscription[];
  let lastId = "";
  do {
    page = await store.activeSubscriptionsAfter(lastId, PAGE);
    await Promise.all(page.map(raiseOne));
    lastId = page.at(-1)?.id ?? lastId;
  } while (page.length === PAGE);
  return { subscriptions, calls, withoutPlan };
}

function callsOf(raise: QuotaRaise, { callsPerMonth, requestsPerSecond }: Plan): number {
  // One second more, for the burst.
  const calls =
    raise.by === "seconds" ? RATE_TOLERANCE * requestsPerSecond * (raise.seconds + 1) : (callsPerMonth * raise.percent) / 100;
  return Math.min(callsPerMonth, Math.ceil(calls));
}
