import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { overPlanWarning } from "../../../portal/app/pages/subscriptions/over-plan.ts";

const FREE = { name: "free", callsPerMonth: 7460, priceMinor: 0 };
const PRO = { ...FREE, name: "pro", priceMinor: 1200 };
const resetsAt = timestampFromMs(Date.UTC(2026, 11, 1));

test.each([
  {
    of: "a free plan with fewer calls than were made",
    plan: FREE,
    counted: 279_170,
    warning:
      "You have already made 279,170 calls this month, and Free includes 7,460. Calls will be refused until December 1 (UTC).",
  },
  {
    of: "a paid plan with as many calls as were made",
    plan: PRO,
    counted: 7460,
    warning:
      "You have already made 7,460 calls this month, and Pro includes 7,460. Once Pro is active, calls will be refused until December 1 (UTC).",
  },
  { of: "a plan with calls left", plan: FREE, counted: 7459, warning: undefined },
])("before a change to $of the warning is: $warning", ({ plan, counted, warning }) => {
  expect(overPlanWarning(plan, { counted, resetsAt })).toBe(warning);
});

test("without a subscription there is no warning", () => {
  expect(overPlanWarning(FREE, undefined)).toBeUndefined();
});
