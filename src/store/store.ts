// What the rest of the program sees of the SQL store: narrow interfaces, one per reader. Every method is one transaction where it does not
// say otherwise. Every method that fails rejects with a StoreUnavailable when the database could not be asked, and with a StoreConflict
// where noted.
import type { ServiceName } from "../catalogue/service-names.ts";
import type { OnChange } from "./changes.ts";
import type { NodeStatus } from "./node-status.ts";
import type { OwnerStore } from "./owner-store.ts";
import type { Acknowledgement } from "./repositories/acknowledgements.ts";

/** The database could not be asked or did not answer in time. Nothing was changed, or it is unknown whether it was. */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable";
}

/** The change would break a rule: the name is taken, the thing does not exist, the state does not allow it. The message says which. */
export class StoreConflict extends Error {
  override readonly name = "StoreConflict";
}

/** There are more counts than are added up at once: more than the number that is handed in. */
export class TooMuchUsage extends Error {
  override readonly name = "TooMuchUsage";

  constructor(countsMax: number) {
    super(`There are more than ${countsMax} counts.`);
  }
}

/** The store cannot be opened as it is: another server has it, or the database is not one that this version can use. The message says what to do. */
export class StoreRefused extends Error {
  override readonly name = "StoreRefused";
}

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

/** The guard's side of the store. */
export interface GuardStore {
  /** What is known of the other nodes, in memory that can be handed to other threads. */
  readonly nodeStatus: NodeStatus;
  /** By the SHA-256 of the whole key, lower-case hex; undefined when no key has it. */
  findCredential(keyHash: string): Promise<Credential | undefined>;
  /**
   * Takes up to `want` calls out of what is left of `callsPerMonth` in a month, in a transaction that survives a crash, together with
   * what others ask for at the same time. What is taken
   * belongs to the account and the service: a subscription that follows a cancelled one in the same month starts where that one
   * stood. StoreConflict when there is no such subscription.
   */
  lease(subscriptionId: string, month: Month, callsPerMonth: number, want: number): Promise<LeaseGrant>;
  /** Gives back what was not spent, on a clean stop or a change of plan. What is taken never goes below zero. */
  giveBack(subscriptionId: string, month: Month, calls: number): Promise<void>;
  /** Adds counts to the usage history, all or none. */
  addUsage(counts: readonly UsageCount[]): Promise<void>;
  /** The active subscriptions of which most calls of the month are taken, the busiest first. */
  busiestSubscriptions(month: Month, limit: number): Promise<readonly Subscription[]>;
  /**
   * Calls back after any change of accounts, keys or subscriptions, by this process or another, before the one who made the change
   * is told that it is done where this process can be reached. Returns what unsubscribes.
   */
  onChange(callback: OnChange): () => void;
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

/** The operators' and customers' side of the store. Each change is seen by every guard that can reach the store: when it does, `acknowledged` tells. */
export interface AdminStore {
  createAccount(account: { id: string; name: string; email: string | null }): Promise<Account>;
  listAccounts(): Promise<readonly Account[]>;
  /** By id or name. */
  findAccount(idOrName: string): Promise<Account | undefined>;
  setSuspended(accountId: string, suspended: boolean): Promise<Account>;

  /**
   * StoreConflict when the account has 100 keys that are neither revoked nor expired, which is the most. Of the others the 900 that ended
   * last are kept; those before them are deleted here.
   */
  createKey(key: NewKey): Promise<Key>;
  /** Oldest first; revoked and expired ones too. There are never more than 1000. */
  listKeys(accountId: string): Promise<readonly Key[]>;
  findKey(id: string): Promise<Key | undefined>;
  /** Final. StoreConflict when it is revoked already. */
  revokeKey(id: string): Promise<Key>;
  /** StoreConflict when there is no such key, or it is revoked. */
  updateKey(id: string, changes: KeyChanges): Promise<Key>;
  /**
   * In one transaction: makes `next`, with the name and the services that the old key has then, and lets the old key expire at
   * `oldExpiresAtMs`, never later than it would have. StoreConflict as for `createKey`, where the old key counts until it has expired, and
   * when it is revoked.
   */
  rotateKey(oldId: string, next: NextKey, oldExpiresAtMs: number): Promise<{ old: Key; next: Key }>;

  /**
   * An active subscription, or with `state: "requested"` one that waits. StoreConflict when one that is not cancelled exists. Of the
   * account's cancelled subscriptions the 100 that were made last are kept; those before them are deleted here.
   */
  createSubscription(subscription: {
    id: string;
    accountId: string;
    service: ServiceName;
    plan: string;
    state: "active" | "requested";
  }): Promise<Subscription>;
  /** By service, oldest first within one; cancelled ones too. There are never more than 105. */
  listSubscriptions(accountId: string): Promise<readonly Subscription[]>;
  /** By the account's name, then by service, oldest first within one. */
  subscriptionPage(query: SubscriptionQuery): Promise<SubscriptionPage>;
  /** Active subscriptions of all accounts by id, from behind this id on; "" for the first. */
  activeSubscriptionsAfter(id: string, limit: number): Promise<readonly Subscription[]>;
  /** How many active subscriptions each plan has that has any. */
  planSubscribers(): Promise<readonly PlanSubscribers[]>;
  /** Those that are not cancelled, by service. */
  listSubscriptionsInForce(accountId: string): Promise<readonly Subscription[]>;
  /** Whatever its state. */
  findSubscriptionById(id: string): Promise<Subscription | undefined>;
  /** The one that is not cancelled. */
  findSubscription(accountId: string, service: ServiceName): Promise<Subscription | undefined>;
  /** Notes that the customer wants another plan; the one in force takes the wish back. A subscription that waits now waits for this plan. */
  requestPlan(subscriptionId: string, plan: string): Promise<Subscription>;
  /** Puts a plan in force, now. */
  activate(subscriptionId: string, plan: string): Promise<Subscription>;
  cancel(subscriptionId: string): Promise<Subscription>;

  /**
   * Waits until all servers that may be serving have applied the changes that this process has made so far, two seconds at most, and says
   * whether they have. Never rejects.
   */
  acknowledged(): Promise<Acknowledgement>;

  monthStanding(subscriptionIds: readonly string[], month: Month): Promise<readonly MonthStanding[]>;
  /**
   * The usage history, added up: rows in ascending order of what they are told apart by, the first named first, as the database orders
   * text. `total` is how many there are without `limit` and `offset`. In a server nothing else waits for it. TooMuchUsage when there were
   * more counts than `countsMax` a moment before.
   */
  usageRows(query: UsageQuery): Promise<UsageRows>;
}

/** The whole store. */
export interface Store extends GuardStore, AdminStore, OwnerStore {
  /** Closes the database. */
  close(): Promise<void>;
}
