import { expect, test } from "vitest";
import { type Subscription, SubscriptionState } from "../../../gen/quintet/account/v1/account_pb.js";
import { standingOf } from "../../../portal/app/pages/subscriptions/standing.ts";

const { ACTIVE, REQUESTED } = SubscriptionState;

test.each([
  { of: "no subscription", given: undefined, standing: { action: "subscribe" } },
  { of: "an active plan", given: { state: ACTIVE, plan: "free" }, standing: { current: "free", action: "switch" } },
  {
    of: "an active plan and one that waits",
    given: { state: ACTIVE, plan: "free", requestedPlan: "pro" },
    standing: { current: "free", waiting: "pro", action: "withdraw" },
  },
  { of: "a first plan that waits", given: { state: REQUESTED, plan: "pro" }, standing: { waiting: "pro", action: "withdraw" } },
])("$of has one next action", ({ given, standing }) => {
  expect(standingOf(given as Subscription | undefined)).toEqual({ current: undefined, waiting: undefined, ...standing });
});
