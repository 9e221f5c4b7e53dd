// What a customer is told about the plan, from the refusals of the month.
import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { type Plan, PlanSchema } from "../../../gen/quintet/account/v1/account_pb.js";
import { type AdviceInput, adviceOf } from "../../../portal/app/pages/subscriptions/advice.ts";

const plan = (name: string, callsPerMonth: number, requestsPerSecond: number): Plan =>
  create(PlanSchema, { service: "farkle", name, callsPerMonth, requestsPerSecond });
const PLANS = [plan("free", 100, 2), plan("pro", 500, 50), plan("business", 900, 200)];

const refusal = (reason: string, calls: number): AdviceInput["refusals"][number] => ({ reason, calls });
const free = { plan: "free", counted: 100, refusedForRate: 0, refusedForQuota: 0 };

interface Row {
  readonly when: string;
  readonly standing?: AdviceInput["standing"];
  readonly refusals?: AdviceInput["refusals"];
  readonly says: string | undefined;
}

const ROWS: readonly Row[] = [
  { when: "nothing was refused", standing: free, says: undefined },
  {
    when: "what was refused has nothing to do with the plan",
    standing: free,
    refusals: [refusal("KEY_REVOKED", 9), refusal("SUBSCRIPTION_REQUIRED", 4)],
    says: undefined,
  },
  {
    when: "the month was too short, and the next plan's is long enough",
    standing: { ...free, refusedForQuota: 214, sufficientRequestsPerSecond: 4 },
    says: "On pro none of your 214 refusals of this month would have happened.",
  },
  {
    when: "only the largest plan's month is long enough, to the call",
    standing: { ...free, refusedForQuota: 700, refusedForRate: 100, sufficientRequestsPerSecond: 4 },
    says: "On business none of your 800 refusals of this month would have happened.",
  },
  {
    when: "the next plan is as fast as was found sufficient",
    standing: { ...free, refusedForRate: 96, sufficientRequestsPerSecond: 50 },
    says: "On pro none of your 96 refusals of this month would have happened.",
  },
  {
    when: "the next plan may not be fast enough",
    standing: { ...free, refusedForRate: 49, sufficientRequestsPerSecond: 51 },
    says: "On business none of your 49 refusals of this month would have happened.",
  },
  {
    when: "calls that the month refused came faster than any plan surely allows",
    standing: { ...free, refusedForRate: 199, refusedForQuota: 1, sufficientRequestsPerSecond: 201 },
    says: "200 calls were refused this month: 199 by the limit of a second, 1 by that of the month. pro allows 50 calls a second in place of 2, and a month that is long enough for all of them.",
  },
  {
    when: "the server does not say what is sufficient",
    standing: { ...free, refusedForRate: 1 },
    says: "1 call was refused this month: 1 by the limit of a second, 0 by that of the month. pro allows 50 calls a second in place of 2, and a month that is long enough for all of them.",
  },
  {
    when: "no plan's month is long enough",
    standing: { ...free, refusedForQuota: 801, sufficientRequestsPerSecond: 4 },
    says: "801 calls were refused this month: 0 by the limit of a second, 801 by that of the month. business allows 200 calls a second in place of 2, and 900 calls a month.",
  },
  {
    when: "the plan is the largest",
    standing: { ...free, plan: "business", counted: 900, refusedForQuota: 1, sufficientRequestsPerSecond: 202 },
    says: "1 call was refused this month: 0 by the limit of a second, 1 by that of the month. No plan on offer is larger.",
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
  { when: "there is no subscription, and nothing was refused for that", refusals: [refusal("KEY_EXPIRED", 5)], says: undefined },
];

describe("The advice on a plan", () => {
  test.each(ROWS)("when $when", ({ standing, refusals = [], says }) => {
    expect(adviceOf({ plans: PLANS, standing, refusals })).toBe(says);
  });
});
