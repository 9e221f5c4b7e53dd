// The advice about a customer's plan, based on the month's refusals.
import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { type Plan, PlanSchema } from "../../../gen/quintet/account/v1/status_pb.js";
import { type AdviceInput, adviceOf } from "../../../portal/app/pages/subscriptions/advice.ts";

const plan = (name: string, priceMinor: number, callsPerMonth: number, requestsPerSecond: number): Plan =>
  create(PlanSchema, { service: "farkle", name, priceMinor, currency: "EUR", callsPerMonth, requestsPerSecond });
const PLANS = [plan("free", 0, 100, 2), plan("pro", 1290, 500, 50), plan("business", 4000, 900, 200)];

const refusal = (reason: string, calls: number): AdviceInput["refusals"][number] => ({ outcome: reason, calls });
const free = { plan: "free", counted: 100, refusedForRate: 0, refusedForQuota: 0 };

interface Row {
  readonly when: string;
  readonly standing?: AdviceInput["standing"];
  readonly refusals?: AdviceInput["refusals"];
  readonly says: string | undefined;
  /** The plan that the advice leads to. */
  readonly leadsTo?: string;
}

const ROWS: readonly Row[] = [
  { when: "nothing was refused", standing: free, says: undefined },
  {
    when: "the refusals have nothing to do with the plan",
    standing: free,
    refusals: [refusal("KEY_REVOKED", 9), refusal("SUBSCRIPTION_REQUIRED", 4)],
    says: undefined,
  },
  {
    when: "the monthly quota was too small, and the next plan's is sufficient",
    standing: { ...free, refusedForQuota: 214, sufficientRequestsPerSecond: 4 },
    says: "Pro (€12.90 a month) would have admitted all of this month's 214 refused calls.",
    leadsTo: "pro",
  },
  {
    when: "only the largest plan's monthly quota is sufficient, to the call",
    standing: { ...free, refusedForQuota: 700, refusedForRate: 100, sufficientRequestsPerSecond: 4 },
    says: "Business (€40 a month) would have admitted all of this month's 800 refused calls.",
    leadsTo: "business",
  },
  {
    when: "the next plan's rate is exactly the one found sufficient",
    standing: { ...free, refusedForRate: 96, sufficientRequestsPerSecond: 50 },
    says: "Pro (€12.90 a month) would have admitted all of this month's 96 refused calls.",
    leadsTo: "pro",
  },
  {
    when: "the next plan's rate is sufficient unless all calls arrived at once",
    standing: { ...free, refusedForRate: 49, sufficientRequestsPerSecond: 51 },
    says: "Pro (€12.90 a month) would have admitted most or all of this month's 49 refused calls.",
    leadsTo: "pro",
  },
  {
    when: "calls were spread evenly, at exactly the next plan's rate",
    standing: { ...free, refusedForRate: 300, sufficientRequestsPerSecond: 98 },
    says: "Pro (€12.90 a month) would have admitted most or all of this month's 300 refused calls.",
    leadsTo: "pro",
  },
  {
    when: "calls arrived a little faster than the next plan's rate",
    standing: { ...free, refusedForRate: 300, sufficientRequestsPerSecond: 99 },
    says: "Business (€40 a month) would have admitted all of this month's 300 refused calls.",
    leadsTo: "business",
  },
  {
    when: "calls refused by the quota arrived faster than any plan allows",
    standing: { ...free, refusedForRate: 199, refusedForQuota: 1, sufficientRequestsPerSecond: 399 },
    says: "200 calls were refused this month: 199 by the rate limit, 1 by the monthly quota. Pro (€12.90 a month) allows 50 requests per second instead of 2, and enough calls per month.",
    leadsTo: "pro",
  },
  {
    when: "only the quota refused calls, which then arrived faster than the cheapest sufficient plan allows",
    standing: { ...free, refusedForQuota: 300, sufficientRequestsPerSecond: 302 },
    says: "300 calls were refused this month by the monthly quota. Pro (€12.90 a month) allows 50 requests per second instead of 2, and enough calls per month.",
    leadsTo: "pro",
  },
  {
    when: "the server does not say which rate is sufficient",
    standing: { ...free, refusedForRate: 1 },
    says: "1 call was refused this month by the rate limit. Pro (€12.90 a month) allows 50 requests per second instead of 2, and enough calls per month.",
    leadsTo: "pro",
  },
  {
    when: "no plan's monthly quota is sufficient",
    standing: { ...free, refusedForQuota: 801, sufficientRequestsPerSecond: 4 },
    says: "801 calls were refused this month by the monthly quota. Business (€40 a month) allows 200 requests per second instead of 2, and 900 calls per month.",
    leadsTo: "business",
  },
  {
    when: "the plan is the largest",
    standing: { ...free, plan: "business", counted: 900, refusedForQuota: 1, sufficientRequestsPerSecond: 602 },
    says: "1 call was refused this month by the monthly quota. There is no larger plan.",
  },
  {
    when: "the plan is no longer on offer",
    standing: { ...free, plan: "old", refusedForQuota: 1, sufficientRequestsPerSecond: 4 },
    says: undefined,
  },
  {
    when: "there is no subscription",
    refusals: [refusal("SUBSCRIPTION_REQUIRED", 12), refusal("KEY_EXPIRED", 5)],
    says: "12 calls were refused this month because you had no active subscription.",
  },
  {
    when: "there is no subscription, and nothing was refused because of that",
    refusals: [refusal("KEY_EXPIRED", 5)],
    says: undefined,
  },
];

describe("The advice on a plan", () => {
  test.each(ROWS)("when $when", ({ standing, refusals = [], says, leadsTo }) => {
    const advice = adviceOf({ plans: PLANS, standing, refusals });
    expect([advice?.message, advice?.plan?.name]).toEqual([says, leadsTo]);
  });

  test("is the cheapest plan that fits, wherever the operator lists it", () => {
    const standing = { ...free, refusedForQuota: 214, sufficientRequestsPerSecond: 4 };
    const advice = adviceOf({ plans: PLANS.toReversed(), standing, refusals: [] });
    expect(advice?.plan?.name).toBe("pro");
  });
});
