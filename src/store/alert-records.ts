// What the store knows of alerts: the alerts, what they are decided from, their deliveries by e-mail, and webhooks with their deliveries.
import type { ServiceName } from "../catalogue/service-names.ts";
import type { Month } from "../runtime/calendar.ts";
import { isoTime } from "../runtime/iso-time.ts";

export const ALERT_TYPES = [
  "quota.threshold",
  "quota.forecast",
  "key.expiring",
  "calls.failing",
  "webhook.failing",
  "plan.changed",
  "plan.requested",
  "plan.disputed",
] as const;

export type AlertType = (typeof ALERT_TYPES)[number];

/** Facts about an alert, such as how many calls were used. Never a secret. */
type AlertDetails = Readonly<Record<string, string | number>>;

/** An alert that should be created, unless the account already has one of the same type, subject, period and level. */
export interface NewAlert {
  readonly accountId: string;
  readonly type: AlertType;
  /** What the alert is about: a service, or the id of a key or a webhook endpoint. */
  readonly subject: string;
  /** The period that the alert is about: a month and a plan, or a point in time. */
  readonly period: string;
  /** A percentage, or a number of days; 0 if there is only one level. */
  readonly level: number;
  readonly details: AlertDetails;
  /** False if it is only sent to webhooks, because an e-mail about a higher level is sent at the same time. */
  readonly isMailed: boolean;
}

export interface Alert extends Omit<NewAlert, "isMailed"> {
  readonly id: string;
  readonly createdAtMs: number;
}

/** The calls in five minutes, and how many of them failed. */
export interface RecentCalls {
  /** When the five minutes begin. */
  readonly sinceMs: number;
  readonly calls: number;
  readonly failed: number;
}

/** What is known about a subscription's month before its calls are added up. */
export interface SubscriptionMonth {
  readonly accountId: string;
  readonly service: ServiceName;
  readonly month: Month;
  readonly plan: string;
  readonly callsPerMonth: number;
  readonly subscribedAtMs: number;
  /** Calls that servers have leased, spent or not: at least as many as were used. */
  readonly leased: number;
  readonly credited: number;
  /** Calls that an operator has counted as used with `quintet quota raise`, because the database had lost its counts. */
  readonly raised: number;
  /** The alerts about this service that the account got in recent weeks. */
  readonly alerts: readonly Pick<Alert, "type" | "period" | "level" | "createdAtMs">[];
  /** Calls in the last two and a quarter hours, oldest first. Spans of five minutes without calls are left out. Empty if no call failed. */
  readonly recent: readonly RecentCalls[];
}

/** The calls that counted against a subscription's monthly quota. */
export interface CountedCalls {
  readonly thisMonth: number;
  /** The calls on each of the seven days before today, oldest first. */
  readonly previousDays: readonly number[];
  /** Whether calls were refused because the monthly quota was used up. */
  readonly isRefused: boolean;
}

/** Decides which alerts are due. */
export interface AlertRules {
  /** Whether the calls must be added up to decide. */
  needsCounts(standing: SubscriptionMonth, nowMs: number): boolean;
  alertsOf(standing: SubscriptionMonth, counted: CountedCalls | undefined, nowMs: number): readonly NewAlert[];
}

/** A key that will expire. `lifetimeMs`: as in a `Key`. */
export interface ExpiringKey {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly lastFour: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly lifetimeMs: number | null;
}

/** The state of a delivery. `waiting`: it will be sent, or sent again. */
export type DeliveryState = "waiting" | "delivered" | "failed";

/** An e-mail that this process must send now, with the data that it needs. */
export interface ClaimedDelivery {
  readonly id: string;
  /** The number of this attempt, from 1. */
  readonly attempt: number;
  readonly alert: Alert;
  readonly createdAtMs: number;
  /** The owner's verified address; undefined if there is none, or the account is suspended. */
  readonly email: string | undefined;
}

/** How an attempt ended. `retryAtMs`: when it will be tried again; only given if it failed and there is another attempt. */
export interface DeliveryResult {
  readonly state: DeliveryState;
  readonly retryAtMs?: number;
  /** An HTTP status, or a word such as `SENT`. */
  readonly result: string;
}

/** Which alerts are not mailed. */
export interface AlertPreferences {
  readonly muted: readonly AlertType[];
}

/** An account's alerts, newest first, and whether there are older ones. */
export interface AlertPage {
  readonly alerts: readonly Alert[];
  readonly hasMore: boolean;
}

/** How many endpoints an account may have. */
export const ENDPOINTS_MAX = 5;
/** How long deliveries and attempts are shown and kept, in days. */
export const DELIVERIES_KEPT_DAYS = 7;
/** How many attempts are kept per delivery; older ones are dropped. */
export const ATTEMPTS_KEPT_MAX = 20;

/** The event that tests an endpoint. It is not an alert, and only the tested endpoint gets it. */
export const TEST_EVENT = "webhook.test";

/** What is sent to an endpoint. */
export type EventType = AlertType | typeof TEST_EVENT;

/** Who or what disabled an endpoint: `failures` if it failed for days, `gone` if it responded with 410. */
export type DisabledBy = "owner" | "failures" | "gone";

/** An endpoint without its secret. */
export interface WebhookEndpoint {
  readonly id: string;
  readonly accountId: string;
  readonly url: string;
  readonly description: string;
  /** The types of alerts that it receives; all if empty. */
  readonly alertTypes: readonly AlertType[];
  /** Undefined if it is enabled. */
  readonly disabledBy: DisabledBy | undefined;
  /** When the current run of failures began; undefined if the latest attempt succeeded. */
  readonly failingSinceMs: number | undefined;
  /** When the previous secret stops signing; undefined if there is none. */
  readonly previousSecretUntilMs: number | undefined;
  readonly createdAtMs: number;
}

export interface NewWebhookEndpoint extends Pick<WebhookEndpoint, "id" | "accountId" | "url" | "description" | "alertTypes"> {
  readonly secret: string;
}

/** A field that is left out stays as it is. Enabling an endpoint clears its failures. */
export interface WebhookEndpointChanges {
  readonly url?: string;
  readonly description?: string;
  readonly alertTypes?: readonly AlertType[];
  readonly isDisabled?: boolean;
}

export interface WebhookAttempt {
  /** Counting from 1. */
  readonly attempt: number;
  readonly atMs: number;
  readonly durationMs: number;
  /** Undefined if no response came. */
  readonly httpStatus: number | undefined;
  /** The beginning of the response's body. */
  readonly response: string;
  /** In words; undefined if it was delivered. */
  readonly error: string | undefined;
}

/** One event for one endpoint. */
export interface WebhookDelivery {
  readonly id: string;
  readonly event: Pick<Alert, "id" | "createdAtMs" | "details"> & { readonly type: EventType };
  readonly state: DeliveryState;
  readonly createdAtMs: number;
  /** When it will next be sent; undefined unless it is waiting. */
  readonly dueAtMs: number | undefined;
  /** Why it failed before a request was sent; undefined if it did not. */
  readonly error: string | undefined;
  /** Oldest first. */
  readonly attempts: readonly WebhookAttempt[];
}

/** An endpoint's deliveries, newest first, and whether there are older ones. */
export interface WebhookDeliveryPage {
  readonly deliveries: readonly WebhookDelivery[];
  readonly hasMore: boolean;
}

/** A delivery that this process must send now. */
export interface ClaimedWebhook {
  readonly id: string;
  /** The number of this attempt, from 1. */
  readonly attempt: number;
  readonly accountId: string;
  readonly event: WebhookDelivery["event"];
  readonly endpoint: Pick<WebhookEndpoint, "id" | "url"> & {
    /** All secrets that sign requests, the current one first. */
    readonly secrets: readonly string[];
  };
}

export interface WebhookResult extends Omit<WebhookAttempt, "attempt"> {
  readonly state: DeliveryState;
  /** When it will be tried again; left out if it will not. */
  readonly retryAtMs?: number;
  /** Whether the endpoint wants no more requests. */
  readonly isGone: boolean;
}

/** The body, in JSON, with the fields that the Standard Webhooks convention recommends. */
export const webhookPayload = ({ type, createdAtMs, details }: WebhookDelivery["event"]): string =>
  JSON.stringify({ type, timestamp: isoTime(createdAtMs), data: details });
