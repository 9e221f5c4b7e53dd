// The plans of the running server as HTML tables, for the page of plans.
import { entitlementWords } from "../catalogue/entitlements.ts";
import { decimalsOf, moneyText } from "../catalogue/money.ts";
import type { Plan } from "../catalogue/plan.ts";
import type { Plans } from "../catalogue/plans.ts";
import { SERVICE_NAMES, SERVICE_TITLES, type ServiceName } from "../catalogue/service-names.ts";

/** What marks the element that the tables go into: `data-place`. */
export const PLANS_PLACE = "plans";

const HEADINGS = ["plan", "price a month", "calls a month", "requests a second"];
const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

// What a reader without scripts sees; with scripts the page says numbers as the reader's language does.
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
    // A narrow screen shows each plan as a list, in which a cell has its heading beside it.
    const cells = [...figures, ...more].map((cell, column) => `<td data-heading="${headings[column + 1]}">${cell}</td>`);
    return `<tr><th scope="row">${escaped(plan.name)}</th>${cells.join("")}</tr>`;
  });
  const head = `<thead><tr>${headings.map((heading) => `<th scope="col">${heading}</th>`).join("")}</tr></thead>`;
  const table = `<table class="stacked">${head}<tbody>${rows.join("")}</tbody></table>`;
  const title = SERVICE_TITLES[service];
  return `<h2 id="${service}">${title}</h2><section class="table" aria-label="Plans of ${title}" tabindex="0">${table}</section>`;
}

/** A table for each service that has plans. */
export const planTables = (plans: Plans): string =>
  SERVICE_NAMES.map((service) => [service, plans.all.filter((plan) => plan.service === service)] as const)
    .filter(([, own]) => own.length > 0)
    .map(([service, own]) => tableOf(service, own))
    .join("");
