// The interfaces of the store: a narrow one for each kind of user. A method is one transaction unless it says otherwise. It
// rejects with a StoreUnavailable if the database could not be reached, and with a StoreConflict where noted.
import type { ServiceName } from "../catalogue/service-names.ts";
import type { Month } from "../runtime/calendar.ts";
import type { AlertSettingsStore, AlertStore } from "./alert-store.ts";
import type { Actor, AuditNote, AuditPage, AuditQuery } from "./audit-records.ts";
import type { CallPage, CallQuery, LoggedCall } from "./call-records.ts";
import type { OnChange } from "./changes.ts";
import type { HealthCount, HealthQuery, HealthRow } from "./health-records.ts";
import type { IncidentStore } from "./incident-store.ts";
import type { LatencyCount, LatencyQuery, LatencyRows } from "./latency-records.ts";
import type { MemberStore } from "./member-store.ts";
import type { NodeStatus } from "./node-status.ts";
import type { OwnerStore } from "./owner-store.ts";
import type {
  Account,
  AccountPage,
  AccountQuery,
  Credential,
  CreditedCalls,
  Key,
  KeyCap,
  KeyChanges,
  KeyCursor,
  LeasedCalls,
  LeasedCapCalls,
  LeaseGrant,
  LeaseSubject,
  NewKey,
  NextKey,
  PlanName,
  PlanTerms,
  QuotaRaise,
  Subscription,
  SubscriptionPage,
  SubscriptionQuery,
} from "./records.ts";
import type { Acknowledgement } from "./repositories/acknowledgements.ts";
import type { NodeRegistry } from "./repositories/node-registry.ts";
import type {
  BatchId,
  RefusalCount,
  RefusalQuery,
  RefusalRows,
  TopAccounts,
  TopAccountsQuery,
  UsageCount,
  UsageQuery,
  UsageRows,
} from "./usage-records.ts";
import type { WebhookSettingsStore, WebhookStore } from "./webhook-store.ts";

/** The guard's side of the store. */
export interface GuardStore {
  /** What is known about the other nodes, in memory that other threads can share. */
  readonly nodeStatus: NodeStatus;
  /** Finds a key by its SHA-256, lower-case hex; undefined if no key has it. */
  findCredential(keyHash: string): Promise<Credential | undefined>;
  /**
   * Leases up to `want` of the calls that are left of `callsPerMonth` in a month. The lease survives a crash. Concurrent requests share a
   * transaction. Leased calls are counted by account and service: a subscription that follows a cancelled one in the same month continues
   * its count. Leased calls of a key's cap are counted by the cap. StoreConflict if there is no such subscription.
   */
  lease(subject: LeaseSubject, month: Month, callsPerMonth: number, want: number): Promise<LeaseGrant>;
  /** Returns unspent calls to the monthly quota, after a clean stop or a change of plan. The count never goes below zero. */
  returnCalls(subject: LeaseSubject, month: Month, calls: number): Promise<void>;
  /**
   * Adds counts to the usage history, all or none, and records that their keys were used now. A batch is added once, however often it is
   * sent.
   */
  addUsage(counts: readonly UsageCount[], id: BatchId): Promise<void>;
  /**
   * Adds counts of refused calls, all or none, and only once. If an account has more than 500 kinds of refusals in a day, further ones are
   * counted without their key. Daily counts are kept for a year, hourly counts for seven days.
   */
  addRefusals(counts: readonly RefusalCount[], id: BatchId): Promise<void>;
  /**
   * The active subscriptions with the most leased calls in the month, busiest first. If more subscriptions than `limit` have leased about
   * the same number of calls, it is undefined which of them are chosen.
   */
  busiestSubscriptions(month: Month, limit: number): Promise<readonly Subscription[]>;
  /**
   * Calls back after any change to accounts, keys or subscriptions, by this process or another. If this process can be reached, the
   * callback runs before the change is reported as done. Returns a function that unsubscribes.
   */
  onChange(callback: OnChange): () => void;
}

/**
 * The operators' and customers' side of the store. Every guard that can reach the store receives each change; `acknowledged` says when. The
 * transaction of each change also records it in the audit trail, in the name of the actor, or of the program itself if `by` was not called.
 */
export interface AdminStore extends AlertSettingsStore, WebhookSettingsStore, IncidentStore, MemberStore {
  /** The same store on behalf of an actor: changes made through it are recorded in their name. */
  by(actor: Actor): AdminStore & OwnerStore;
  /** Records something other than a change to an account, a key or a subscription. */
  note(note: AuditNote): Promise<void>;
  /**
   * The audit trail, newest first. An account's latest 10,000 entries are kept, each for as long as the store is configured to keep them.
   */
  auditPage(query: AuditQuery): Promise<AuditPage>;

  createAccount(account: { id: string; name: string; email: string | null }): Promise<Account>;
  /** Accounts in the order of their names, starting after the given one; "" for the first. */
  accountsAfter(name: string, limit: number): Promise<readonly Account[]>;
  /** A page of accounts, newest first. In a server this does not delay other work. */
  accountPage(query: AccountQuery): Promise<AccountPage>;
  /** Finds an account by its id, name or e-mail address. */
  findAccount(idOrName: string): Promise<Account | undefined>;
  setSuspended(accountId: string, suspended: boolean): Promise<Account>;
  /** Sets whether the account's owner is an operator. A new operator must sign in again: their sessions and links end. */
  setOperator(accountId: string, isOperator: boolean): Promise<Account>;
  /**
   * Deletes an account: its owner, sessions, keys, usage, names and addresses, including those in the audit trail. Its subscriptions are
   * cancelled. They and the monthly counts stay, under an anonymous id. StoreConflict if there is no such account.
   */
  deleteAccount(accountId: string): Promise<void>;

  /**
   * Creates a key. StoreConflict if the account already has 100 keys that are neither revoked nor expired. The 900 revoked and expired keys
   * that ended last are kept, and older ones are deleted here. Keys with a lifetime of at most an hour are counted separately: 100 that are
   * valid, and 20 that have ended. If the same request has created a key within the last day, and that key is still listed, returns it,
   * with its own id, and changes nothing. RequestIdReused if a different request had the id.
   */
  createKey(key: NewKey): Promise<Key>;
  /** The account's keys, oldest first, including revoked and expired ones. There are never more than 1120. */
  listKeys(accountId: string): Promise<readonly Key[]>;
  /** At most `limit` keys after a given one, which may have been deleted in the meantime. Undefined for the first. */
  keysAfter(accountId: string, after: KeyCursor | undefined, limit: number): Promise<readonly Key[]>;
  findKey(id: string): Promise<Key | undefined>;
  /**
   * When a call with each key of an account was last admitted, to within a minute: milliseconds since the epoch, by the key's id. Keys that
   * were never used are left out.
   */
  keyUses(accountId: string): Promise<ReadonlyMap<string, number>>;
  /** The keys of all accounts that end in these four characters, newest first. */
  keysEndingIn(lastFour: string, limit: number): Promise<readonly Key[]>;
  /** Revokes a key permanently. StoreConflict if it is already revoked. */
  revokeKey(id: string): Promise<Key>;
  /**
   * Changes the given fields of a key. New limits also apply to the keys that it replaced and that replaced it. StoreConflict if there is
   * no such key, or it is revoked.
   */
  updateKey(id: string, changes: KeyChanges): Promise<Key>;
  /**
   * In one transaction: creates `next` with the old key's name, services, notes, allowed callers and limits, and lets the old key expire
   * at `oldExpiresAtMs`, never later than before. If the request of `next` has already been made, changes nothing, and returns both keys as
   * they are now. StoreConflict if the old key is revoked, and in the same cases as `createKey`: the old key counts until it has expired.
   */
  rotateKey(oldId: string, next: NextKey, oldExpiresAtMs: number): Promise<{ old: Key; next: Key }>;

  /**
   * Creates an active subscription or, with `state: "requested"`, one that is pending activation. StoreConflict if the account has one to
   * this service that is not cancelled. The newest 100 cancelled subscriptions of the account are kept; older ones are deleted here.
   */
  createSubscription(subscription: {
    id: string;
    accountId: string;
    service: ServiceName;
    plan: string;
    state: "active" | "requested";
    /** What its plan allows. This decides how much an active subscription is charged for calls of the month that the database has lost. */
    terms?: PlanTerms;
  }): Promise<Subscription>;
  /** Ordered by service, oldest first within each, including cancelled ones. There are never more than 105. */
  listSubscriptions(accountId: string): Promise<readonly Subscription[]>;
  /** Ordered by the account's name, then by service, oldest first within each. */
  subscriptionPage(query: SubscriptionQuery): Promise<SubscriptionPage>;
  /** The plans that have active subscriptions. */
  plansInUse(): Promise<readonly PlanName[]>;
  /** How many active subscriptions a plan has. */
  subscriberCount(plan: PlanName): Promise<number>;
  /** The active subscriptions on a plan in the order of their ids, after this id; "" for the first. */
  subscribersAfter(plan: PlanName, id: string, limit: number): Promise<readonly Pick<Subscription, "id" | "accountId">[]>;
  /** The subscriptions that are not cancelled, by service. */
  listCurrentSubscriptions(accountId: string): Promise<readonly Subscription[]>;
  /** Finds a subscription in any state. */
  findSubscriptionById(id: string): Promise<Subscription | undefined>;
  /** The account's current (not cancelled) subscription to a service. */
  findSubscription(accountId: string, service: ServiceName): Promise<Subscription | undefined>;
  /**
   * Records that the customer requests another plan. Requesting the active plan withdraws an earlier request. If the subscription's first
   * plan is still pending, this one replaces it.
   */
  requestPlan(subscriptionId: string, plan: string): Promise<Subscription>;
  /** Activates a plan at once, and charges the subscription, by the plan's terms, for the calls of the month that the database has lost. */
  activate(subscriptionId: string, plan: string, terms?: PlanTerms): Promise<Subscription>;
  cancel(subscriptionId: string): Promise<Subscription>;
  /** Withdraws the request for a plan, and cancels a subscription that has no other plan. StoreConflict if no plan is pending. */
  declinePlan(subscriptionId: string): Promise<Subscription>;

  /**
   * Waits, for two seconds at most, until all servers have applied the changes that this process has made so far, and says whether they
   * have. Never rejects.
   */
  acknowledged(): Promise<Acknowledgement>;
  /**
   * The servers that share the database, and how far each has applied the changes. Empty for the embedded database, which has only this
   * server.
   */
  nodes(): Promise<NodeRegistry>;

  /**
   * Adds calls to a month of the subscription, on top of the plan's. StoreConflict if there is no such subscription, or if the month's
   * total would exceed 1,000,000,000. `reason` is for the audit trail.
   */
  credit(subscriptionId: string, month: Month, calls: number, reason?: string): Promise<CreditedCalls>;
  leasedCalls(subscriptionIds: readonly string[], month: Month): Promise<readonly LeasedCalls[]>;
  /** How much of each cap is leased. Caps without leased calls are left out. */
  leasedCapCalls(caps: readonly KeyCap[], month: Month): Promise<readonly LeasedCapCalls[]>;
  /** Remembers a raise, so that it is charged to plans that are activated later in the month. `chargeRaise` charges the active ones. */
  addQuotaRaise(raise: QuotaRaise): Promise<void>;
  /**
   * Counts calls as used for subscriptions to one service on one plan, each up to its plan's calls plus its credited calls. Returns the
   * total.
   */
  chargeRaise(raise: QuotaRaise, terms: PlanTerms, service: ServiceName, accountIds: readonly string[]): Promise<number>;
  /**
   * Counts calls as used for the caps of all keys that are not revoked, each up to the cap. `requestsPerSecond`: the highest rate at which
   * a key without a rate limit of its own could have called. Returns how many caps there are.
   */
  raiseCaps(raise: QuotaRaise, requestsPerSecond: number): Promise<number>;
  /**
   * The usage history, added up: rows in ascending order of the grouping columns, as the database sorts strings. `total` is the number of
   * rows without `limit` and `offset`. In a server this does not delay other work. TooMuchUsage if there are more counts than `countsMax`.
   */
  usageRows(query: UsageQuery): Promise<UsageRows>;
  /** Refused calls, added up like the usage history. */
  refusalRows(query: RefusalQuery): Promise<RefusalRows>;
  /** How long calls took, added up like the usage history. In a server this does not delay other work. */
  latencyRows(query: LatencyQuery): Promise<LatencyRows>;
  /** A page of an account's call log, newest first. It may be empty although there is a next page. */
  callPage(query: CallQuery): Promise<CallPage>;
  /** Whether the parameters of an account's calls are kept in its log. */
  keepsParameters(accountId: string): Promise<boolean>;
  /** Sets whether the parameters are kept. If this is switched off, the parameters that were kept are deleted before this resolves. */
  setKeepsParameters(accountId: string, keeps: boolean): Promise<void>;
  /**
   * The usage of all accounts. Reads the whole history of these days, in many short statements, so calls that are counted in the meantime
   * may be in only some of the sums. In a server this does not delay other work.
   */
  topAccounts(query: TopAccountsQuery): Promise<TopAccounts>;
}

export interface Store extends GuardStore, AdminStore, OwnerStore, AlertStore, WebhookStore {
  /**
   * Adds calls to the log, except calls of accounts that do not exist, and calls that were added before. Parameters are kept only for
   * accounts that want them kept. Calls are kept for seven days.
   */
  logCalls(calls: readonly LoggedCall[]): Promise<void>;
  /** Adds measurements, at most one for each subject and hour. They are kept for 90 days. */
  addHealth(counts: readonly HealthCount[]): Promise<void>;
  /**
   * Adds how long calls took, except those of accounts that do not exist. Daily counts are kept for a year, and hourly counts for seven
   * days.
   */
  addLatency(counts: readonly LatencyCount[]): Promise<void>;
  /** What all servers measured from a given hour on: at most one row for each subject and day or hour, by time. */
  healthRows(query: HealthQuery): Promise<readonly HealthRow[]>;
  /**
   * Adds up some of the counts that servers wrote more than half a minute ago, in one transaction. Reports do not depend on it, because
   * they first add up the counts that they need. Returns whether there may be more.
   */
  addUpCounts(): Promise<boolean>;
  /**
   * Deletes expired rows, such as ended sessions, hourly usage older than seven days, and usage and months older than two years: up to 1000
   * rows of each table, in one transaction per table. Returns whether more are left.
   */
  deleteExpired(): Promise<boolean>;
  close(): Promise<void>;
}
