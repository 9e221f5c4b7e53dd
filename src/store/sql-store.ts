// The store, composed of the repositories' queries: the guard's side here, the other in sql-admin-store.ts. Each method is one transaction,
// except reports. A change is announced once it is committed. A driver's error becomes one of the two that the interface promises.
import type { Clock } from "../runtime/clock.ts";
import { SERVER_ACTOR } from "./audit-records.ts";
import type { Backend } from "./backend.ts";
import { Batcher } from "./batcher.ts";
import type { ChangeListeners } from "./changes.ts";
import type { NodeStatus } from "./node-status.ts";
import { forgetLateUsage, sweepDeletedUsage } from "./repositories/account-deletion.ts";
import { findCredentials } from "./repositories/credentials.ts";
import { DELETED_MAX, deleteExpired, ExpiryCheck, firstHourKept } from "./repositories/expired-counts.ts";
import { expiries } from "./repositories/expired-rows.ts";
import { noteKeyUses, RecentKeyUses } from "./repositories/key-uses.ts";
import type { GiveBackAsk, LeaseAsk } from "./repositories/lease-table.ts";
import * as refusals from "./repositories/refusals.ts";
import * as lists from "./repositories/subscription-lists.ts";
import * as usage from "./repositories/usage.ts";
import type { Queries } from "./schema.ts";
import { createSqlAdminStore } from "./sql-admin-store.ts";
import type { Store } from "./store.ts";
import { StoreConflict, StoreUnavailable } from "./store-errors.ts";

interface SqlStoreOptions {
  /** An open database. */
  readonly backend: Backend;
  readonly clock: Clock;
  readonly listeners: ChangeListeners;
  readonly nodeStatus: NodeStatus;
  /** How long entries of the audit trail are kept, in days. */
  readonly auditDays: number;
}

/** A store on an open database whose schema is the one that this version knows. */
export function createSqlStore({ backend, clock, listeners, nodeStatus, auditDays }: SqlStoreOptions): Store {
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
  const recentKeyUses = new RecentKeyUses();
  const oldHours = new ExpiryCheck();
  const oldRefusals = new ExpiryCheck();
  const oldRefusalHours = new ExpiryCheck();
  let sweptToMs = Number.NEGATIVE_INFINITY;
  const { batchMax, underWayMax } = backend.leases;
  const batches = { batchMax, underWayMax };
  const credentials = new Batcher({
    ...batches,
    run: async (keyHashes: readonly string[]) =>
      (await backend.read((db) => findCredentials(db, keyHashes))).map((answer) => ({ answer })),
  });
  const leases = new Batcher({
    ...batches,
    run: (asks: readonly LeaseAsk[], alone) => backend.leases.lease(asks, alone),
  });
  const givenBack = new Batcher({
    ...batches,
    run: (asks: readonly GiveBackAsk[], alone) => backend.leases.giveBack(asks, alone),
  });
  return {
    nodeStatus,
    findCredential: (keyHash) => run(() => credentials.ask(keyHash)),
    lease: (subscriptionId, month, callsPerMonth, want) => run(() => leases.ask({ subscriptionId, month, callsPerMonth, want })),
    giveBack: (subscriptionId, month, calls) => run(() => givenBack.ask({ subscriptionId, month, calls })),
    async addUsage(counts) {
      const nowMs = clock.nowMs();
      const uses = recentKeyUses.due(counts, nowMs);
      const swept = await write(async (db) => {
        await usage.addUsage(db, counts);
        await noteKeyUses(db, uses, nowMs);
        await forgetLateUsage(db, counts);
        if (oldHours.isDue(nowMs)) {
          oldHours.done(await deleteExpired(db, usage.USAGE_HOURS, firstHourKept(nowMs)), nowMs);
        }
        return sweepDeletedUsage(db, sweptToMs, nowMs);
      });
      sweptToMs = Math.max(sweptToMs, swept);
      recentKeyUses.written(uses, nowMs);
    },
    async addRefusals(counts) {
      const nowMs = clock.nowMs();
      await write(async (db) => {
        await refusals.addRefusals(db, counts);
        await forgetLateUsage(db, counts);
        if (oldRefusals.isDue(nowMs)) {
          oldRefusals.done(await deleteExpired(db, refusals.REFUSAL_COUNTS, refusals.firstRefusalDayKept(nowMs)), nowMs);
        }
        if (oldRefusalHours.isDue(nowMs)) {
          oldRefusalHours.done(await deleteExpired(db, refusals.REFUSAL_HOURS, firstHourKept(nowMs)), nowMs);
        }
      });
    },
    async deleteExpired() {
      const nowMs = clock.nowMs();
      let hasMore = false;
      for (const [table, before] of expiries(nowMs)) {
        hasMore = (await write((db) => deleteExpired(db, table, before))) === DELETED_MAX || hasMore;
      }
      return hasMore;
    },
    busiestSubscriptions: (month, limit) => read((db) => lists.busiestSubscriptions(db, month, limit)),
    onChange: (callback) => listeners.add(callback),

    ...createSqlAdminStore({ backend, clock, auditDays, run }, SERVER_ACTOR),

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

function translate(backend: Backend, error: unknown): unknown {
  if (error instanceof StoreConflict) {
    return error;
  }
  switch (backend.failingOf(error)) {
    case "unavailable":
      return new StoreUnavailable("The database could not be queried.", { cause: error });
    case "conflict":
      return new StoreConflict("The change breaks a rule of the database, and nothing was changed.", { cause: error });
    case "defect":
      return error;
  }
}
