// An alert in words, and the page where the user can act.
import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { type Alert, PlanEvent } from "../../../../gen/quintet/account/v1/alert_pb.js";
import { formatNumber, planTitle, serviceTitle } from "../../formats.ts";

interface AlertText {
  readonly what: string;
  readonly todo: string;
  readonly path: string;
}

// Months and days of a quota are UTC.
const DAY = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "long", timeZone: "UTC" });
const MONTH = new Intl.DateTimeFormat(undefined, { month: "long", year: "numeric", timeZone: "UTC" });
const monthOf = (month: string): string => MONTH.format(Date.parse(month));
const dayOf = (at: Timestamp | undefined): string => (at === undefined ? "" : DAY.format(timestampDate(at)));

const PLAN_EVENTS: Readonly<Record<PlanEvent, string>> = {
  [PlanEvent.UNSPECIFIED]: "changes on",
  [PlanEvent.REQUESTED]: "was requested on",
  [PlanEvent.ACTIVATED]: "is active since",
  [PlanEvent.MOVING]: "replaces yours on",
  [PlanEvent.MOVED]: "replaced yours on",
  [PlanEvent.UNPAID]: "could not be charged, and ends on",
  [PlanEvent.ENDED]: "changed because it is no longer paid, on",
  [PlanEvent.PAID]: "was paid on",
};

/** For a type that only a newer server knows, says only that there was an alert. */
export function alertText({
  quotaThreshold,
  quotaForecast,
  keyExpiring,
  callsFailing,
  webhookFailing,
  planChanged,
  planRequested,
  planDisputed,
}: Alert): AlertText {
  if (quotaThreshold !== undefined) {
    const { service, month, percent, used, callsPerMonth, plan } = quotaThreshold;
    return {
      what: `${serviceTitle(service)}: ${percent}% of the calls for ${monthOf(month)} used, ${formatNumber(used)} of ${formatNumber(callsPerMonth)} on the ${planTitle(plan)} plan`,
      todo: "View larger plans",
      path: "/app/subscriptions",
    };
  }
  if (quotaForecast !== undefined) {
    const { service, month, callsPerDay, runsOutAt } = quotaForecast;
    return {
      what: `${serviceTitle(service)}: at ${formatNumber(callsPerDay)} calls per day, the calls for ${monthOf(month)} will run out around ${dayOf(runsOutAt)}`,
      todo: "View larger plans",
      path: "/app/subscriptions",
    };
  }
  if (keyExpiring !== undefined) {
    const { name, lastFour, expiresAt } = keyExpiring;
    return { what: `The key ${name} (…${lastFour}) expires on ${dayOf(expiresAt)}`, todo: "Rotate the key", path: "/app/keys" };
  }
  if (callsFailing !== undefined) {
    const { service, calls, failed, percent, usualPercent } = callsFailing;
    return {
      what: `${serviceTitle(service)}: ${formatNumber(failed)} of ${formatNumber(calls)} calls failed, ${percent}%, up from ${usualPercent}%`,
      todo: "View reasons",
      path: "/app/usage",
    };
  }
  if (webhookFailing !== undefined) {
    const { url, error, disabled } = webhookFailing;
    return {
      what: `${disabled ? "The webhook endpoint was disabled" : "The webhook endpoint has been failing for a day"}: ${url}. ${error}`,
      todo: "View deliveries",
      path: "/app/alerts#webhooks",
    };
  }
  if (planChanged !== undefined) {
    const { event, plan, at } = planChanged;
    const what = `${serviceTitle(plan?.service ?? "")}: the ${planTitle(plan?.plan ?? "")} plan`;
    return { what: `${what} ${PLAN_EVENTS[event]} ${dayOf(at)}`, todo: "View plans", path: "/app/subscriptions" };
  }
  if (planRequested !== undefined) {
    const { account, plan } = planRequested;
    return {
      what: `${account} requests the ${planTitle(plan?.plan ?? "")} plan of ${serviceTitle(plan?.service ?? "")}`,
      todo: "View requests",
      path: "/app/operator/waiting",
    };
  }
  if (planDisputed !== undefined) {
    const { account, plan } = planDisputed;
    return {
      what: `${account} disputes a payment for the ${planTitle(plan?.plan ?? "")} plan of ${serviceTitle(plan?.service ?? "")}, which has ended`,
      todo: "View accounts",
      path: "/app/operator",
    };
  }
  return { what: "This page is too old to show this alert. Reload it.", todo: "Open the overview", path: "/app" };
}
