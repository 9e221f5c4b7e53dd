// The tables of plans, made from the built-in plan file.
import { entitlementWords } from "../../src/catalogue/entitlements.ts";
import type { Plan } from "../../src/catalogue/plan.ts";
import { loadPlans } from "../../src/catalogue/plans.ts";
import { SERVICE_NAMES, type ServiceName } from "../../src/catalogue/service-names.ts";
import { code, table } from "./markdown.ts";

const includedIn = ({ service, entitlements }: Plan): string => entitlementWords(service, entitlements);

const price = ({ priceMinor, currency }: Plan): string => `${(priceMinor / 100).toFixed(2)} ${currency}`;

/** The plans of one service, or of every service, each under its name. */
export function plansTables(service: string): string {
  if (service === "") {
    return SERVICE_NAMES.map((name) => `### ${name}\n\n${plansTable(name)}`).join("\n\n");
  }
  const found = SERVICE_NAMES.find((name) => name === service);
  if (found === undefined) {
    throw new Error(`There is no service ${service} with plans.`);
  }
  return plansTable(found);
}

function plansTable(service: ServiceName): string {
  const plans = loadPlans(undefined).of(service);
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
