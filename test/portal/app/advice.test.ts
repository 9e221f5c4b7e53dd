// What a customer is told about the plan, from the refusals of the month.
import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { type Plan, PlanSchema } from "../../../gen/quintet/account/v1/account_pb.js";
import { type AdviceInput, adviceOf } from "../../../portal/app/pages/subscriptions/advice.ts";

const plan = (name: string, callsPerMonth: number, requestsPerSecond: number): Plan =>
  create(PlanSchema, { service: "farkle", name, callsPerMonth, requestsPerSecond });
const PLANS = [plan("free", 100, 2), plan("pro", 500, 50), plan("business", 900, 200)];

const refusal = (day: number, reason: string, calls: number): AdviceInput["refusals"][number] => ({
  day: `2026-11-${String(day).padStart(2, "0")}`,
  reason,
  calls,
});
const free = { plan: "free", counted: 100 };

interface Row {
  readonly when: string;
  readonly standing?: AdviceInput["standing"];
  readonly refusals: AdviceInput["refusals"];
  readonly says: string | undefined;
}

const ROWS: readonly Row[] = [
  { when: "nothing was refused", standing: free, refusals: [], says: undefined },
  {
    when: "what was refused has nothing to do with the plan",
    standing: free,
    refusals: [refusal(3, "KEY_REVOKED", 9), refusal(3, "SUBSCRIPTION_REQUIRED", 4)],
    says: undefined,
  },
  {
    when: "the month was too short, and the next plan's is long enough",
    standing: free,
    refusals: [refusal(20, "QUOTA_EXCEEDED", 214)],
    says: "On pro none of your 214 refusals of this month would have happened.",
  },
  {
    when: "only the largest plan's month is long enough, to the call",
    standing: free,
    refusals: [refusal(20, "QUOTA_EXCEEDED", 800)],
    says: "On business none of your 800 refusals of this month would have happened.",
  },
  {
    when: "as many were refused by the second as the next plan lets in beside the present one",
    standing: free,
    refusals: [refusal(3, "RATE_LIMITED", 48), refusal(5, "RATE_LIMITED", 48)],
    says: "On pro none of your 96 refusals of this month would have happened.",
  },
  {
    when: "one more was refused in a day, so the next plan may not have let it in",
    standing: free,
    refusals: [refusal(3, "RATE_LIMITED", 49)],
    says: "On business none of your 49 refusals of this month would have happened.",
  },
  {
    when: "a burst may have gone on over midnight",
    standing: free,
    refusals: [refusal(3, "RATE_LIMITED", 48), refusal(4, "RATE_LIMITED", 1)],
    says: "On business none of your 49 refusals of this month would have happened.",
  },
  {
    when: "too many were refused by the second to be certain of any plan",
    standing: free,
    refusals: [refusal(3, "RATE_LIMITED", 199), refusal(9, "QUOTA_EXCEEDED", 1)],
    says: "200 calls were refused this month: 199 by the limit of a second, 1 by that of the month. pro allows 50 calls a second in place of 2, and a month that is long enough for all of them.",
  },
  {
    when: "no plan's month is long enough",
    standing: free,
    refusals: [refusal(9, "QUOTA_EXCEEDED", 801)],
    says: "801 calls were refused this month: 0 by the limit of a second, 801 by that of the month. business allows 200 calls a second in place of 2, and 900 calls a month.",
  },
  {
    when: "the plan is the largest",
    standing: { plan: "business", counted: 900 },
    refusals: [refusal(9, "QUOTA_EXCEEDED", 1)],
    says: "1 call was refused this month: 0 by the limit of a second, 1 by that of the month. No plan on offer is larger.",
  },
  {
    when: "the plan is no longer on offer",
    standing: { plan: "old", counted: 1 },
    refusals: [refusal(9, "QUOTA_EXCEEDED", 1)],
    says: undefined,
  },
  {
    when: "there is no subscription",
    refusals: [refusal(9, "SUBSCRIPTION_REQUIRED", 12), refusal(9, "KEY_EXPIRED", 5)],
    says: "12 calls were refused this month because you had no active subscription.",
  },
  { when: "there is no subscription, and nothing was refused for that", refusals: [refusal(9, "KEY_EXPIRED", 5)], says: undefined },
];

describe("The advice on a plan", () => {
  test.each(ROWS)("when $when", ({ standing, refusals, says }) => {
    expect(adviceOf({ plans: PLANS, standing, refusals })).toBe(says);
  });
});
