// The part of the store that alerts use: pending checks, keys that expire, and deliveries. Every method is one transaction and rejects like
// those of store.ts.
import type {
  AlertPage,
  AlertPreferences,
  AlertRules,
  ClaimedDelivery,
  DeliveryResult,
  ExpiringKey,
  NewAlert,
} from "./alert-records.ts";

/** The methods that servers use for all accounts. */
export interface AlertStore {
  /**
   * Takes up to `limit` of the subscriptions whose calls have been added up since the last check, and creates the alerts that are due by
   * the rules, with their deliveries. Other servers take other subscriptions. `refunded`: the outcomes whose calls were refunded. Resolves
   * to how many subscriptions were taken.
   */
  checkAlerts(rules: AlertRules, options: { refunded: readonly string[]; mails: boolean; limit: number }): Promise<number>;
  /** Up to `limit` valid keys that expire by this time, in the order of expiry and id. Begins after the key `after`. */
  expiringKeys(untilMs: number, after: Pick<ExpiringKey, "expiresAtMs" | "id">, limit: number): Promise<readonly ExpiringKey[]>;
  /** Creates alerts that do not exist yet, with their deliveries. */
  addAlerts(alerts: readonly NewAlert[], options: { mails: boolean }): Promise<void>;
  /**
   * Claims up to `limit` e-mails that are due, the longest overdue first. No other server claims them until `leaseMs` have passed: then
   * the server that claimed them counts as dead.
   */
  claimDeliveries(limit: number, leaseMs: number): Promise<readonly ClaimedDelivery[]>;
  /** Records how an attempt ended, unless another server has taken the delivery over. */
  endAttempt(delivery: Pick<ClaimedDelivery, "id" | "attempt">, result: DeliveryResult): Promise<void>;
  /** How many deliveries are waiting to be sent, counted up to `max`. */
  waitingDeliveries(max: number): Promise<number>;
}

/** The methods that an account's owner uses. */
export interface AlertSettingsStore {
  alertPreferences(accountId: string): Promise<AlertPreferences>;
  /** Sets which alerts are not mailed. StoreConflict if there is no such account. */
  setAlertPreferences(accountId: string, preferences: AlertPreferences): Promise<AlertPreferences>;
  /** The account's alerts of the last 90 days, newest first. */
  alertPage(accountId: string, page: { limit: number; offset: number }): Promise<AlertPage>;
}
