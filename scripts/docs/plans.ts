// The tables of plans, made from the built-in plan file.
import { entitlementWords } from "../../src/catalogue/entitlements.ts";
import type { Plan } from "../../src/catalogue/plan.ts";
import { loadPlans } from "../../src/catalogue/plans.ts";
import { code, table } from "./markdown.ts";

const includedIn = ({ service, entitlements }: Plan): string => entitlementWords(service, entitlements);

const price = ({ priceMinor, currency }: Plan): string => `${(priceMinor / 100).toFixed(2)} ${currency}`;

/** The plans of one service. */
export function plansTable(service: string): string {
  const plans = loadPlans(undefined).all.filter((plan) => plan.service === service);
  const hasMore = plans.some((plan) => includedIn(plan) !== "");
  const rows = plans.map((plan) => [
    code(plan.name),
    price(plan),
    String(plan.callsPerMonth),
    String(plan.requestsPerSecond),
    ...(hasMore ? [includedIn(plan)] : []),
  ]);
  const headings = ["plan", "price a month", "calls a month", "requests a second"];
  return table(hasMore ? [...headings, "includes"] : headings, rows);
}
