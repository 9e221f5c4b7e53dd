// What the store keeps, as the rest of the program sees it, and what is asked of it.
import type { ServiceName } from "../catalogue/service-names.ts";

/** A calendar month in UTC, `2026-11`. */
export type Month = `${number}-${number}`;

/** A customer. */
export interface Account {
  readonly id: string;
  /** Unique: what the command line calls it by. */
  readonly name: string;
  readonly email: string | null;
  /** A suspended account's calls are refused. */
  readonly suspended: boolean;
  readonly createdAtMs: number;
}

/** An API key, without the key: only its SHA-256 is stored. */
export interface Key {
  readonly id: string;
  readonly accountId: string;
  /** What the customer calls it. */
  readonly name: string;
  /** For display: `qk_live_` and nothing of the secret, and the last four characters. */
  readonly prefix: string;
  readonly lastFour: string;
  /** The services it may call; null for all. */
  readonly services: readonly ServiceName[] | null;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  /** How long it was given when it was made; null for ever. A rotation, which lets it expire sooner, leaves this as it was. */
  readonly lifetimeMs: number | null;
  readonly disabled: boolean;
  readonly revokedAtMs: number | null;
}

/** `requested`: a paid plan that waits for an operator. `active`: may call. `cancelled`: no more. */
export type SubscriptionState = "requested" | "active" | "cancelled";

/** An account's subscription to a service. At most one per account and service is not cancelled. */
export interface Subscription {
  readonly id: string;
  readonly accountId: string;
  readonly service: ServiceName;
  /** The plan's name in the plan file. */
  readonly plan: string;
  /** The plan that the customer asked for and an operator has not activated yet, beside the one in force. */
  readonly requestedPlan: string | null;
  readonly state: SubscriptionState;
  readonly createdAtMs: number;
}

/** All that the guard must know about a key, read at once. */
export interface Credential {
  readonly key: Key;
  readonly account: Account;
  /** The account's subscriptions that are not cancelled. */
  readonly subscriptions: readonly Subscription[];
}

/** What a lease gave. */
export interface LeaseGrant {
  /** Calls that now belong to the asker: 0 when the month's are all taken. */
  readonly granted: number;
  /** Calls of the month that nobody holds yet. */
  readonly unleased: number;
}

/** Calls counted since the last flush. */
export interface UsageCount {
  readonly accountId: string;
  readonly keyId: string;
  readonly service: ServiceName;
  /** `quintet.farkle.v1.FarkleService/Score` */
  readonly method: string;
  /** UTC, `2026-11-21`. */
  readonly day: string;
  /** `OK` or a Reason. */
  readonly outcome: string;
  readonly calls: number;
}

/** Which subscriptions are wanted. */
export interface SubscriptionQuery {
  /** Of all accounts when it is left out. */
  readonly accountId?: string | undefined;
  readonly includeCancelled: boolean;
  /** Only those with a plan that waits to be activated. */
  readonly waitingOnly: boolean;
  readonly limit: number;
  readonly offset: number;
}

/** A page of subscriptions with their accounts, and how many there are in all. */
export interface SubscriptionPage {
  readonly total: number;
  readonly rows: readonly { readonly account: Account; readonly subscription: Subscription }[];
}

/** How many active subscriptions are on a plan. */
export interface PlanSubscribers {
  readonly service: ServiceName;
  readonly plan: string;
  readonly subscribers: number;
}

/** What a row of the usage history can be told apart by. */
export type UsageDimension = "day" | "service" | "method" | "outcome" | "key";

/** Which part of the usage history is wanted, how it is added up, and which of the rows that this gives. */
export interface UsageQuery {
  readonly accountId: string;
  /** All when it is left out. */
  readonly service?: ServiceName | undefined;
  /** UTC, `2026-11-21`. */
  readonly fromDay: string;
  /** Inclusive. */
  readonly toDay: string;
  /** What the rows are told apart by, each at most once. With none all is one row, or no row where there is no call. */
  readonly groupBy: readonly UsageDimension[];
  /** The outcomes whose calls were given back; those with any other counted. */
  readonly refunded: readonly string[];
  readonly limit: number;
  readonly offset: number;
  /** How many counts are added up at most; each is of one day, method, key and outcome. */
  readonly countsMax: number;
}

/** A page of the usage history, and how many rows there are in all. */
export interface UsageRows {
  readonly total: number;
  readonly rows: readonly UsageRow[];
}

/** Calls that have in common what is said; what the history was not grouped by is not there. */
export interface UsageRow {
  readonly day?: string;
  readonly service?: ServiceName;
  readonly method?: string;
  readonly outcome?: string;
  readonly keyId?: string;
  /** However they ended. Sums are exact up to 2^53, which is more than 32 bits hold. */
  readonly calls: number;
  /** Those of them that count in the month's quota. */
  readonly counted: number;
}

/** Where a subscription's month stands in the store: `leased` includes what nodes hold and have not spent. */
export interface MonthStanding {
  readonly subscriptionId: string;
  readonly month: Month;
  readonly leased: number;
}

/** What a new key is made from. The secret itself never reaches the store. */
export interface NewKey {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly hash: string;
  readonly prefix: string;
  readonly lastFour: string;
  readonly services: readonly ServiceName[] | null;
  readonly expiresAtMs: number | null;
  /** From now until it expires; null where it does not. */
  readonly lifetimeMs: number | null;
}

/** What a key is made from that follows another: it has the other's name and services. */
export type NextKey = Omit<NewKey, "name" | "services">;

/** What to change of a key; what is not named stays. */
export interface KeyChanges {
  readonly name?: string | undefined;
  readonly disabled?: boolean | undefined;
  /** Null for all. */
  readonly services?: readonly ServiceName[] | null | undefined;
}
