// Warns at startup about plans that have subscribers but are no longer in the plan file. Calls of those subscribers are refused, because
// their limits are unknown. The server starts anyway: one missing plan must not stop the service for all other customers.
import type { Plans } from "../catalogue/plans.ts";
import type { Log } from "../runtime/log.ts";
import type { AdminStore } from "../store/store.ts";

/** Writes a warning for each such plan. Rejects if the store does. */
export async function warnOfWithdrawnPlans(
  store: Pick<AdminStore, "plansInUse" | "subscriberCount">,
  plans: Plans,
  log: Log,
): Promise<void> {
  for (const { service, plan } of await store.plansInUse()) {
    if (plans.find(service, plan) === undefined) {
      const subscribers = await store.subscriberCount({ service, plan });
      log.warn(
        { service, plan, subscribers },
        "a plan that is in use is not in the plan file: its subscribers' calls are refused until the plan is put back, or `quintet subscription activate` moves them to another plan",
      );
    }
  }
}
