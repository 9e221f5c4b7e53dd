// A region's database, from which its servers lease calls of the month: what the home database has granted to the region, and what its
// servers have leased of that.
import { sql } from "kysely";
import type { RegionConfig } from "../../config/region.ts";
import type { Month } from "../../runtime/calendar.ts";
import type { Clock } from "../../runtime/clock.ts";
import { Batcher, type BatchResult } from "../batcher.ts";
import { failureKindOf } from "../postgres/postgres-errors.ts";
import { StoreUnavailable, storeErrorOf } from "../store-errors.ts";
import { requireRegion } from "./migrate-region.ts";
import { openRegionDatabase, regionRefusal } from "./region-database.ts";
import {
  type QuotaName,
  type RegionLease,
  type RegionLeaseRequest,
  type RegionQuota,
  type RegionReport,
  subjectOf,
  subjectText,
} from "./region-records.ts";
import {
  dueStatement,
  type LeasedRow,
  leaseStatement,
  type QuotaRow,
  quotasStatement,
  reportStatement,
  returnStatement,
} from "./region-statements.ts";

const BATCHES = { batchMax: 250, concurrencyMax: 2 };
const DELETED_MAX = 1000;
// Rows of the current month must never be deleted: the home database would be asked for their calls again. So the month is that of the
// database's own clock, and the one before is kept too.
const KEPT = sql`to_char((now() at time zone 'UTC') - interval '40 days', 'YYYY-MM')`;

/** The region's side of the store. Methods reject with a StoreUnavailable if the database could not be reached. */
export interface RegionStore {
  /** Generated when the database is created. The home database counts its grants by this id. */
  readonly id: string;
  /** Leases calls that the region holds: at most as many as were granted to it and not given back. The lease survives a crash. */
  lease(request: RegionLeaseRequest): Promise<RegionLease>;
  /** Takes back calls that a server has leased and not spent. */
  returnCalls(quota: QuotaName, calls: number): Promise<void>;
  /** Records a grant, and gives back what the region is not to keep. A grant that was recorded before changes nothing. */
  record(report: RegionReport): Promise<RegionQuota>;
  /** Quotas of which the region holds calls, and that the home database has not reported on since a time. No other server gets them too. */
  due(month: Month, beforeMs: number, limit: number): Promise<readonly RegionQuota[]>;
  /** Those of these quotas that the region knows, in any order. */
  quotas(names: readonly QuotaName[]): Promise<readonly RegionQuota[]>;
  /** Deletes some quotas of months that are over. Returns whether there may be more. */
  deleteExpired(): Promise<boolean>;
  close(): Promise<void>;
}

/** Opens the region's database for a server. Rejects with StoreRefused, which says what to do, if it cannot be used. */
export async function openRegion(region: RegionConfig, clock: Clock): Promise<RegionStore> {
  const { db, close } = openRegionDatabase(region, "server", clock);
  let closed = false;
  const inFlight = new Set<Promise<unknown>>();
  const run = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (closed) {
      throw new StoreUnavailable("The region's database is closed.");
    }
    const running = work();
    inFlight.add(running);
    try {
      return await running;
    } catch (error) {
      throw storeErrorOf(failureKindOf(error), error);
    } finally {
      inFlight.delete(running);
    }
  };
  const leases = new Batcher({
    ...BATCHES,
    run: async (requests: readonly RegionLeaseRequest[], alone) =>
      (await leaseStatement(requests, alone).execute(db)).rows.map(toLease),
  });
  const returned = new Batcher({
    ...BATCHES,
    run: async (requests: readonly (QuotaName & { readonly calls: number })[], alone) =>
      (await returnStatement(requests, alone).execute(db)).rows.map(
        ({ done }): BatchResult<undefined> => (done ? { result: undefined } : "again"),
      ),
  });
  const reports = new Batcher({
    ...BATCHES,
    run: async (requests: readonly RegionReport[]) => {
      const { rows } = await reportStatement(requests).execute(db);
      const found = new Map(rows.map((row) => [`${row.month} ${row.subject}`, toQuota(row)]));
      return requests.map(({ subject, month }): BatchResult<RegionQuota> => {
        const result = found.get(`${month} ${subjectText(subject)}`);
        return result === undefined ? "again" : { result };
      });
    },
  });
  try {
    const id = await requireRegion(db, region);
    return {
      id,
      lease: (request) => run(() => leases.request(request)),
      returnCalls: (quota, calls) => run(() => returned.request({ ...quota, calls })),
      record: (report) => run(() => reports.request(report)),
      due: (month, beforeMs, limit) =>
        run(async () => (await dueStatement(month, beforeMs, clock.nowMs(), limit).execute(db)).rows.map(toQuota)),
      quotas: (names) => run(async () => (await quotasStatement(names).execute(db)).rows.map(toQuota)),
      deleteExpired: () =>
        run(async () => {
          const { numAffectedRows = 0n } = await sql`
            delete from region_quotas where (subject, month) in (
              select subject, month from region_quotas where month < ${KEPT}
              limit ${DELETED_MAX} for update skip locked
            )
          `.execute(db);
          return Number(numAffectedRows) === DELETED_MAX;
        }),
      async close() {
        closed = true;
        // Queries that have already started finish first.
        await Promise.allSettled(inFlight);
        await close();
      },
    };
  } catch (error) {
    await close();
    throw regionRefusal(error);
  }
}

function toLease({ taken, free, granted, returned, unleased, exists }: LeasedRow): BatchResult<RegionLease> {
  if (taken !== null && free !== null && granted !== null && returned !== null && unleased !== null) {
    return { result: { leased: taken, quota: { granted, returned, left: free, unleased } } };
  }
  return exists ? "again" : { result: { leased: 0, quota: undefined } };
}

const toQuota = ({ subject, month, account_id, calls_per_month, granted, returned, free, unleased }: QuotaRow): RegionQuota => ({
  subject: subjectOf(subject, account_id),
  month,
  callsPerMonth: calls_per_month,
  granted,
  returned,
  left: free,
  unleased,
});
