// Decides when a paid plan may begin. A payment provider implements this: it requests the payment and says immediately whether the plan is
// active, or whether an operator or the provider's own callback will activate the subscription later.
import type { Plan } from "../catalogue/plan.ts";
import type { Subscription } from "../store/records.ts";

export interface Payments {
  /**
   * The customer has requested `plan` for a stored subscription, which is pending. `active`: the plan may begin now. `requested`: it will
   * be activated later. Rejects if the request could not be made; the subscription then stays pending.
   */
  request(subscription: Subscription, plan: Plan): Promise<"active" | "requested">;
}

/** Without a provider, every paid plan stays pending until `quintet subscription activate`. */
export const activatedByOperator: Payments = { request: () => Promise.resolve("requested") };
