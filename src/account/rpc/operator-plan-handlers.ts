// What operators do with subscriptions: they activate or decline requested plans, and credit calls on top of a plan's.
import { type OperatorService, SubscriptionDecision } from "../../../gen/quintet/operator/v1/operator_pb.js";
import type { Plans } from "../../catalogue/plans.ts";
import { Failure } from "../../problem/failure.ts";
import { invalidArgument } from "../../problem/problem.ts";
import { dayAt } from "../../runtime/calendar.ts";
import type { Clock } from "../../runtime/clock.ts";
import { hasControlCharacter, NO_CONTROL_CHARACTERS } from "../../runtime/control-characters.ts";
import type { Subscription } from "../../store/records.ts";
import type { AdminStore } from "../../store/store.ts";
import { stateForbids } from "../refusals.ts";
import { activatePlan, pendingPlan } from "../subscriptions.ts";
import { failOnConflict, type Handlers, pageOf, type SignedIn } from "./handlers.ts";
import { accountMessage, confirmation, listedSubscription, subscriptionMessage } from "./messages.ts";
import type { OperatorAccess } from "./operator-access.ts";

const PAGE_LIMIT = 50;

type PlanHandlers = Pick<
  Handlers<typeof OperatorService, SignedIn>,
  "listWaitingSubscriptions" | "decideSubscription" | "creditQuota"
>;

/** The handlers. `who` is an operator. */
export function createOperatorPlanHandlers({
  store,
  plans,
  clock,
  access: { storeForChange, requireSubscription },
}: {
  readonly store: AdminStore;
  readonly plans: Plans;
  readonly clock: Pick<Clock, "nowMs">;
  readonly access: OperatorAccess;
}): PlanHandlers {
  const confirmed = async (subscription: Subscription) => subscriptionMessage(subscription, await store.acknowledged());
  return {
    async listWaitingSubscriptions({ limit = PAGE_LIMIT, offset }) {
      const query = { includeCancelled: false, pendingOnly: true, limit, offset };
      const { total, rows } = await store.subscriptionPage(query);
      const results = rows.map(({ account, subscription }) => ({
        account: accountMessage(account),
        subscription: listedSubscription(subscription),
        waitingPlan: pendingPlan(subscription) ?? "",
      }));
      return { ...pageOf(rows.length, total, offset), results };
    },
    async decideSubscription({ subscriptionId, decision, plan }, who) {
      const isDeclined = decision === SubscriptionDecision.DECLINE;
      if (isDeclined && plan !== undefined) {
        throw new Failure(invalidArgument([{ field: "plan", description: "is only for the decision to activate" }]));
      }
      const subscription = await requireSubscription(subscriptionId);
      const changed = storeForChange(who);
      const decide = () =>
        isDeclined ? changed.declinePlan(subscription.id) : activatePlan({ store: changed, plans }, subscription, plan);
      return { subscription: await confirmed(await failOnConflict("subscription_id", decide)) };
    },
    async creditQuota({ subscriptionId, calls, reason }, who) {
      if (hasControlCharacter(reason)) {
        throw new Failure(invalidArgument([{ field: "reason", description: NO_CONTROL_CHARACTERS }]));
      }
      const subscription = await requireSubscription(subscriptionId);
      if (subscription.state === "cancelled") {
        throw new Failure(stateForbids("subscription_id", "The subscription is cancelled, so credited calls could not be used."));
      }
      const { month } = dayAt(clock.nowMs());
      const credit = () => storeForChange(who).credit(subscriptionId, month, calls, reason);
      const { service, credited } = await failOnConflict("calls", credit);
      return { service, month, calls, credited, ...confirmation(await store.acknowledged()) };
    },
  };
}
