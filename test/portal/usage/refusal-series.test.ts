// Refused calls in the plot: which reasons have their own colour, and which colour.
import { expect, test } from "vitest";
import { refusalSeries } from "../../../portal/app/usage/refusal-series.ts";

const DAY = "2026-11-21";
const AT_MS = Date.parse(DAY);

const row = (reason: string, calls: number) => ({ outcome: reason, calls, day: DAY });

test("each reason about a plan or a key has its own colour, and all other reasons share one", () => {
  const reasons = [
    "RATE_LIMITED",
    "QUOTA_EXCEEDED",
    "SUBSCRIPTION_REQUIRED",
    "PAYMENT_FAILED",
    "KEY_REVOKED",
    "KEY_EXPIRED",
    "KEY_INVALID",
    "LIMITS_UNAVAILABLE",
    "PLAN_LIMIT",
  ];
  const rows = reasons.map((reason, index) => row(reason, 100 - index));
  expect(refusalSeries(rows, [AT_MS]).map(({ label, colour }) => [label, colour])).toEqual([
    ["Other reasons", "var(--ink-soft)"],
    ["RATE_LIMITED", "var(--bitcoin)"],
    ["QUOTA_EXCEEDED", "var(--bad)"],
    ["SUBSCRIPTION_REQUIRED", "var(--token-list)"],
    ["PAYMENT_FAILED", "var(--ink)"],
    ["KEY_REVOKED", "var(--token-price)"],
    ["KEY_EXPIRED", "var(--farkle)"],
    ["KEY_INVALID", "var(--accent)"],
  ]);
});
