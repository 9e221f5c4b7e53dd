// The store, composed of the repositories' queries: the guard's side is here, the operators' and customers' side in sql-admin-store.ts.
// Each method is one transaction, except reports. A change is announced once it is committed. A driver's error is translated into one of
// the two errors that the interface promises.
import type { Clock } from "../runtime/clock.ts";
import { alertMethods } from "./admin/alert-methods.ts";
import { webhookMethods } from "./admin/webhook-methods.ts";
import { SERVER_ACTOR } from "./audit-records.ts";
import type { Backend } from "./backend.ts";
import { Batcher } from "./batcher.ts";
import type { ChangeListeners } from "./changes.ts";
import { CountAggregator } from "./count-aggregator.ts";
import type { NodeStatus } from "./node-status.ts";
import { writeBatch } from "./repositories/count-batches.ts";
import { findCredentials } from "./repositories/credentials.ts";
import { DELETED_MAX, deleteExpired } from "./repositories/expired-counts.ts";
import { deleteOldLedgers, expiries } from "./repositories/expired-rows.ts";
import { addHealth, healthRows } from "./repositories/health.ts";
import { addLatency } from "./repositories/latency.ts";
import type { LeaseRequest, ReturnRequest } from "./repositories/lease-table.ts";
import { logCalls } from "./repositories/logged-calls.ts";
import * as lists from "./repositories/subscription-lists.ts";
import type { Queries } from "./schema.ts";
import { createSqlAdminStore } from "./sql-admin-store.ts";
import type { Store } from "./store.ts";
import { StoreUnavailable, storeErrorOf } from "./store-errors.ts";

interface SqlStoreOptions {
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
  const read = <Result>(work: (db: Queries) => Promise<Result>) => run(() => backend.read(work));
  const write = <Result>(work: (db: Queries) => Promise<Result>) => run(() => backend.write(work));
  const writeSyncedLater = <Result>(work: (db: Queries) => Promise<Result>) => run(() => backend.writeSyncedLater(work));
  const writeOnce = <Result>(work: (db: Queries) => Promise<Result>) => run(() => backend.writeOnce(work));
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
  return {
    nodeStatus,
    findCredential: (keyHash) => run(() => credentials.request(keyHash)),
    lease: (subject, month, callsPerMonth, want) => run(() => leases.request({ subject, month, callsPerMonth, want })),
    returnCalls: (subject, month, calls) => run(() => returned.request({ subject, month, calls })),
    addUsage: (counts, id) => writeOnce((db) => writeBatch(db, { kind: "usage", counts }, id, clock.nowMs())),
    addRefusals: (counts, id) => writeOnce((db) => writeBatch(db, { kind: "refusals", counts }, id, clock.nowMs())),
    addHealth: (counts) => writeSyncedLater((db) => addHealth(db, counts)),
    addLatency: (counts) => writeSyncedLater((db) => addLatency(db, counts)),
    healthRows: (query) => read((db) => healthRows(db, query)),
    logCalls: (calls) => writeOnce((db) => logCalls(db, calls)),
    addUpCounts: () => run(() => countAggregator.addUpSome()),
    async deleteExpired() {
      const nowMs = clock.nowMs();
      let hasMore = await writeSyncedLater((db) => deleteOldLedgers(db, nowMs));
      for (const [table, before] of expiries(nowMs, auditDays)) {
        hasMore = (await writeSyncedLater((db) => deleteExpired(db, table, before))) === DELETED_MAX || hasMore;
      }
      return hasMore;
    },
    busiestSubscriptions: (month, limit) => read((db) => lists.busiestSubscriptions(db, month, limit)),
    onChange: (callback) => listeners.add(callback),

    ...alertMethods({ nowMs: () => clock.nowMs(), read, write, writeSyncedLater }),
    ...webhookMethods({ nowMs: () => clock.nowMs(), read, write }),
    ...createSqlAdminStore({ backend, clock, auditDays, countAggregator, run }, SERVER_ACTOR),

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
