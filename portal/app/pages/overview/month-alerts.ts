// What a customer should know about this month's quotas, and what to do: quotas that are used up or soon will be, and refused calls that
// another plan would have admitted. Pure.
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type Subscription, SubscriptionState } from "../../../../gen/quintet/account/v1/account_pb.js";
import type { Plan } from "../../../../gen/quintet/account/v1/status_pb.js";
import { formatMoney, formatNumber, formatShareUsed, planTitle, serviceTitle } from "../../formats.ts";
import { quotaOf } from "../../usage/quota.ts";
import { formatDay, runOutText } from "../../usage/quota-text.ts";
import { paceOf, runOut } from "../../usage/run-out.ts";
import type { MonthStanding, UsageRow } from "../../usage/usage-report.ts";
import { dialogPath } from "../../use-dialog-in-url.ts";
import { adviceOf } from "../subscriptions/advice.ts";

/** What to do: a link that looks like a button. */
interface AlertAction {
  readonly label: string;
  readonly href: string;
}

export interface MonthAlert {
  readonly service: string;
  /** `bad`: calls are refused, or soon will be. */
  readonly tone: "bad" | "plain";
  readonly title: string;
  readonly text: string;
  readonly action: AlertAction;
}

/** What the alerts are made from. */
export interface AlertsInput {
  readonly standings: readonly MonthStanding[];
  readonly plans: readonly Plan[];
  /** Calls by day and service, for as many days as the pace needs. */
  readonly days: readonly Pick<UsageRow, "day" | "service" | "counted">[];
  /** The plans that were requested and are not active yet, by service. */
  readonly requested: ReadonlyMap<string, string>;
  readonly nowMs: number;
  /** Whether paid plans are bought by card. */
  readonly takesCards: boolean;
}

type Ranked = MonthAlert & { readonly rank: number };

/** The alerts, the worst first, at most one for each service. */
export function monthAlerts({ standings, plans, days, requested, nowMs, takesCards }: AlertsInput): readonly MonthAlert[] {
  const ofMonths = standings.flatMap((standing) => {
    const { service } = standing;
    const alert = alertOf({
      standing,
      plans: plans.filter((plan) => plan.service === service),
      days: days.filter((row) => row.service === service),
      requested: requested.get(service),
      nowMs,
      takesCards,
    });
    return alert === undefined ? [] : [alert];
  });
  const waiting = [...requested]
    .filter(([service]) => !ofMonths.some((alert) => alert.service === service))
    .map(
      ([service, plan]): Ranked => ({
        rank: 4,
        service,
        tone: "plain",
        title: serviceTitle(service),
        text: waitingText(plan),
        action: plansOf(service),
      }),
    );
  return [...ofMonths, ...waiting].toSorted((a, b) => a.rank - b.rank).map(({ rank: _, ...alert }) => alert);
}

/** The plans that were requested and are not active yet, by service. */
export const requestedPlans = (subscriptions: readonly Subscription[]): ReadonlyMap<string, string> =>
  new Map(
    subscriptions.flatMap(({ service, state, plan, requestedPlan }) => {
      const requested = state === SubscriptionState.REQUESTED ? plan : requestedPlan;
      return requested === undefined ? [] : [[service, requested] as const];
    }),
  );

interface MonthInput {
  readonly standing: MonthStanding;
  readonly plans: readonly Plan[];
  readonly days: readonly Pick<UsageRow, "day" | "counted">[];
  readonly requested: string | undefined;
  readonly nowMs: number;
  readonly takesCards: boolean;
}

function alertOf({ standing, plans, days, requested, nowMs, takesCards }: MonthInput): Ranked | undefined {
  const { service, remaining, resetsAt, paymentGraceEndsAt } = standing;
  const quota = quotaOf(standing);
  if (quota === undefined || remaining === undefined || resetsAt === undefined) {
    return undefined;
  }
  if (paymentGraceEndsAt !== undefined) {
    return {
      ...{ rank: 0, service, tone: "bad", title: `${serviceTitle(service)}: your payment failed` },
      text: `You keep your plan until ${formatDay(timestampMs(paymentGraceEndsAt))} (UTC). Use another card before then.`,
      action: plansOf(service),
    };
  }
  const resetsAtMs = timestampMs(resetsAt);
  const title = serviceTitle(service);
  const advice = adviceOf({ standing, plans, refusals: [] });
  const next = advice?.plan ?? nextPlan(standing, plans);
  // Nobody should request a plan twice.
  const offer = requested === undefined ? (advice?.message ?? offerOf(next)) : waitingText(requested);
  const action = requested === undefined && next !== undefined ? requestOf(next, takesCards) : plansOf(service);
  const until = `until ${formatDay(resetsAtMs)} (UTC).`;
  if (quota.state === "usedUp") {
    const text = `Calls are refused ${until} ${offer}`;
    return { rank: 0, service, tone: "bad", title: `${title}: this month's calls are used up`, text, action };
  }
  const forecast = runOut({ ...paceOf(days, nowMs), remaining, nowMs, resetsAtMs });
  const left = `${formatNumber(remaining)} left ${until}`;
  if (quota.state === "nearly") {
    const text = `${left}${forecast.kind === "tooEarly" ? "" : ` ${runOutText(forecast)}`} ${offer}`;
    return {
      rank: 1,
      service,
      tone: "bad",
      title: `${title}: ${formatShareUsed(quota.share)} of this month's calls are used`,
      text,
      action,
    };
  }
  if (forecast.kind === "runsOut") {
    const text = `${left} ${runOutText(forecast)} ${offer}`;
    return { rank: 2, service, tone: "plain", title: `${title}: this month's calls will not last`, text, action };
  }
  // If no plan would have helped, there is nothing to do.
  return advice?.plan === undefined
    ? undefined
    : { rank: 3, service, tone: "plain", title: `${title}: calls were refused`, text: offer, action };
}

// The cheapest plan with more calls a month than the current one.
function nextPlan({ plan }: MonthStanding, plans: readonly Plan[]): Plan | undefined {
  const present = plans.find(({ name }) => name === plan);
  return (
    present && plans.filter((one) => one.callsPerMonth > present.callsPerMonth).toSorted((a, b) => a.priceMinor - b.priceMinor)[0]
  );
}

const offerOf = (plan: Plan | undefined): string =>
  plan === undefined
    ? "There is no larger plan."
    : `${planTitle(plan.name)} (${formatMoney(plan.priceMinor, plan.currency)} a month) includes ${formatNumber(plan.callsPerMonth)} calls.`;

const waitingText = (plan: string): string => `Waiting for activation: ${planTitle(plan)}.`;

const plansOf = (service: string): AlertAction => ({ label: "View plans", href: `/app/subscriptions#${service}` });

const requestOf = ({ name, service, priceMinor }: Plan, takesCards: boolean): AlertAction => ({
  label: `${priceMinor > 0 ? (takesCards ? "Buy" : "Request") : "Switch to"} ${planTitle(name)}`,
  href: dialogPath("/app/subscriptions", "plan", { service, plan: name }),
});
