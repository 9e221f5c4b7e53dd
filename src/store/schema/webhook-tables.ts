// The tables of webhooks: endpoints, and attempts to deliver to them.
import type { DisabledBy } from "../webhook-records.ts";

export interface WebhookEndpointsTable {
  readonly id: string;
  readonly account_id: string;
  readonly url: string;
  readonly description: string;
  /** A JSON array; empty for all types of alerts. */
  readonly alert_types: string;
  readonly secret: string;
  readonly previous_secret: string | null;
  readonly previous_until_ms: number | null;
  readonly disabled_by: DisabledBy | null;
  readonly failing_since_ms: number | null;
  readonly created_at_ms: number;
}

export interface WebhookAttemptsTable {
  readonly delivery_id: string;
  readonly attempt: number;
  readonly account_id: string;
  readonly endpoint_id: string;
  readonly at_ms: number;
  readonly duration_ms: number;
  readonly http_status: number | null;
  readonly response: string;
  readonly error: string | null;
}
