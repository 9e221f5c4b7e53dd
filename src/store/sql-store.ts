// The store, made of the repositories' queries. Each method is one transaction, except reports. A change is announced once it is committed, and a
// driver's error becomes one of the two that the interface promises.
import type { Clock } from "../runtime/clock.ts";
import type { Backend } from "./backend.ts";
import { Batcher } from "./batcher.ts";
import type { ChangeListeners } from "./changes.ts";
import type { NodeStatus } from "./node-status.ts";
import * as accounts from "./repositories/accounts.ts";
import { findCredentials } from "./repositories/credentials.ts";
import * as keys from "./repositories/keys.ts";
import type { LeaseAsk, LeaseReturn } from "./repositories/lease-table.ts";
import { leasedCalls } from "./repositories/leases.ts";
import * as owners from "./repositories/owners.ts";
import * as sessions from "./repositories/sessions.ts";
import * as lists from "./repositories/subscription-lists.ts";
import * as subscriptions from "./repositories/subscriptions.ts";
import * as usage from "./repositories/usage.ts";
import type { Queries } from "./schema.ts";
import type { Store } from "./store.ts";
import { StoreConflict, StoreUnavailable } from "./store-errors.ts";

/** A store on an open database whose schema is the one that this version knows. */
export function createSqlStore(backend: Backend, clock: Clock, listeners: ChangeListeners, nodeStatus: NodeStatus): Store {
  let closed = false;
  const inFlight = new Set<Promise<unknown>>();
  const run = async <Answer>(work: () => Promise<Answer>): Promise<Answer> => {
    if (closed) {
      throw new StoreUnavailable("The store is closed.");
    }
    const running = work();
    inFlight.add(running);
    try {
      return await running;
    } catch (error) {
      throw translate(backend, error);
    } finally {
      inFlight.delete(running);
    }
  };
  const read = <Answer>(work: (db: Queries) => Promise<Answer>) => run(() => backend.read(work));
  const write = <Answer>(work: (db: Queries) => Promise<Answer>) => run(() => backend.write(work));
  const change = <Answer>(work: (db: Queries) => Promise<Answer>, accountOf: (answer: Answer) => string) =>
    run(() => backend.change(work, accountOf));
  // The account that the changed record belongs to.
  const changeOwned = <Answer extends { readonly accountId: string }>(work: (db: Queries) => Promise<Answer>) =>
    change(work, ({ accountId }) => accountId);
  const { batchMax, underWayMax } = backend.leases;
  const batches = { batchMax, underWayMax };
  const credentials = new Batcher({
    ...batches,
    run: async (keyHashes: readonly string[]) =>
      (await backend.read((db) => findCredentials(db, keyHashes))).map((answer) => ({ answer })),
  });
  const leases = new Batcher({
    ...batches,
    run: (asks: readonly LeaseAsk[], alone) => backend.leases.take(asks, alone),
  });
  const returns = new Batcher({
    ...batches,
    run: (calls: readonly LeaseReturn[], alone) => backend.leases.giveBack(calls, alone),
  });
  return {
    nodeStatus,
    findCredential: (keyHash) => run(() => credentials.ask(keyHash)),
    lease: (subscriptionId, month, callsPerMonth, want) => run(() => leases.ask({ subscriptionId, month, callsPerMonth, want })),
    giveBack: (subscriptionId, month, calls) => run(() => returns.ask({ subscriptionId, month, calls })),
    addUsage: (counts) => write((db) => usage.addUsage(db, counts)),
    busiestSubscriptions: (month, limit) => read((db) => lists.busiestSubscriptions(db, month, limit)),
    onChange: (callback) => listeners.add(callback),

    createAccount: (account) =>
      change(
        (db) => accounts.createAccount(db, account, clock.nowMs()),
        ({ id }) => id,
      ),
    listAccounts: () => read(accounts.listAccounts),
    findAccount: (idOrName) => read((db) => accounts.findAccount(db, idOrName)),
    setSuspended: (accountId, suspended) =>
      change(
        (db) => accounts.setSuspended(db, accountId, suspended),
        ({ id }) => id,
      ),

    createKey: (key) => changeOwned((db) => keys.createKey(db, key, clock.nowMs())),
    listKeys: (accountId) => read((db) => keys.listKeys(db, accountId)),
    findKey: (id) => read((db) => keys.findKey(db, id)),
    revokeKey: (id) => changeOwned((db) => keys.revokeKey(db, id, clock.nowMs())),
    updateKey: (id, changes) => changeOwned((db) => keys.updateKey(db, id, changes)),
    rotateKey: (oldId, next, oldExpiresAtMs) =>
      change(
        (db) => keys.rotateKey(db, oldId, next, oldExpiresAtMs, clock.nowMs()),
        ({ next }) => next.accountId,
      ),

    createSubscription: (subscription) => changeOwned((db) => subscriptions.createSubscription(db, subscription, clock.nowMs())),
    listSubscriptions: (accountId) => read((db) => subscriptions.listSubscriptions(db, accountId)),
    listSubscriptionsInForce: (accountId) => read((db) => subscriptions.listSubscriptionsInForce(db, accountId)),
    subscriptionPage: (query) => read((db) => lists.subscriptionPage(db, query)),
    activeSubscriptionsAfter: (id, limit) => read((db) => lists.activeSubscriptionsAfter(db, id, limit)),
    planSubscribers: () => read(lists.planSubscribers),
    findSubscriptionById: (id) => read((db) => subscriptions.findSubscriptionById(db, id)),
    findSubscription: (accountId, service) => read((db) => subscriptions.findSubscription(db, accountId, service)),
    requestPlan: (id, plan) => changeOwned((db) => subscriptions.requestPlan(db, id, plan)),
    activate: (id, plan) => changeOwned((db) => subscriptions.activate(db, id, plan)),
    cancel: (id) => changeOwned((db) => subscriptions.cancel(db, id)),

    acknowledged: () => backend.acknowledged(),

    leasedCalls: (ids, month) => read((db) => leasedCalls(db, ids, month)),
    usageRows: (query) => run(() => usage.usageRows(backend, query)),

    // Nobody knows of a new account yet, so nothing is announced.
    createOwnedAccount: (account, hash) => write((db) => owners.createOwnedAccount(db, account, hash, clock.nowMs())),
    findOwner: (email) => read((db) => owners.findOwner(db, email)),
    findOwnerOf: (accountId) => read((db) => owners.findOwnerOf(db, accountId)),
    setOwnerPassword: (accountId, hash) => write((db) => owners.setOwnerPassword(db, accountId, hash, clock.nowMs())),
    changeOwnerPassword: (accountId, hashes) => write((db) => owners.changeOwnerPassword(db, accountId, hashes, clock.nowMs())),
    beginSession: (session) => write((db) => sessions.beginSession(db, session, clock.nowMs())),
    findSession: (tokenHash) => read((db) => sessions.findSession(db, tokenHash, clock.nowMs())),
    prolongSession: (tokenHash, expiresAtMs) => write((db) => sessions.prolongSession(db, tokenHash, expiresAtMs)),
    endSession: (tokenHash) => write((db) => sessions.endSession(db, tokenHash)),

    async close() {
      if (!closed) {
        closed = true;
        // Queries that were asked for before are done first.
        await Promise.allSettled(inFlight);
        await backend.close();
      }
    },
  };
}

function translate(backend: Backend, error: unknown): unknown {
  if (error instanceof StoreConflict) {
    return error;
  }
  switch (backend.failingOf(error)) {
    case "unavailable":
      return new StoreUnavailable("The database could not be asked.", { cause: error });
    case "conflict":
      return new StoreConflict("The change breaks a rule of the database, and nothing was changed.", { cause: error });
    case "defect":
      return error;
  }
}
