// The store's records as the rest of the program sees them, and its queries.
import type { ServiceName } from "../catalogue/service-names.ts";

/** A calendar month in UTC, `2026-11`. */
export type Month = `${number}-${number}`;

/** A customer. */
export interface Account {
  readonly id: string;
  /** Unique. The command line takes it in place of the id. */
  readonly name: string;
  readonly email: string | null;
  /** A suspended account's calls are refused. */
  readonly suspended: boolean;
  /** Whether its owner is an operator, who may look after all accounts. */
  readonly isOperator: boolean;
  readonly createdAtMs: number;
  /** When the owner followed a link that was sent to the address. Left out where they never did. */
  readonly emailVerifiedAtMs?: number;
}

/** An API key, without the key: only its SHA-256 is stored. */
export interface Key {
  readonly id: string;
  readonly accountId: string;
  /** The customer's name for it. */
  readonly name: string;
  /** For display: `qk_live_` and nothing of the secret, and the last four characters. */
  readonly prefix: string;
  readonly lastFour: string;
  /** The services it may call; null for all. */
  readonly services: readonly ServiceName[] | null;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  /** The lifetime that it was made with; null when it does not expire. A rotation, which lets it expire sooner, does not change this. */
  readonly lifetimeMs: number | null;
  readonly disabled: boolean;
  readonly revokedAtMs: number | null;
}

/** `requested`: a paid plan that waits to be activated. `active`: may call. `cancelled`: has ended. */
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

/** All that the guard must know about a key. */
export interface Credential {
  readonly key: Key;
  readonly account: Account;
  /** The account's subscriptions that are not cancelled. */
  readonly subscriptions: readonly Subscription[];
}

/** The result of leasing calls. */
export interface LeaseGrant {
  /** Calls that were leased: 0 when all of the month's are taken. */
  readonly granted: number;
  /** Calls of the month that nobody has leased. */
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
  /** The hour of the day, from 0 to 23. */
  readonly hour: number;
  /** `OK` or a Reason. */
  readonly outcome: string;
  readonly calls: number;
}

/** A query for accounts. */
export interface AccountQuery {
  /** A part of the name or of the e-mail address, in any case, or the whole id; empty for all. */
  readonly search: string;
  readonly onlySuspended: boolean;
  readonly onlyOperators: boolean;
  readonly limit: number;
  readonly offset: number;
}

/** A page of accounts, and how many there are in all. */
export interface AccountPage {
  readonly total: number;
  readonly accounts: readonly Account[];
}

/** Calls that were refused since the last flush. */
export interface RefusalCount {
  readonly accountId: string;
  readonly keyId: string;
  readonly service: ServiceName;
  /** UTC, `2026-11-21`. */
  readonly day: string;
  /** The hour of the day, from 0 to 23. */
  readonly hour: number;
  /** A Reason. */
  readonly reason: string;
  readonly calls: number;
  /** A plan with so many requests per second would have refused none of them for the second; 0 where that says nothing. */
  readonly rateNeeded: number;
}

/** A query for subscriptions. */
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

/** What rows of the usage history can be grouped by. */
export type UsageDimension = "month" | "day" | "hour" | "service" | "method" | "outcome" | "key";

/** A query for the usage history: which part of it, how it is grouped, and which page of the rows. */
export interface UsageQuery {
  readonly accountId: string;
  /** All when it is left out. */
  readonly service?: ServiceName | undefined;
  /** UTC, `2026-11-21`. */
  readonly fromDay: string;
  /** Inclusive. */
  readonly toDay: string;
  /**
   * What the rows are grouped by, each at most once. With none there is one row, or no row where there is no call. By the hour there are only
   * the calls of today and the seven days before.
   */
  readonly groupBy: readonly UsageDimension[];
  /** The outcomes whose calls were refunded. Calls with any other outcome counted. */
  readonly refunded: readonly string[];
  readonly limit: number;
  readonly offset: number;
  /** How many counts are added up at most. Each is of one day, method, key and outcome; by the hour each is of one hour. */
  readonly countsMax: number;
}

/** A page of the usage history, and how many rows there are in all. */
export interface UsageRows {
  readonly total: number;
  readonly rows: readonly UsageRow[];
}

/** One group of calls. Has only the fields that the history was grouped by. */
export interface UsageRow {
  /** UTC, `2026-11`. */
  readonly month?: Month;
  readonly day?: string;
  /** UTC, `2026-11-21T14`. */
  readonly hour?: string;
  readonly service?: ServiceName;
  readonly method?: string;
  readonly outcome?: string;
  readonly keyId?: string;
  /** However they ended. Exact up to 2^53. */
  readonly calls: number;
  /** Those that count in the month's quota. */
  readonly counted: number;
}

/** What counts of refusals can be grouped by. */
export type RefusalDimension = "month" | "day" | "hour" | "service" | "reason" | "key";

/** A query for refusals: which of them, how they are grouped, and which page of the rows. */
export interface RefusalQuery extends Omit<UsageQuery, "groupBy" | "refunded"> {
  /** What the rows are grouped by, each at most once. By the hour there are only the refusals of today and the seven days before. */
  readonly groupBy: readonly RefusalDimension[];
}

/** A page of refusals, and how many rows there are in all. */
export interface RefusalRows {
  readonly total: number;
  readonly rows: readonly RefusalRow[];
}

/** One group of refused calls. Has only the fields that they were grouped by. */
export interface RefusalRow {
  readonly month?: Month;
  readonly day?: string;
  /** UTC, `2026-11-21T14`. */
  readonly hour?: string;
  readonly service?: ServiceName;
  /** A Reason. */
  readonly reason?: string;
  /** Empty for calls that were counted without their key. */
  readonly keyId?: string;
  readonly calls: number;
  /** The largest `rateNeeded` of them; 0 by the hour, of which it is not kept. */
  readonly rateNeeded: number;
}

/** How much of a subscription's month is leased, with what nodes hold and have not spent. */
export interface LeasedCalls {
  readonly subscriptionId: string;
  readonly month: Month;
  readonly leased: number;
  /** Calls that an operator has given on top of the plan's. */
  readonly credited: number;
}

/** Calls that an operator gave on top of a plan's, and how many those are in the month by now. */
export interface CreditedCalls {
  readonly accountId: string;
  readonly service: ServiceName;
  readonly month: Month;
  readonly credited: number;
}

/** A query for the usage of all accounts. */
export interface TopAccountsQuery extends Pick<UsageQuery, "service" | "fromDay" | "toDay" | "refunded"> {
  /** How many accounts, those with most calls. */
  readonly limit: number;
}

/** Calls of a service, of one account or of all. */
export interface ServiceCalls {
  readonly service: ServiceName;
  /** However they ended. */
  readonly calls: number;
  /** Those that count in the month's quota. */
  readonly counted: number;
}

/** The usage of all accounts. */
export interface TopAccounts {
  /** Of all accounts, by service; services without calls are left out. */
  readonly services: readonly (ServiceCalls & { readonly accounts: number })[];
  /** The accounts with most calls, most first, each with its services by name. */
  readonly accounts: readonly {
    readonly accountId: string;
    /** Null when there is no such account any more. */
    readonly accountName: string | null;
    readonly services: readonly ServiceCalls[];
  }[];
}

/** A new key. The secret itself never reaches the store. */
export interface NewKey {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly hash: string;
  readonly prefix: string;
  readonly lastFour: string;
  readonly services: readonly ServiceName[] | null;
  readonly expiresAtMs: number | null;
  /** From now until it expires; null when it does not expire. */
  readonly lifetimeMs: number | null;
}

/** The key that follows another in a rotation. It gets the other's name and services. */
export type NextKey = Omit<NewKey, "name" | "services">;

/** What to change of a key. A field that is left out stays as it is. */
export interface KeyChanges {
  readonly name?: string | undefined;
  readonly disabled?: boolean | undefined;
  /** Null for all. */
  readonly services?: readonly ServiceName[] | null | undefined;
}
