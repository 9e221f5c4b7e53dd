// The front page's text about this server's plans: what is free, what the free plans include, and what the cheapest paid plan costs.
import type { Plan } from "../catalogue/plan.ts";
import type { Plans } from "../catalogue/plans.ts";
import { SERVICE_NAMES, SERVICES } from "../catalogue/service-names.ts";
import { escapedHtml, moneyHtml, numberHtml } from "./plan-figures.ts";

/** The value of `data-placeholder` on the element that the offer goes into. */
export const FREE_OFFER_PLACEHOLDER = "free-offer";

/** The offer as HTML. Without a free plan it only says what the cheapest one costs. */
export function freeOffer({ all }: Plans): string {
  const free = SERVICE_NAMES.flatMap((service) => all.find((plan) => plan.service === service && plan.priceMinor === 0) ?? []);
  const paid = all.filter(({ priceMinor }) => priceMinor > 0).toSorted((a, b) => a.priceMinor - b.priceMinor)[0];
  const price = paid === undefined ? "" : `from ${moneyHtml(paid.priceMinor, paid.currency)} a month per service`;
  return free.length === 0
    ? price && `<p>Plans ${price}.</p>`
    : `<p><b>Free to start</b>, no card needed.${price && ` Paid plans ${price}.`}</p>${tableOf(free)}`;
}

const tableOf = (free: readonly Plan[]): string =>
  `<table><caption>What the free plans include</caption><thead><tr><th scope="col">Service</th><th scope="col">Calls per month</th><th scope="col">Requests per second</th></tr></thead><tbody>${free
    .map(
      ({ service, callsPerMonth, requestsPerSecond }) =>
        `<tr><th scope="row">${escapedHtml(SERVICES[service].title)}</th><td>${numberHtml(callsPerMonth)}</td><td>${numberHtml(requestsPerSecond)}</td></tr>`,
    )
    .join("")}</tbody></table>`;
