// The running server's plans as cards, for the plans page: one service at a time, chosen with radio buttons that need no script.
import { entitlementWords } from "../catalogue/entitlements.ts";
import type { Plan } from "../catalogue/plan.ts";
import type { Plans } from "../catalogue/plans.ts";
import { SERVICE_NAMES, SERVICES, type ServiceName } from "../catalogue/service-names.ts";
import { escapedHtml, moneyHtml, numberHtml } from "./plan-figures.ts";

/** The value of `data-placeholder` on the element that the cards go into. */
export const PLANS_PLACEHOLDER = "plans";

const MONTHS = 12;

const capitalized = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

// The path of the subscriptions page with the dialog for this plan open.
const dialogPath = ({ service, name }: Plan): string =>
  `/app/subscriptions?${new URLSearchParams({ do: "plan", service, plan: name })}`;

// Visitors sign up first. For customers, the page's script shortens the way to what comes after it.
function button(plan: Plan, takesCards: boolean): string {
  const words = plan.priceMinor === 0 ? "Start free" : `${takesCards ? "Buy" : "Request"} ${capitalized(plan.name)}`;
  return `<a href="/app/sign-up?next=${encodeURIComponent(dialogPath(plan))}">${words}</a>`;
}

function card(plan: Plan, takesCards: boolean): string {
  const { service, name, priceMinor, currency, callsPerMonth, requestsPerSecond, entitlements } = plan;
  const price =
    priceMinor === 0
      ? `<p><b>${moneyHtml(0, currency)}</b></p><p>Active right away</p>`
      : `<p><b>${moneyHtml(priceMinor, currency)}</b> a month</p><p>${moneyHtml(priceMinor * MONTHS, currency)} a year</p>`;
  const included = [
    `<b>${numberHtml(callsPerMonth)}</b> calls per month`,
    `${numberHtml(requestsPerSecond)} ${requestsPerSecond === 1 ? "request" : "requests"} per second`,
    escapedHtml(entitlementWords(service, entitlements)),
  ].filter((words) => words !== "");
  const list = included.map((words) => `<li>${words}</li>`).join("");
  return `<article><h3>${capitalized(name)}</h3>${price}<ul>${list}</ul>${button(plan, takesCards)}</article>`;
}

function serviceOf(service: ServiceName, plans: readonly Plan[], isShown: boolean, takesCards: boolean): string {
  const { title, summary } = SERVICES[service];
  const choice = `<label><input type="radio" name="service" value="${service}"${isShown ? " checked" : ""}>${escapedHtml(title)}</label>`;
  const cheapestFirst = plans.toSorted((a, b) => a.priceMinor - b.priceMinor);
  return `${choice}<section data-service="${service}"><h2 id="${service}">${escapedHtml(title)}</h2><p>${escapedHtml(summary)} Each plan has all methods, and all keys of an account share its limits. Need more calls? <a href="/docs/support">Ask us</a>.</p><div>${cheapestFirst.map((plan) => card(plan, takesCards)).join("")}</div></section>`;
}

/** The cards of each service that has plans. Only those of the chosen service are shown, initially of the first one. */
export const planCards = (plans: Plans, takesCards: boolean): string =>
  SERVICE_NAMES.map((service) => [service, plans.all.filter((plan) => plan.service === service)] as const)
    .filter(([, own]) => own.length > 0)
    .map(([service, own], index) => serviceOf(service, own, index === 0, takesCards))
    .join("");
