// Alerts about a monthly quota: when a part of it is used, and when a forecast says that it will not last. Each is sent once per plan and
// month: after a change of the plan it can be sent again.
import { dayAt } from "../runtime/calendar.ts";
import { isoTime } from "../runtime/iso-time.ts";
import type { CountedCalls, NewAlert, SubscriptionMonth } from "../store/alert-records.ts";

/** The percentages of a month's calls at which there is an alert. */
const QUOTA_LEVELS = [50, 80, 95, 100] as const;

const SECOND_MS = 1000;
const DAY_MS = 86_400_000;
const PERCENT = 100;
/** A forecast needs this many whole days of the month, and of the subscription. */
const FORECAST_DAYS_MIN = 3;
// No alert is created if the calls will last until the last day of the month: such a forecast is of little use, and often wrong.
const FORECAST_LEAD_MS = DAY_MS;

const periodOf = ({ month, plan }: SubscriptionMonth): string => `${month}/${plan}`;

const totalOf = ({ callsPerMonth, credited }: SubscriptionMonth): number => callsPerMonth + credited;

const hasAlert = ({ alerts, ...standing }: SubscriptionMonth, type: NewAlert["type"], level: number): boolean =>
  alerts.some((alert) => alert.type === type && alert.period === periodOf({ alerts, ...standing }) && alert.level === level);

/**
 * Whether the used calls must be added up. At least as many calls are leased as are used, so if the leased calls would not cause an alert,
 * the used calls cannot.
 */
export function needsCounts(standing: SubscriptionMonth, nowMs: number): boolean {
  const total = totalOf(standing);
  const { leased } = standing;
  const isThresholdDue = QUOTA_LEVELS.some(
    (level) => leased * PERCENT >= level * total && !hasAlert(standing, "quota.threshold", level),
  );
  return isThresholdDue || isForecastDue(standing, leased, nowMs);
}

/** The alerts that are due. */
export function quotaAlerts(standing: SubscriptionMonth, counted: CountedCalls, nowMs: number): readonly NewAlert[] {
  const thresholds = thresholdAlerts(standing, counted);
  const isUsedUp = thresholds.some(({ level }) => level === PERCENT) || hasAlert(standing, "quota.threshold", PERCENT);
  const forecast = isUsedUp ? undefined : forecastAlert(standing, counted, nowMs);
  return forecast === undefined ? thresholds : [...thresholds, forecast];
}

function thresholdAlerts(standing: SubscriptionMonth, { thisMonth, isRefused }: CountedCalls): readonly NewAlert[] {
  const total = totalOf(standing);
  // Calls that a dead server had leased are lost without being used. Then only a refused call shows that the monthly quota is used up.
  const isUsedUp = standing.leased >= total && (thisMonth >= total || isRefused);
  const due = QUOTA_LEVELS.filter(
    (level) =>
      (isUsedUp || (level < PERCENT && thisMonth * PERCENT >= level * total)) && !hasAlert(standing, "quota.threshold", level),
  );
  const { accountId, service, month } = standing;
  return due.map((level, index) => ({
    accountId,
    type: "quota.threshold",
    subject: service,
    period: periodOf(standing),
    level,
    details: {
      service,
      plan: standing.plan,
      month,
      percent: level,
      used: Math.min(thisMonth, total),
      calls_per_month: total,
      resets_at: isoTime(monthEndOf(standing)),
    },
    isMailed: index === due.length - 1,
  }));
}

const monthEndOf = ({ month }: SubscriptionMonth): number => dayAt(Date.parse(`${month}-01T00:00:00Z`)).monthEndMs;

// Whether the calls would not last if the rest of the month were like its beginning.
function isForecastDue(standing: SubscriptionMonth, used: number, nowMs: number): boolean {
  const { month, monthStartMs, monthEndMs } = dayAt(nowMs);
  const sinceMs = Math.max(monthStartMs, standing.subscribedAtMs);
  const total = totalOf(standing);
  if (month !== standing.month || nowMs - sinceMs < FORECAST_DAYS_MIN * DAY_MS || used >= total) {
    return false;
  }
  const perMs = used / (nowMs - sinceMs);
  return perMs * (monthEndMs - nowMs) > total - used && !hasAlert(standing, "quota.forecast", 0);
}

// The average of the last few whole days must predict this too, because recent days are a better guide to the coming ones.
function forecastAlert(
  standing: SubscriptionMonth,
  { thisMonth, previousDays }: CountedCalls,
  nowMs: number,
): NewAlert | undefined {
  if (!isForecastDue(standing, thisMonth, nowMs)) {
    return undefined;
  }
  const { startMs, monthEndMs } = dayAt(nowMs);
  const days = Math.min(previousDays.length, Math.floor((startMs - standing.subscribedAtMs) / DAY_MS));
  if (days < FORECAST_DAYS_MIN) {
    return undefined;
  }
  const perDay = previousDays.slice(-days).reduce((sum, calls) => sum + calls, 0) / days;
  const total = totalOf(standing);
  const runsOutAtMs = Math.floor((nowMs + ((total - thisMonth) / perDay) * DAY_MS) / SECOND_MS) * SECOND_MS;
  if (!(runsOutAtMs < monthEndMs - FORECAST_LEAD_MS)) {
    return undefined;
  }
  const { accountId, service, month } = standing;
  return {
    accountId,
    type: "quota.forecast",
    subject: service,
    period: periodOf(standing),
    level: 0,
    isMailed: true,
    details: {
      service,
      plan: standing.plan,
      month,
      used: thisMonth,
      calls_per_month: total,
      calls_per_day: Math.round(perDay),
      runs_out_at: isoTime(runsOutAtMs),
      resets_at: isoTime(monthEndMs),
    },
  };
}
