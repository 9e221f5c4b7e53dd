// The plan of the customers in the test of alerts.
import { HIGHEST_ENTITLEMENTS } from "../../../src/catalogue/entitlements.ts";
import type { Plan } from "../../../src/catalogue/plan.ts";

export const CALLS_PER_MONTH = 1000;

export const ALERT_PLANS: readonly Plan[] = [
  {
    id: "radio/free/1",
    ...{ service: "radio", name: "free", priceMinor: 0, currency: "EUR", callsPerMonth: CALLS_PER_MONTH, requestsPerSecond: 1 },
    entitlements: HIGHEST_ENTITLEMENTS,
  },
];
