// What the store keeps and returns for alerts: the data that they are based on, the alerts, and their deliveries.
import type { ServiceName } from "../catalogue/service-names.ts";
import type { Month } from "../runtime/calendar.ts";

export const ALERT_TYPES = ["quota.threshold", "quota.forecast", "key.expiring", "calls.failing", "webhook.failing"] as const;

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
