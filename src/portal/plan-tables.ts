// The running server's plans as tables, for the plans page and for the same page as Markdown.
import { entitlementWords } from "../catalogue/entitlements.ts";
import { decimalsOf, moneyText } from "../catalogue/money.ts";
import type { Plan } from "../catalogue/plan.ts";
import type { Plans } from "../catalogue/plans.ts";
import { SERVICE_NAMES, SERVICES, type ServiceName } from "../catalogue/service-names.ts";

/** The value of `data-place` on the element that the tables go into. */
export const PLANS_PLACE = "plans";

/** The placeholder for the tables in the Markdown of the plans page. */
export const PLANS_MARKDOWN_PLACE = "<!-- plans -->";

const HEADINGS = ["plan", "price a month", "calls a month", "requests a second"];
const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

// Shown without scripts. With scripts, the page formats numbers for the reader's language.
const number = (value: number): string => `<data value="${value}">${String(value).replace(/\B(?=(\d{3})+$)/g, ",")}</data>`;

const price = ({ priceMinor, currency }: Plan): string =>
  `<data value="${priceMinor / 10 ** decimalsOf(currency)}" data-currency="${currency}">${moneyText(priceMinor, currency)}</data>`;

function tableOf(service: ServiceName, plans: readonly Plan[]): string {
  const includes = plans.map((plan) => entitlementWords(service, plan.entitlements));
  const hasMore = includes.some((words) => words !== "");
  const headings = [...HEADINGS, ...(hasMore ? ["includes"] : [])];
  const rows = plans.map((plan, index) => {
    const figures = [price(plan), number(plan.callsPerMonth), number(plan.requestsPerSecond)];
    const more = hasMore ? [escaped(includes[index] ?? "")] : [];
    // A narrow screen shows each plan as a list, with each cell's heading beside it.
    const cells = [...figures, ...more].map((cell, column) => `<td data-heading="${headings[column + 1]}">${cell}</td>`);
    return `<tr><th scope="row">${escaped(plan.name)}</th>${cells.join("")}</tr>`;
  });
  const head = `<thead><tr>${headings.map((heading) => `<th scope="col">${heading}</th>`).join("")}</tr></thead>`;
  const table = `<table class="stacked">${head}<tbody>${rows.join("")}</tbody></table>`;
  const { title } = SERVICES[service];
  return `<h2 id="${service}">${title}</h2><section class="table" aria-label="Plans of ${title}" tabindex="0">${table}</section>`;
}

/** A table for each service that has plans. */
export const planTables = (plans: Plans): string =>
  SERVICE_NAMES.map((service) => [service, plans.all.filter((plan) => plan.service === service)] as const)
    .filter(([, own]) => own.length > 0)
    .map(([service, own]) => tableOf(service, own))
    .join("");

/** The same as Markdown. */
export const planTablesMarkdown = (plans: Plans): string =>
  SERVICE_NAMES.map((service) => [service, plans.all.filter((plan) => plan.service === service)] as const)
    .filter(([, own]) => own.length > 0)
    .map(([service, own]) => markdownOf(service, own))
    .join("\n\n");

function markdownOf(service: ServiceName, plans: readonly Plan[]): string {
  const rows = plans.map(({ name, priceMinor, currency, callsPerMonth, requestsPerSecond, entitlements }) =>
    [name, moneyText(priceMinor, currency), callsPerMonth, requestsPerSecond, entitlementWords(service, entitlements)].join(" | "),
  );
  const lines = [[...HEADINGS, "includes"].join(" | "), [...HEADINGS, "includes"].map(() => "---").join(" | "), ...rows];
  return `## ${SERVICES[service].title}\n\n${lines.map((line) => `| ${line} |`).join("\n")}`;
}
