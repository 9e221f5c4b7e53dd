// The store as the rest of the program sees it: one narrow interface for each reader. A method is one transaction unless it says otherwise. It
// rejects with a StoreUnavailable when the database could not be asked, and with a StoreConflict where noted.
import type { ServiceName } from "../catalogue/service-names.ts";
import type { Actor, AuditNote, AuditPage, AuditQuery } from "./audit-records.ts";
import type { OnChange } from "./changes.ts";
import type { NodeStatus } from "./node-status.ts";
import type { OwnerStore } from "./owner-store.ts";
import type {
  Account,
  AccountPage,
  AccountQuery,
  Credential,
  CreditedCalls,
  Key,
  KeyChanges,
  LeasedCalls,
  LeaseGrant,
  Month,
  NewKey,
  NextKey,
  PlanSubscribers,
  RefusalCount,
  RefusalQuery,
  RefusalRows,
  Subscription,
  SubscriptionPage,
  SubscriptionQuery,
  TopAccounts,
  TopAccountsQuery,
  UsageCount,
  UsageQuery,
  UsageRows,
} from "./records.ts";
import type { Acknowledgement } from "./repositories/acknowledgements.ts";
import type { NodeRegistry } from "./repositories/node-registry.ts";

/** The guard's side of the store. */
export interface GuardStore {
  /** What is known of the other nodes, in memory that other threads can share. */
  readonly nodeStatus: NodeStatus;
  /** By the SHA-256 of the whole key, lower-case hex; undefined when no key has it. */
  findCredential(keyHash: string): Promise<Credential | undefined>;
  /**
   * Leases up to `want` calls of what is left of `callsPerMonth` in a month. The transaction survives a crash, and is shared with others who ask
   * at the same time. Leased calls are counted by account and service: a subscription that follows a cancelled one in the same month
   * starts from its count. StoreConflict when there is no such subscription.
   */
  lease(subscriptionId: string, month: Month, callsPerMonth: number, want: number): Promise<LeaseGrant>;
  /** Gives back calls that were not spent, on a clean stop or a change of plan. The count never goes below zero. */
  giveBack(subscriptionId: string, month: Month, calls: number): Promise<void>;
  /** Adds counts to the usage history, all or none, and notes that their keys were used now. */
  addUsage(counts: readonly UsageCount[]): Promise<void>;
  /**
   * Adds counts of refused calls, all or none. Of a day on which an account has more than 500 of them, further ones are counted without their
   * key. They are kept for a year, by the hour for seven days.
   */
  addRefusals(counts: readonly RefusalCount[]): Promise<void>;
  /** The active subscriptions with most calls leased in the month, the busiest first. */
  busiestSubscriptions(month: Month, limit: number): Promise<readonly Subscription[]>;
  /**
   * Calls back after any change of accounts, keys or subscriptions, by this process or another. Where this process can be reached, that is before
   * the change is reported as done to its maker. Returns a function that unsubscribes.
   */
  onChange(callback: OnChange): () => void;
}

/**
 * The operators' and customers' side of the store. Every guard that can reach the store receives each change; `acknowledged` says when. Each
 * change is noted in the audit trail in its own transaction, as that of the actor whose store it is; of the program itself where `by` was
 * not asked.
 */
export interface AdminStore {
  /** The same store in the name of somebody: what is changed through it is noted as theirs. */
  by(actor: Actor): AdminStore & OwnerStore;
  /** Notes what is no change of an account, a key or a subscription. */
  note(note: AuditNote): Promise<void>;
  /** The audit trail, newest first. An account's latest 10,000 entries are kept, each for as long as the store is set to. */
  auditPage(query: AuditQuery): Promise<AuditPage>;

  createAccount(account: { id: string; name: string; email: string | null }): Promise<Account>;
  listAccounts(): Promise<readonly Account[]>;
  /** Newest first. Reads all accounts; in a server nothing else waits for this. */
  accountPage(query: AccountQuery): Promise<AccountPage>;
  /** By id, name or e-mail address. */
  findAccount(idOrName: string): Promise<Account | undefined>;
  setSuspended(accountId: string, suspended: boolean): Promise<Account>;
  /** Says whether the account's owner is an operator. */
  setOperator(accountId: string, isOperator: boolean): Promise<Account>;
  /**
   * Deletes an account: its owner, sessions, keys, usage, names and addresses, also those in the audit trail. Its subscriptions are cancelled. They
   * and the calls of its months stay, under an id that names nobody. StoreConflict when there is no such account.
   */
  deleteAccount(accountId: string): Promise<void>;

  /**
   * StoreConflict when the account has 100 keys that are neither revoked nor expired, which is the most. Of the others the 900 that ended last are
   * kept; older ones are deleted here. Keys whose lifetime is an hour at most are counted apart: 20, and 20 that have ended.
   */
  createKey(key: NewKey): Promise<Key>;
  /** Oldest first; revoked and expired ones too. There are never more than 1040. */
  listKeys(accountId: string): Promise<readonly Key[]>;
  findKey(id: string): Promise<Key | undefined>;
  /**
   * When a call was last let in with each key of an account, in milliseconds since the epoch, by the key's id: to within a minute. Keys that
   * were never used are left out.
   */
  keyUses(accountId: string): Promise<ReadonlyMap<string, number>>;
  /** The keys of all accounts that end so, latest first. */
  keysEndingIn(lastFour: string, limit: number): Promise<readonly Key[]>;
  /** Final. StoreConflict when it is revoked already. */
  revokeKey(id: string): Promise<Key>;
  /** StoreConflict when there is no such key, or it is revoked. */
  updateKey(id: string, changes: KeyChanges): Promise<Key>;
  /**
   * In one transaction: makes `next` with the old key's name and services, and lets the old key expire at `oldExpiresAtMs`, never later than it
   * would have. StoreConflict as for `createKey`, where the old key counts until it has expired, and
   * when it is revoked.
   */
  rotateKey(oldId: string, next: NextKey, oldExpiresAtMs: number): Promise<{ old: Key; next: Key }>;

  /**
   * An active subscription, or with `state: "requested"` one that waits. StoreConflict when one that is not cancelled exists. Of the
   * account's cancelled subscriptions the newest 100 are kept; older ones are deleted here.
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
  /** Active subscriptions of all accounts in the order of their ids, after this id; "" for the first. */
  activeSubscriptionsAfter(id: string, limit: number): Promise<readonly Subscription[]>;
  /** How many active subscriptions each plan has. Plans without any are left out. */
  planSubscribers(): Promise<readonly PlanSubscribers[]>;
  /** The subscriptions that are not cancelled, by service. */
  listSubscriptionsInForce(accountId: string): Promise<readonly Subscription[]>;
  /** Whatever its state. */
  findSubscriptionById(id: string): Promise<Subscription | undefined>;
  /** The subscription that is not cancelled. */
  findSubscription(accountId: string, service: ServiceName): Promise<Subscription | undefined>;
  /** Notes that the customer wants another plan. Asking for the plan in force takes the request back. A waiting subscription then waits for this plan. */
  requestPlan(subscriptionId: string, plan: string): Promise<Subscription>;
  /** Puts a plan in force, now. */
  activate(subscriptionId: string, plan: string): Promise<Subscription>;
  cancel(subscriptionId: string): Promise<Subscription>;
  /**
   * Takes back the request for a plan that waits: a subscription that has no other plan is cancelled. StoreConflict when none waits.
   */
  declinePlan(subscriptionId: string): Promise<Subscription>;

  /**
   * Waits, for two seconds at most, until all servers have applied the changes that this process has made so far, and says whether they have.
   * Never rejects.
   */
  acknowledged(): Promise<Acknowledgement>;
  /** The servers that share the database, and how far each has applied the changes. Of the embedded database there is one, and it is not listed. */
  nodes(): Promise<NodeRegistry>;

  /**
   * Gives the subscription's account calls of a month on top of the plan's. StoreConflict when there is no such subscription, or when these make
   * more than 1,000,000,000 of the month.
   */
  credit(subscriptionId: string, month: Month, calls: number): Promise<CreditedCalls>;
  leasedCalls(subscriptionIds: readonly string[], month: Month): Promise<readonly LeasedCalls[]>;
  /**
   * The usage history, added up: rows in ascending order of what they are grouped by, as the database orders text. `total` is how many there are
   * without `limit` and `offset`. In a server nothing else waits for this. TooMuchUsage when there were more counts than `countsMax`.
   */
  usageRows(query: UsageQuery): Promise<UsageRows>;
  /** Refused calls, added up like the usage history. */
  refusalRows(query: RefusalQuery): Promise<RefusalRows>;
  /** The usage of all accounts. Reads the whole history of the span; in a server nothing else waits for this. */
  topAccounts(query: TopAccountsQuery): Promise<TopAccounts>;
}

/** The whole store. */
export interface Store extends GuardStore, AdminStore, OwnerStore {
  /** Closes the database. */
  close(): Promise<void>;
}
