// The methods for subscriptions.
import type { ServiceName } from "../../catalogue/service-names.ts";
import type { Subscription } from "../../store/records.ts";
import { createSubscription, requestPlan, type SubscriptionOptions } from "../subscriptions.ts";
import { type AccountHandlers, asOwner, failOnConflict, notFound, type SignedIn } from "./handlers.ts";
import { listedSubscription, subscriptionMessage } from "./messages.ts";

const DEFAULT_PLAN = "free";

export function createSubscriptionHandlers(
  options: SubscriptionOptions,
): Pick<AccountHandlers, "listSubscriptions" | "createSubscription" | "requestPlan" | "cancelSubscription"> {
  const { store } = options;
  const optionsFor = (who: SignedIn): SubscriptionOptions => ({ ...options, store: asOwner(store, who) });
  // Waits until all servers have applied the change, but no longer than a caller should wait.
  const confirmed = async (subscription: Subscription) => subscriptionMessage(subscription, await store.acknowledged());
  const requireSubscription = async (id: string, accountId: string): Promise<Subscription> => {
    const subscription = await store.findSubscriptionById(id);
    if (subscription?.accountId !== accountId) {
      throw notFound("subscription", id);
    }
    return subscription;
  };
  return {
    async listSubscriptions({ includeCancelled = false }, { accountId }) {
      const results = await (includeCancelled ? store.listSubscriptions(accountId) : store.listCurrentSubscriptions(accountId));
      return { count: results.length, results: results.map(listedSubscription) };
    },
    async createSubscription({ service, plan = DEFAULT_PLAN }, who) {
      // The proto's rules allow no other names.
      const input = { accountId: who.accountId, service: service as ServiceName, plan };
      return { subscription: await confirmed(await failOnConflict("service", () => createSubscription(optionsFor(who), input))) };
    },
    async requestPlan({ subscriptionId, plan }, who) {
      const subscription = await requireSubscription(subscriptionId, who.accountId);
      const changed = await failOnConflict("subscription_id", () => requestPlan(optionsFor(who), subscription, plan));
      return { subscription: await confirmed(changed) };
    },
    async cancelSubscription({ subscriptionId }, who) {
      const { id } = await requireSubscription(subscriptionId, who.accountId);
      return { subscription: await confirmed(await failOnConflict("subscription_id", () => asOwner(store, who).cancel(id))) };
    },
  };
}
