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
import { countCheck, currentIncarnation, forfeitQuotas } from "./region-incarnation.ts";
import {
  type CountedCheck,
  type QuotaName,
  type RegionHeld,
  type RegionIncarnation,
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
// Rows of the current month must never be deleted: the home database would be asked for their calls again. So the database's own clock
// decides which month is current, and the month before it is kept too.
const FIRST_KEPT_MONTH = sql`to_char((now() at time zone 'UTC') - interval '40 days', 'YYYY-MM')`;

/** The region's side of the store. Methods reject with a StoreUnavailable if the database could not be reached. */
export interface RegionStore {
  /** The region's name. */
  readonly name: string;
  /**
   * Leases calls that the region holds: at most as many as were granted to it and not returned. The lease survives a crash. "unchecked" if
   * the database has not been checked, or is no longer the one that was checked: then nothing is leased before the next check.
   */
  lease(request: RegionLeaseRequest): Promise<RegionLease | "unchecked">;
  /** Takes back calls that a server has leased and not spent. */
  returnCalls(quota: QuotaName, calls: number): Promise<void>;
  /**
   * Records a grant; the region returns the calls that exceed `keep`. A grant that was recorded before changes nothing. StoreUnavailable if
   * it was granted to another id.
   */
  record(report: RegionReport): Promise<RegionQuota>;
  /**
   * Quotas of which the region holds calls, and on which the home database has not reported since `beforeMs`. No other server gets the same
   * quotas.
   */
  dueQuotas(month: Month, beforeMs: number, limit: number): Promise<readonly RegionQuota[]>;
  /** The given quotas, in any order. Leaves out quotas that the region does not know. */
  quotas(names: readonly QuotaName[]): Promise<readonly RegionQuota[]>;
  /**
   * Counts a check against the home database, before it is reported there. Also returns how many calls of the month the region held about a
   * minute ago. Undefined if the database has another id, or has counted fewer checks than the home database has recorded.
   */
  countCheck(check: CountedCheck): Promise<(RegionIncarnation & { readonly held: RegionHeld }) | undefined>;
  /** The state that the database is in now. */
  current(): Promise<RegionIncarnation>;
  /** Lets this server lease calls for as long as the database is the one that was checked. */
  confirm(checked: RegionIncarnation): void;
  /**
   * Forgets all calls that the region holds, and gives the database a new id, unless its id is no longer this one. Returns whether it did.
   */
  forfeit(id: string, nowMs: number): Promise<boolean>;
  /** Deletes some quotas of months that are over. Returns whether there may be more. */
  deleteExpired(): Promise<boolean>;
  close(): Promise<void>;
}

/** Opens the region's database for a server. Rejects with StoreRefused, which says what to do, if it cannot be used. */
export async function openRegion(region: RegionConfig, clock: Clock): Promise<RegionStore> {
  const { db, close } = openRegionDatabase(region, "server", clock);
  let closed = false;
  let checked: RegionIncarnation | undefined;
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
    run: async (requests: readonly RegionLeaseRequest[], alone): Promise<readonly BatchResult<RegionLease | "unchecked">[]> => {
      const asChecked = checked;
      return asChecked === undefined
        ? requests.map(() => ({ result: "unchecked" }))
        : (await leaseStatement(requests, asChecked, alone).execute(db)).rows.map((row) => toLease(row, asChecked.id));
    },
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
        return result === undefined ? { error: new StoreUnavailable("The region's database has a new id.") } : { result };
      });
    },
  });
  try {
    await requireRegion(db, region);
    return {
      name: region.name,
      lease: (request) => run(() => leases.request(request)),
      returnCalls: (quota, calls) => run(() => returned.request({ ...quota, calls })),
      record: (report) => run(() => reports.request(report)),
      dueQuotas: (month, beforeMs, limit) =>
        run(async () => (await dueStatement(month, beforeMs, clock.nowMs(), limit).execute(db)).rows.map(toQuota)),
      quotas: (names) => run(async () => (await quotasStatement(names).execute(db)).rows.map(toQuota)),
      countCheck: (check) => run(() => countCheck(db, check)),
      current: () => run(() => currentIncarnation(db)),
      confirm(state) {
        checked = state;
      },
      forfeit: (id, nowMs) => run(() => forfeitQuotas(db, id, nowMs)),
      deleteExpired: () =>
        run(async () => {
          const { numAffectedRows = 0n } = await sql`
            delete from region_quotas where (subject, month) in (
              select subject, month from region_quotas where month < ${FIRST_KEPT_MONTH}
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

function toLease(
  { taken, free, granted, returned, unleased, is_checked: isChecked, exists }: LeasedRow,
  regionId: string,
): BatchResult<RegionLease | "unchecked"> {
  if (!isChecked) {
    return { result: "unchecked" };
  }
  if (taken !== null && free !== null && granted !== null && returned !== null && unleased !== null) {
    return { result: { regionId, leased: taken, quota: { granted, returned, left: free, unleased } } };
  }
  return exists ? "again" : { result: { regionId, leased: 0, quota: undefined } };
}

const toQuota = ({
  region_id: regionId,
  subject,
  month,
  account_id,
  calls_per_month,
  granted,
  returned,
  free,
  unleased,
}: QuotaRow): RegionQuota => ({
  regionId,
  subject: subjectOf(subject, account_id),
  month,
  callsPerMonth: calls_per_month,
  granted,
  returned,
  left: free,
  unleased,
});
