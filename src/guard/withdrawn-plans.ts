// Says at a start which plans are not in the plan file any more and still have subscribers. Their calls are refused, for nobody knows what they
// were promised. The server starts all the same: one plan that is missing must not keep all other customers from being served.

import type { Plans } from "../catalogue/plans.ts";
import type { Log } from "../runtime/log.ts";
import type { AdminStore } from "../store/store.ts";

/** Writes a warning for each such plan. Rejects as the store does. */
export async function warnOfWithdrawnPlans(store: Pick<AdminStore, "planSubscribers">, plans: Plans, log: Log): Promise<void> {
  for (const { service, plan, subscribers } of await store.planSubscribers()) {
    if (plans.find(service, plan) === undefined) {
      log.warn(
        { service, plan, subscribers },
        "a plan that is in use is not in the plan file: calls of its subscribers are refused until it is put back, or `quintet subscription activate` puts them on another",
      );
    }
  }
}
