// The methods for payments by card.
import { isFree, type Plan } from "../../catalogue/plan.ts";
import type { Plans } from "../../catalogue/plans.ts";
import type { ServiceName } from "../../catalogue/service-names.ts";
import { Failure } from "../../problem/failure.ts";
import { invalidArgument } from "../../problem/problem.ts";
import type { AdminStore } from "../../store/store.ts";
import { StoreConflict, StoreUnavailable } from "../../store/store-errors.ts";
import { type Billing, BillingConflict, CardDeclined } from "../billing.ts";
import { paymentsUnavailable, sessionInvalid, stateForbids } from "../refusals.ts";
import { requirePlan } from "../subscriptions.ts";
import type { AccountHandlers } from "./handlers.ts";

interface BillingHandlerOptions {
  readonly store: AdminStore;
  readonly plans: Plans;
  readonly billing?: Billing | undefined;
}

/** Runs work that may ask Stripe. What Stripe refuses becomes a Failure that names `subject`, a field of the input or the account. */
export async function failOnPayment<Result>(subject: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure || error instanceof StoreUnavailable || error instanceof StoreConflict) {
      throw error;
    }
    if (error instanceof BillingConflict) {
      throw new Failure(stateForbids(subject, error.message));
    }
    if (error instanceof CardDeclined) {
      throw new Failure({ reason: "PAYMENT_FAILED", message: "The card was declined. Use another card, and try again." });
    }
    throw new Failure({ ...paymentsUnavailable(), cause: error });
  }
}

export function createBillingHandlers({
  store,
  plans,
  billing,
}: BillingHandlerOptions): Pick<AccountHandlers, "createCheckout" | "createPortalSession" | "previewChange"> {
  const requireBilling = (): Billing => {
    if (billing === undefined) {
      throw new Failure(stateForbids("server", "This server takes no cards. Request the plan, and its operator activates it."));
    }
    return billing;
  };
  const requirePaidPlan = (service: string, name: string): Plan => {
    const plan = requirePlan(plans, service as ServiceName, name);
    if (isFree(plan)) {
      throw new Failure(
        invalidArgument([{ field: "plan", description: "must be a paid plan; SetSubscription chooses a free one" }]),
      );
    }
    return plan;
  };
  return {
    async createCheckout({ service, plan }, { accountId }) {
      const provider = requireBilling();
      const wanted = requirePaidPlan(service, plan);
      const account = await store.findAccount(accountId);
      if (account === undefined) {
        throw new Failure(sessionInvalid());
      }
      return { url: await failOnPayment("service", () => provider.checkout(account, wanted)) };
    },
    async createPortalSession(_, { accountId }) {
      const provider = requireBilling();
      return { url: await failOnPayment("account", () => provider.portal(accountId)) };
    },
    async previewChange({ service, plan }, { accountId }) {
      const provider = requireBilling();
      const wanted = requirePaidPlan(service, plan);
      const amount = await failOnPayment("service", () => provider.preview(accountId, wanted));
      return { amountMinor: BigInt(amount), currency: wanted.currency };
    },
  };
}
