// The methods for subscriptions.
import type { ServiceName } from "../../catalogue/service-names.ts";
import { Failure } from "../../problem/failure.ts";
import type { Subscription } from "../../store/records.ts";
import { type SubscriptionOptions, setSubscription } from "../subscriptions.ts";
import { failOnPayment } from "./billing-handlers.ts";
import { type AccountHandlers, asOwner, failOnConflict, type SignedIn } from "./handlers.ts";
import { listedSubscription, subscriptionMessage } from "./messages.ts";

export function createSubscriptionHandlers(
  options: SubscriptionOptions,
): Pick<AccountHandlers, "listSubscriptions" | "setSubscription" | "cancelSubscription"> {
  const { store } = options;
  const optionsFor = (who: SignedIn): SubscriptionOptions => ({ ...options, store: asOwner(store, who) });
  // Waits until all servers have applied the change, but no longer than a caller should wait.
  const confirmed = async (subscription: Subscription) => subscriptionMessage(subscription, await store.acknowledged());
  return {
    async listSubscriptions({ includeCancelled = false }, { accountId }) {
      const results = await (includeCancelled ? store.listSubscriptions(accountId) : store.listCurrentSubscriptions(accountId));
      const payments = options.billing === undefined ? [] : await store.livePayments(accountId);
      return {
        results: results.map((each) =>
          listedSubscription(
            each,
            payments.find(({ isGranted, subscriptionId }) => isGranted && subscriptionId === each.id),
          ),
        ),
      };
    },
    // The proto's rules allow no other names of services.
    async setSubscription({ service, plan }, who) {
      const input = { accountId: who.accountId, service: service as ServiceName, plan };
      return {
        subscription: await confirmed(
          await failOnPayment("service", () => failOnConflict("service", () => setSubscription(optionsFor(who), input))),
        ),
      };
    },
    async cancelSubscription({ service }, who) {
      const subscription = await store.findSubscription(who.accountId, service as ServiceName);
      if (subscription === undefined) {
        throw new Failure({ reason: "NOT_FOUND", message: `The account has no subscription to ${service}.` });
      }
      await failOnPayment("service", async () => options.billing?.end(who.accountId, subscription.service));
      return { subscription: await confirmed(await failOnConflict("service", () => asOwner(store, who).cancel(subscription.id))) };
    },
  };
}
