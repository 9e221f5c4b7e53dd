// The part of the store that webhooks use. Every method is one transaction and rejects like the methods in store.ts.
import type {
  ClaimedWebhook,
  NewWebhookEndpoint,
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookEndpoint,
  WebhookEndpointChanges,
  WebhookResult,
} from "./webhook-records.ts";

/** The methods that servers use for all accounts. */
export interface WebhookStore {
  /**
   * Claims up to `limit` due deliveries to endpoints, longest due first: at most `perAccountMax` of one account, and none of
   * `exceptAccountIds`. No other server claims them until `leaseMs` have passed. Deliveries to endpoints that are disabled or deleted, or
   * of suspended accounts, fail without an attempt.
   */
  claimWebhooks(options: {
    readonly limit: number;
    readonly leaseMs: number;
    readonly perAccountMax: number;
    readonly exceptAccountIds: readonly string[];
  }): Promise<readonly ClaimedWebhook[]>;
  /**
   * Logs an attempt. Unless another server has taken the delivery over, records how the attempt ended and whether the endpoint works. If
   * the delivery is abandoned, creates an alert, which is mailed if `mails` is true. Disables an endpoint that is gone or has failed for
   * five days. Returns whether it was disabled now.
   */
  endWebhookAttempt(webhook: ClaimedWebhook, result: WebhookResult, options: { mails: boolean }): Promise<boolean>;
}

/** The methods that an account's owner uses. An id that is not the account's is treated as if it did not exist. */
export interface WebhookSettingsStore {
  /** The account's endpoints, oldest first. */
  webhookEndpoints(accountId: string): Promise<readonly WebhookEndpoint[]>;
  findWebhookEndpoint(accountId: string, id: string): Promise<WebhookEndpoint | undefined>;
  /** Creates an endpoint. StoreConflict if the account has too many. */
  createWebhookEndpoint(endpoint: NewWebhookEndpoint): Promise<WebhookEndpoint>;
  /** Disabling it fails the deliveries that are waiting to be sent to it. StoreConflict if there is no such endpoint. */
  updateWebhookEndpoint(accountId: string, id: string, changes: WebhookEndpointChanges): Promise<WebhookEndpoint>;
  /**
   * Signs requests with the new secret from now on, until `previousUntilMs` also with the former one, and no longer with any older one.
   * StoreConflict as above.
   */
  rotateWebhookSecret(accountId: string, id: string, secret: string, previousUntilMs: number): Promise<WebhookEndpoint>;
  /** Deletes an endpoint with its deliveries. StoreConflict as above. */
  deleteWebhookEndpoint(accountId: string, id: string): Promise<void>;
  /** Adds the delivery of a test event with this id. StoreConflict if there is no such endpoint, or it is disabled. */
  addWebhookTest(accountId: string, endpointId: string, eventId: string): Promise<WebhookDelivery>;
  /** The endpoint's deliveries of the last 7 days, newest first. */
  webhookDeliveries(
    accountId: string,
    endpointId: string,
    page: { readonly limit: number; readonly offset: number },
  ): Promise<WebhookDeliveryPage>;
  findWebhookDelivery(accountId: string, id: string): Promise<WebhookDelivery | undefined>;
  /** Makes a delivery due now. StoreConflict if it is due or being sent already, or its endpoint is disabled. */
  replayWebhookDelivery(accountId: string, id: string): Promise<WebhookDelivery>;
}
