// Who decides that a paid plan may begin. A payment provider implements this: it asks for the money and says at once whether the plan is active,
// or whether an operator or the provider's own callback will activate the subscription later.
import type { Plan } from "../catalogue/plan.ts";
import type { Subscription } from "../store/records.ts";

/** A payment provider. */
export interface Payments {
  /**
   * The customer wants `plan` for a subscription that is stored already, waiting. `active`: the plan may begin now. `requested`: somebody
   * will activate it. Rejects when the request could not be made; the subscription then still waits.
   */
  request(subscription: Subscription, plan: Plan): Promise<"active" | "requested">;
}

/** No provider: every paid plan waits for `quintet subscription activate`. */
export const activatedByOperator: Payments = { request: () => Promise.resolve("requested") };
