// The records of webhooks that the store keeps and returns: endpoints, deliveries, and attempts.
import type { Alert, AlertType, DeliveryState } from "./alert-records.ts";

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
