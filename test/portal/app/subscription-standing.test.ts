import { describe, expect, test } from "vitest";
import { type CardPayment, type Subscription, SubscriptionState } from "../../../gen/quintet/account/v1/account_pb.js";
import { priceOfChange } from "../../../portal/app/pages/subscriptions/plan-terms.ts";
import { initialPlan, standingOf, wayTo } from "../../../portal/app/pages/subscriptions/standing.ts";

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

describe("the plan that is chosen first", () => {
  const PLANS = [
    { name: "free", priceMinor: 0 },
    { name: "mega", priceMinor: 4000 },
    { name: "pro", priceMinor: 1200 },
  ];
  test.each([
    { of: "a new customer", given: {}, wanted: undefined, chosen: "free" },
    { of: "a new customer who asked for one", given: {}, wanted: "pro", chosen: "pro" },
    { of: "a customer of the free plan", given: { current: "free" }, wanted: undefined, chosen: "pro" },
    { of: "a customer of a paid plan", given: { current: "pro" }, wanted: undefined, chosen: "mega" },
    { of: "a customer of a paid plan who asked for a smaller one", given: { current: "pro" }, wanted: "free", chosen: "free" },
    {
      of: "a customer of the largest plan, who must not land on the free one,",
      given: { current: "mega" },
      wanted: "mega",
      chosen: undefined,
    },
    { of: "a customer of a plan that is no longer on offer", given: { current: "old" }, wanted: undefined, chosen: undefined },
    { of: "a customer who has requested the next one", given: { current: "free", waiting: "pro" }, wanted: "pro", chosen: "mega" },
  ])("by $of is $chosen", ({ given, wanted, chosen }) => {
    expect(initialPlan(PLANS, { current: undefined, waiting: undefined, ...given }, wanted)?.name).toBe(chosen);
  });
});

test.each([
  { priceMinor: 0, paidByCard: false, takesCards: true, way: "free" },
  { priceMinor: 800, paidByCard: false, takesCards: false, way: "request" },
  { priceMinor: 800, paidByCard: false, takesCards: true, way: "buy" },
  { priceMinor: 800, paidByCard: true, takesCards: true, way: "change" },
  { priceMinor: 0, paidByCard: true, takesCards: true, way: "end" },
])(
  "a plan at $priceMinor, where cards are taken: $takesCards, and the current plan is paid by card: $paidByCard, is a matter of $way",
  ({ priceMinor, paidByCard, takesCards, way }) => {
    const subscription = paidByCard ? { cardPayment: {} as CardPayment } : undefined;
    expect(wayTo({ priceMinor }, subscription, takesCards)).toBe(way);
  },
);

test.each([
  {
    amountMinor: 1650n,
    text: "Your card is charged €16.50 now, for the rest of the paid month. Calls already used this month still count.",
  },
  {
    amountMinor: -800n,
    text: "€8 is credited to your next invoices, for the rest of the paid month. Calls already used this month still count.",
  },
])("a change that costs $amountMinor says so", ({ amountMinor, text }) => {
  expect(priceOfChange({ amountMinor, currency: "EUR" })).toBe(text);
});
