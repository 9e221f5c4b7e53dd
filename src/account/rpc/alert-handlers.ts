// The methods for alerts.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { type Timestamp, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type AlertSchema, PlanEvent, AlertType as Type } from "../../../gen/quintet/account/v1/alert_pb.js";
import type { Alert, AlertType } from "../../store/alert-records.ts";
import type { AdminStore } from "../../store/store.ts";
import { type AccountHandlers, following } from "./handlers.ts";

const DEFAULT_LIMIT = 50;

/** Type → its enum value in messages. */
export const ALERT_TYPE_MESSAGES: Readonly<Record<AlertType, Type>> = {
  "quota.threshold": Type.QUOTA_THRESHOLD,
  "quota.forecast": Type.QUOTA_FORECAST,
  "key.expiring": Type.KEY_EXPIRING,
  "calls.failing": Type.CALLS_FAILING,
  "webhook.failing": Type.WEBHOOK_FAILING,
  "plan.changed": Type.PLAN_CHANGED,
  "plan.requested": Type.PLAN_REQUESTED,
  "plan.disputed": Type.PLAN_DISPUTED,
};

const PLAN_EVENTS: Readonly<Record<string, PlanEvent>> = {
  requested: PlanEvent.REQUESTED,
  activated: PlanEvent.ACTIVATED,
  moving: PlanEvent.MOVING,
  moved: PlanEvent.MOVED,
  unpaid: PlanEvent.UNPAID,
  ended: PlanEvent.ENDED,
  paid: PlanEvent.PAID,
};

export function createAlertHandlers({ store }: { readonly store: AdminStore }): Pick<AccountHandlers, "listAlerts"> {
  return {
    async listAlerts({ limit = DEFAULT_LIMIT, offset }, { accountId }) {
      const { alerts, hasMore } = await store.alertPage(accountId, { limit, offset });
      return { results: alerts.map(alertMessage), ...following(hasMore, offset, limit) };
    },
  };
}

function alertMessage({ id, type, createdAtMs, details }: Alert): MessageInitShape<typeof AlertSchema> {
  const alert = { id, type: ALERT_TYPE_MESSAGES[type], createdAt: timestampFromMs(createdAtMs) };
  const text = (name: string): string => String(details[name] ?? "");
  const number = (name: string): number => Number(details[name] ?? 0);
  const time = (name: string): Timestamp => timestampFromMs(Date.parse(text(name)));
  const quota = () => ({
    service: text("service"),
    plan: text("plan"),
    month: text("month"),
    used: number("used"),
    callsPerMonth: number("calls_per_month"),
    resetsAt: time("resets_at"),
  });
  const plan = () => ({
    service: text("service"),
    plan: text("plan"),
    priceMinor: BigInt(number("price_minor")),
    currency: text("currency"),
    callsPerMonth: BigInt(number("calls_per_month")),
    requestsPerSecond: number("requests_per_second"),
  });
  switch (type) {
    case "plan.changed":
      return {
        ...alert,
        planChanged: {
          event: PLAN_EVENTS[text("event")] ?? PlanEvent.UNSPECIFIED,
          plan: plan(),
          at: time("at"),
          invoiceUrl: text("invoice_url"),
        },
      };
    case "plan.requested":
      return { ...alert, planRequested: { account: text("account"), plan: plan() } };
    case "plan.disputed":
      return { ...alert, planDisputed: { account: text("account"), plan: plan(), invoiceUrl: text("invoice_url") } };
    case "quota.threshold":
      return { ...alert, quotaThreshold: { ...quota(), percent: number("percent") } };
    case "quota.forecast":
      return {
        ...alert,
        quotaForecast: { ...quota(), callsPerDay: number("calls_per_day"), runsOutAt: time("runs_out_at") },
      };
    case "key.expiring":
      return {
        ...alert,
        keyExpiring: { keyId: text("key_id"), name: text("name"), lastFour: text("last_four"), expiresAt: time("expires_at") },
      };
    case "calls.failing":
      return {
        ...alert,
        callsFailing: {
          service: text("service"),
          since: time("since"),
          calls: number("calls"),
          failed: number("failed"),
          percent: number("percent"),
          usualPercent: number("usual_percent"),
        },
      };
    case "webhook.failing":
      return {
        ...alert,
        webhookFailing: {
          endpointId: text("endpoint_id"),
          url: text("url"),
          since: time("since"),
          error: text("error"),
          disabled: number("disabled") === 1,
        },
      };
  }
}
