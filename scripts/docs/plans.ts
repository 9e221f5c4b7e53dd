// The tables of plans, made from the built-in plan file.
import { entitlementWords } from "../../src/catalogue/entitlements.ts";
import { decimalsOf } from "../../src/catalogue/money.ts";
import type { Plan } from "../../src/catalogue/plan.ts";
import { loadPlans } from "../../src/catalogue/plans.ts";
import { SERVICE_NAMES, SERVICES, type ServiceName } from "../../src/catalogue/service-names.ts";
import { code, table } from "./markdown.ts";

const includedIn = ({ service, entitlements }: Plan): string => entitlementWords(service, entitlements);

const NUMBER = new Intl.NumberFormat("en-US");

function price({ priceMinor, currency }: Plan): string {
  const format = new Intl.NumberFormat("en-US", { style: "currency", currency, trailingZeroDisplay: "stripIfInteger" });
  return priceMinor === 0 ? "free" : format.format(priceMinor / 10 ** decimalsOf(currency));
}

/** The plans of one service, or of every service, each under its name. */
export function plansTables(service: string): string {
  if (service === "") {
    return SERVICE_NAMES.map((name) => `### ${SERVICES[name].title}\n\n${plansTable(name)}`).join("\n\n");
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
    NUMBER.format(plan.callsPerMonth),
    NUMBER.format(plan.requestsPerSecond),
    ...(hasMore ? [includedIn(plan)] : []),
  ]);
  const headings = ["plan", "price per month", "calls per month", "requests per second"];
  return table(hasMore ? [...headings, "includes"] : headings, rows);
}
