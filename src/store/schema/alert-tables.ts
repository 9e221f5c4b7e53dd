// The tables of alerts: what they are based on, and how they are delivered.
import type { DeliveryState } from "../alert-records.ts";

/** Months of subscriptions whose calls have been added up since they were last checked. */
export interface AlertChecksTable {
  readonly account_id: string;
  readonly service: string;
  readonly month: string;
  readonly noted_at_ms: number;
}

/** Calls in the last few hours. */
export interface RecentCallsTable {
  readonly account_id: string;
  readonly service: string;
  /** When the five minutes begin. */
  readonly since_ms: number;
  readonly calls: number;
  readonly failed: number;
}

export interface AlertsTable {
  /** A UUID: a hash of account, type, subject, period and level. */
  readonly id: string;
  readonly account_id: string;
  readonly type: string;
  readonly subject: string;
  readonly period: string;
  readonly level: number;
  readonly created_at_ms: number;
  /** A JSON object. */
  readonly details: string;
}

export interface AlertDeliveriesTable {
  /** A UUID: a hash of the alert and the receiver. */
  readonly id: string;
  readonly alert_id: string;
  readonly account_id: string;
  /** Null for an e-mail to the owner. */
  readonly endpoint_id: string | null;
  readonly state: DeliveryState;
  readonly created_at_ms: number;
  /** How many times a server has started to send it. */
  readonly attempts: number;
  /** When a server may send it or, while one does, when another may take over. */
  readonly due_at_ms: number;
  readonly last_attempt_at_ms: number | null;
  readonly last_result: string | null;
}
