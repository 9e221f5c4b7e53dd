// What a plan costs and allows, on one line.
import type { PreviewChangeResponse } from "../../../../gen/quintet/account/v1/billing_pb.js";
import type { Plan } from "../../../../gen/quintet/account/v1/status_pb.js";
import { formatMoney, formatNumber } from "../../formats.ts";
import { includedIn } from "./included.ts";

/** `€0` or `€12.90 a month`. */
export const planPrice = ({ priceMinor, currency }: Plan): string =>
  `${formatMoney(priceMinor, currency)}${priceMinor === 0 ? "" : " a month"}`;

/** What it allows: `7,460 calls per month, 2 per second`. */
export const planAllowance = (plan: Plan): string =>
  [
    `${formatNumber(plan.callsPerMonth)} calls per month`,
    `${formatNumber(plan.requestsPerSecond)} per second`,
    ...[includedIn(plan)].filter((text) => text !== ""),
  ].join(", ");

/** Price and allowance. The price of the Free plan is left out, because its name says it. */
export const planTerms = (plan: Plan): string =>
  plan.name === "free" && plan.priceMinor === 0 ? planAllowance(plan) : `${planPrice(plan)}, ${planAllowance(plan)}`;

/** What the user pays at once for a change. */
export function priceOfChange({ amountMinor, currency }: Pick<PreviewChangeResponse, "amountMinor" | "currency">): string {
  const amount = formatMoney(Math.abs(Number(amountMinor)), currency);
  const effect = amountMinor < 0 ? `${amount} is credited to your next invoices` : `Your card is charged ${amount} now`;
  return `${effect}, for the rest of the paid month. Calls already used this month still count.`;
}
