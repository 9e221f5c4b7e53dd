// The running server's plans as Markdown tables, for the plans page in that format.
import { entitlementWords } from "../catalogue/entitlements.ts";
import { moneyText } from "../catalogue/money.ts";
import type { Plan } from "../catalogue/plan.ts";
import type { Plans } from "../catalogue/plans.ts";
import { SERVICE_NAMES, SERVICES, type ServiceName } from "../catalogue/service-names.ts";

/** The placeholder for the tables in the Markdown of the plans page. */
export const PLANS_MARKDOWN_PLACEHOLDER = "<!-- plans -->";

const HEADINGS = ["plan", "price per month", "calls per month", "requests per second", "includes"];

/** A table for each service that has plans. */
export const planTablesMarkdown = (plans: Plans): string =>
  SERVICE_NAMES.map((service) => [service, plans.all.filter((plan) => plan.service === service)] as const)
    .filter(([, own]) => own.length > 0)
    .map(([service, own]) => markdownOf(service, own))
    .join("\n\n");

function markdownOf(service: ServiceName, plans: readonly Plan[]): string {
  const rows = plans.map(({ name, priceMinor, currency, callsPerMonth, requestsPerSecond, entitlements }) => {
    const price = priceMinor === 0 ? "free" : moneyText(priceMinor, currency);
    return [name, price, callsPerMonth, requestsPerSecond, entitlementWords(service, entitlements)].join(" | ");
  });
  const lines = [HEADINGS.join(" | "), HEADINGS.map(() => "---").join(" | "), ...rows];
  return `## ${SERVICES[service].title}\n\n${lines.map((line) => `| ${line} |`).join("\n")}`;
}
