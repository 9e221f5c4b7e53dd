import { expect, test } from "vitest";
import { quotaOf } from "../../../portal/app/usage/quota.ts";

test.for([
  { case: "nothing used", given: { callsPerMonth: 650, counted: 0, remaining: 650 }, found: { share: 0, state: "open" } },
  {
    case: "a call less than 80 %",
    given: { callsPerMonth: 100, counted: 79, remaining: 21 },
    found: { share: 0.79, state: "open" },
  },
  { case: "80 %", given: { callsPerMonth: 100, counted: 80, remaining: 20 }, found: { share: 0.8, state: "nearly" } },
  {
    case: "one call left",
    given: { callsPerMonth: 650, counted: 649, remaining: 1 },
    found: { share: 649 / 650, state: "nearly" },
  },
  { case: "650 of 650", given: { callsPerMonth: 650, counted: 650, remaining: 0 }, found: { share: 1, state: "usedUp" } },
  {
    case: "all leased and not counted yet",
    given: { callsPerMonth: 10, counted: 3, remaining: 0 },
    found: { share: 1, state: "usedUp" },
  },
  {
    case: "calls added by the operator",
    given: { callsPerMonth: 100, counted: 100, remaining: 100 },
    found: { share: 0.5, state: "open" },
  },
  { case: "a plan that is no longer on offer", given: { counted: 5 }, found: undefined },
] as const)("a quota: $case", ({ given, found }) => {
  expect(quotaOf(given)).toEqual(found);
});
