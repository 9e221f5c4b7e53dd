// Decides which alerts about calls are due.
import { dayAt } from "../runtime/calendar.ts";
import { isoTime } from "../runtime/iso-time.ts";
import type { AlertRules, NewAlert, RecentCalls, SubscriptionMonth } from "../store/alert-records.ts";
import { needsCounts, quotaAlerts } from "./quota-rules.ts";

// The alert that calls to a service have suddenly started to fail: it compares the last 10 to 15 minutes with the two hours before.
const SLOT_MS = 300_000;
// The current five minutes and the two before.
const WINDOW_SLOTS = 3;
/** Fewer calls prove nothing, either in the last few minutes or before them. */
const CALLS_MIN = 20;
/** At least this share of the calls must fail. */
const SHARE_MIN = 0.25;
/** That share must be at least this many times the usual one. */
const TIMES_USUAL = 3;
/** There is no second alert about a service within this time. */
const PAUSE_MS = 6 * 3_600_000;
const PERCENT = 100;

/** The alert if it is due. */
function failureAlert({ accountId, service, alerts, recent }: SubscriptionMonth, nowMs: number): NewAlert | undefined {
  const slotMs = Math.floor(nowMs / SLOT_MS) * SLOT_MS;
  const sinceMs = slotMs - (WINDOW_SLOTS - 1) * SLOT_MS;
  const now = sumOf(recent.filter((slot) => slot.sinceMs >= sinceMs));
  const before = sumOf(recent.filter((slot) => slot.sinceMs < sinceMs));
  if (now.calls < CALLS_MIN || before.calls < CALLS_MIN) {
    return undefined;
  }
  const [share, usual] = [now.failed / now.calls, before.failed / before.calls];
  const isSudden = share >= SHARE_MIN && now.failed * before.calls >= TIMES_USUAL * before.failed * now.calls;
  if (!isSudden || alerts.some(({ type, createdAtMs }) => type === "calls.failing" && createdAtMs > nowMs - PAUSE_MS)) {
    return undefined;
  }
  return {
    accountId,
    type: "calls.failing",
    subject: service,
    period: isoTime(slotMs),
    level: 0,
    isMailed: true,
    details: {
      service,
      since: isoTime(sinceMs),
      calls: now.calls,
      failed: now.failed,
      percent: Math.round(share * PERCENT),
      usual_percent: Math.round(usual * PERCENT),
    },
  };
}

function sumOf(slots: readonly RecentCalls[]): { readonly calls: number; readonly failed: number } {
  return slots.reduce((sum, { calls, failed }) => ({ calls: sum.calls + calls, failed: sum.failed + failed }), {
    calls: 0,
    failed: 0,
  });
}

export const ALERT_RULES: AlertRules = {
  needsCounts,
  alertsOf(standing, counted, nowMs) {
    const ofQuota = counted === undefined ? [] : quotaAlerts(standing, counted, nowMs);
    // Around the turn of a month, both months of a subscription may be checked: only one of them is the current month.
    const failing = standing.month === dayAt(nowMs).month ? failureAlert(standing, nowMs) : undefined;
    return failing === undefined ? ofQuota : [...ofQuota, failing];
  },
};
