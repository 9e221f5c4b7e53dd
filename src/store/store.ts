// The store: the methods of all repositories, on one open database. A method is one transaction unless it says otherwise. It rejects with a
// StoreUnavailable if the database could not be reached, and with a StoreConflict where noted. Who needs a part of it names the methods, as
// in `Pick<Store, "findKey">`.
import type { Month } from "../runtime/calendar.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Actor, AuditNote, AuditQuery } from "./audit-records.ts";
import type { Backend, LeaseRequest, ReturnRequest } from "./backend.ts";
import { Batcher } from "./batcher.ts";
import type { ChangeListeners, OnChange } from "./changes.ts";
import { CountAggregator } from "./count-aggregator.ts";
import type { NodeStatus } from "./node-status.ts";
import type { LeaseSubject } from "./records.ts";
import { accountDeletionMethods } from "./repositories/account-deletion.ts";
import { accountMethods } from "./repositories/accounts.ts";
import { alertMethods } from "./repositories/alert-checks.ts";
import { AUDIT_DAYS, auditPage } from "./repositories/audit.ts";
import { writeBatch } from "./repositories/count-batches.ts";
import { findCredentials } from "./repositories/credentials.ts";
import { DELETED_MAX, deleteExpired } from "./repositories/expired-counts.ts";
import { deleteOldLedgers, expiries } from "./repositories/expired-rows.ts";
import { addHealth, healthRows } from "./repositories/health.ts";
import { incidentMethods } from "./repositories/incidents.ts";
import { keyMethods } from "./repositories/keys.ts";
import { addLatency, latencyRows } from "./repositories/latency.ts";
import { callLogMethods, logCalls } from "./repositories/logged-calls.ts";
import { mailTokenMethods } from "./repositories/mail-tokens.ts";
import { memberMethods } from "./repositories/members.ts";
import { ownerMethods } from "./repositories/owners.ts";
import { paidPeriodMethods } from "./repositories/paid-periods.ts";
import { passkeyMethods } from "./repositories/passkeys.ts";
import { paymentMethods } from "./repositories/payments.ts";
import { planMethods } from "./repositories/plans.ts";
import { sessionMethods } from "./repositories/sessions.ts";
import { subscriptionMethods } from "./repositories/subscriptions.ts";
import { twoFactorMethods } from "./repositories/two-factors.ts";
import { refusalRows, topAccounts, usageRows } from "./repositories/usage.ts";
import { webhookMethods } from "./repositories/webhook-claims.ts";
import type { Queries } from "./schema.ts";
import { StoreUnavailable, storeErrorOf } from "./store-errors.ts";
import { type Bound, read, Transactions } from "./transactions.ts";
import type {
  BatchId,
  HealthCount,
  LatencyCount,
  LatencyQuery,
  LoggedCall,
  RefusalCount,
  RefusalQuery,
  TopAccountsQuery,
  UsageCount,
  UsageQuery,
} from "./usage-records.ts";

const METHODS = {
  /** Records something other than a change to an account, a key or a subscription. */
  note: (transactions: Transactions) => (note: AuditNote) => transactions.write((db) => transactions.record(db, note)),
  /**
   * The audit trail, newest first. An account's latest 10,000 entries are kept, each for 400 days.
   */
  auditPage: (transactions: Transactions) => async (query: AuditQuery) => ({
    ...(await transactions.read((db) => auditPage(db, query))),
    keptDays: AUDIT_DAYS,
  }),
  ...accountMethods,
  ...accountDeletionMethods,
  ...keyMethods,
  ...planMethods,
  ...subscriptionMethods,
  ...paidPeriodMethods,
  ...paymentMethods,
  ...ownerMethods,
  ...mailTokenMethods,
  ...sessionMethods,
  ...twoFactorMethods,
  ...passkeyMethods,
  ...memberMethods,
  ...alertMethods,
  ...webhookMethods,
  ...incidentMethods,
  ...callLogMethods,
  usageRows: (transactions: Transactions) => (query: UsageQuery) =>
    transactions.addUpThen(query.accountId, (backend) => usageRows(backend, query)),
  refusalRows: (transactions: Transactions) => (query: RefusalQuery) =>
    transactions.addUpThen(query.accountId, (backend) => refusalRows(backend, query)),
  latencyRows: (transactions: Transactions) => (query: LatencyQuery) =>
    transactions.report((backend) => latencyRows(backend, query)),
  topAccounts: (transactions: Transactions) => (query: TopAccountsQuery) =>
    transactions.report(async (backend) => {
      await transactions.options.countAggregator.addUpAll();
      return topAccounts(backend, query);
    }),
  healthRows: read(healthRows),
  addHealth: (transactions: Transactions) => (counts: readonly HealthCount[]) =>
    transactions.writeSyncedLater((db) => addHealth(db, counts)),
  addLatency: (transactions: Transactions) => (counts: readonly LatencyCount[]) =>
    transactions.writeSyncedLater((db) => addLatency(db, counts)),
  /**
   * The servers that share the database, and how far each has applied the changes. Empty for the embedded database, which has only this
   * server.
   */
  nodes: (transactions: Transactions) => () => transactions.report((backend) => backend.nodes()),
  /**
   * Waits, for two seconds at most, until all servers have applied the changes that this process has made so far, and says whether they
   * have. Never rejects.
   */
  acknowledged: (transactions: Transactions) => () => transactions.options.backend.acknowledged(),
  /**
   * Adds up some of the counts that servers wrote more than half a minute ago, in one transaction. Reports do not depend on it, because
   * they first add up the counts that they need. Returns whether there may be more.
   */
  addUpCounts: (transactions: Transactions) => () => transactions.report(() => transactions.options.countAggregator.addUpSome()),
  /**
   * Deletes expired rows, such as ended sessions, hourly usage older than seven days, and usage and months older than two years: up to 1000
   * rows of each table, in one transaction per table. Returns whether more are left.
   */
  deleteExpired: (transactions: Transactions) => async () => {
    const { nowMs } = transactions;
    let hasMore = await transactions.writeSyncedLater((db) => deleteOldLedgers(db, nowMs));
    for (const [table, before] of expiries(nowMs)) {
      hasMore = (await transactions.writeSyncedLater((db) => deleteExpired(db, table, before))) === DELETED_MAX || hasMore;
    }
    return hasMore;
  },
};

/** The methods that operators and customers use, on behalf of an actor. */
export interface AdminStore extends Bound<typeof METHODS> {
  /** The same methods on behalf of another actor: changes made through them are recorded in their name. */
  readonly by: (actor: Actor) => AdminStore;
}

// On behalf of an actor, most callers use one method, so each is bound when it is used.
class ActorsMethods {
  readonly transactions: Transactions;

  constructor(transactions: Transactions) {
    this.transactions = transactions;
  }

  by(actor: Actor): AdminStore {
    return new ActorsMethods(new Transactions(this.transactions.options, actor)) as unknown as AdminStore;
  }

  static {
    for (const [name, method] of Object.entries(METHODS)) {
      Object.defineProperty(ActorsMethods.prototype, name, {
        get(this: ActorsMethods) {
          return method(this.transactions);
        },
      });
    }
  }
}

export type Store = ReturnType<typeof createStore>;

/** What a guard uses. */
export type GuardStore = Pick<
  Store,
  "nodeStatus" | "findCredential" | "lease" | "returnCalls" | "addUsage" | "addRefusals" | "busiestSubscriptions" | "onChange"
>;

interface StoreOptions {
  readonly backend: Backend;
  readonly clock: Clock;
  readonly listeners: ChangeListeners;
  readonly nodeStatus: NodeStatus;
}

/** A store on an open database whose schema is the one that this version knows. */
export function createStore({ backend, clock, listeners, nodeStatus }: StoreOptions) {
  let closed = false;
  const inFlight = new Set<Promise<unknown>>();
  const run = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (closed) {
      throw new StoreUnavailable("The store is closed.");
    }
    const running = work();
    inFlight.add(running);
    try {
      return await running;
    } catch (error) {
      throw storeErrorOf(backend.failureKindOf(error), error);
    } finally {
      inFlight.delete(running);
    }
  };
  const writeOnce = (work: (db: Queries) => Promise<void>) => run(() => backend.writeOnce(work));
  const countAggregator = new CountAggregator(backend, clock);
  const { batchMax, concurrencyMax } = backend.leases;
  const batches = { batchMax, concurrencyMax };
  const credentials = new Batcher({
    ...batches,
    run: async (keyHashes: readonly string[]) =>
      (await backend.read((db) => findCredentials(db, keyHashes))).map((result) => ({ result })),
  });
  const leases = new Batcher({
    ...batches,
    run: (requests: readonly LeaseRequest[], alone) => backend.leases.lease(requests, alone),
  });
  const returned = new Batcher({
    ...batches,
    run: (requests: readonly ReturnRequest[], alone) => backend.leases.returnCalls(requests, alone),
  });
  const own = new ActorsMethods(new Transactions({ backend, clock, countAggregator, run }));
  return {
    /** What is known about the other nodes, in memory that other threads can share. */
    nodeStatus,
    /** Finds a key by its SHA-256, lower-case hex; undefined if no key has it. */
    findCredential: (keyHash: string) => run(() => credentials.request(keyHash)),
    /**
     * Leases up to `want` of the calls that are left of `callsPerMonth` in a month. The lease survives a crash. Concurrent requests share a
     * transaction. Leased calls are counted by account and service: a subscription that follows a cancelled one in the same month continues
     * its count. Leased calls of a key's cap are counted by the cap. StoreConflict if there is no such subscription.
     */
    lease: (subject: LeaseSubject, month: Month, callsPerMonth: number, want: number) =>
      run(() => leases.request({ subject, month, callsPerMonth, want })),
    /** Returns unspent calls to the monthly quota, after a clean stop or a change of plan. The count never goes below zero. */
    returnCalls: (subject: LeaseSubject, month: Month, calls: number): Promise<void> =>
      run(() => returned.request({ subject, month, calls })),
    /**
     * Adds counts to the usage history, all or none, and records that their keys were used now. A batch is added once, however often it is
     * sent.
     */
    addUsage: (counts: readonly UsageCount[], id: BatchId) =>
      writeOnce((db) => writeBatch(db, { kind: "usage", counts }, id, clock.nowMs())),
    /**
     * Adds counts of refused calls, all or none, and only once. If an account has more than 500 kinds of refusals in a day, further ones
     * are counted without their key. Daily counts are kept for a year, hourly counts for seven days.
     */
    addRefusals: (counts: readonly RefusalCount[], id: BatchId) =>
      writeOnce((db) => writeBatch(db, { kind: "refusals", counts }, id, clock.nowMs())),
    /**
     * Adds calls to the log, except calls of accounts that do not exist, and calls that were added before. Parameters are kept only for
     * accounts that want them kept. Calls are kept for seven days.
     */
    logCalls: (calls: readonly LoggedCall[]) => writeOnce((db) => logCalls(db, calls)),
    /**
     * Calls back after any change to accounts, keys or subscriptions, by this process or another. If this process can be reached, the
     * callback runs before the change is reported as done. Returns a function that unsubscribes.
     */
    onChange: (callback: OnChange) => listeners.add(callback),
    ...(Object.fromEntries(Object.entries(METHODS).map(([name, method]) => [name, method(own.transactions)])) as Bound<
      typeof METHODS
    >),
    by: (actor: Actor) => own.by(actor),
    async close() {
      if (!closed) {
        closed = true;
        // Queries that have already started finish first.
        await Promise.allSettled(inFlight);
        await backend.close();
      }
    },
  };
}
