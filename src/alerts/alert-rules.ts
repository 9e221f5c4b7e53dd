// Decides which alerts about calls are due.
import type { Plans } from "../catalogue/plans.ts";
import { dayAt } from "../runtime/calendar.ts";
import type { AlertRules } from "../store/alert-records.ts";
import { failureAlert } from "./failure-rule.ts";
import { needsCounts, quotaAlerts } from "./quota-rules.ts";

/** The rules for these plans. A subscription to a plan that is no longer on offer gets no alerts about its quota. */
export const createAlertRules = (plans: Plans): AlertRules => ({
  needsCounts(standing, nowMs) {
    const plan = plans.find(standing.service, standing.plan);
    return plan !== undefined && needsCounts(plan, standing, nowMs);
  },
  alertsOf(standing, counted, nowMs) {
    const plan = plans.find(standing.service, standing.plan);
    const ofQuota = plan === undefined || counted === undefined ? [] : quotaAlerts(plan, standing, counted, nowMs);
    // Around the turn of a month, both months of a subscription may be checked: only one of them is the current month.
    const failing = standing.month === dayAt(nowMs).month ? failureAlert(standing, nowMs) : undefined;
    return failing === undefined ? ofQuota : [...ofQuota, failing];
  },
});
