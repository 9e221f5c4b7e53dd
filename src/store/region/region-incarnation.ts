// Tells the current state of a region's database from an older one, by the number of checks against the home database. A database that
// was restored from a backup has counted fewer checks than the home database has recorded. Until the next check, a restored database is
// recognised by the time at which PostgreSQL was started and by the table's OID: restoring a database restarts PostgreSQL, or creates the
// tables again.
import { type RawBuilder, sql } from "kysely";
import type { Month } from "../../runtime/calendar.ts";
import type { Queries } from "../schema.ts";
import type { CountedCheck, RegionHeld, RegionIncarnation } from "./region-records.ts";

// How old the counts of the calls and quotas that the region holds may become. Counting reads all quotas of the month, so one server counts
// for all.
const HELD_COUNT_INTERVAL_MS = 60_000;

const STARTED_AT = sql`(extract(epoch from pg_postmaster_start_time())::text || ' ' || 'region'::regclass::oid::text)`;

interface RegionRow {
  readonly id: string;
  readonly number: number;
  readonly started_at: string;
  readonly held_calls: number;
  readonly held_quotas: number;
  readonly held_at_ms: number;
}

/**
 * Counts a check, before it is reported to the home database. Undefined if the database has another id, or has counted fewer checks than
 * the home database has recorded: it is then an older state of the database, and counting another check would hide that.
 */
export async function countCheck(
  db: Queries,
  { id, recorded, month, nowMs }: CountedCheck,
): Promise<(RegionIncarnation & { readonly held: RegionHeld }) | undefined> {
  const { rows } = await sql<RegionRow>`
    update region set number = number + 1 where id = ${id} and number >= ${recorded}
    returning number, ${STARTED_AT} as started_at, held_calls, held_quotas, held_at_ms
  `.execute(db);
  const [row] = rows;
  if (row === undefined) {
    return undefined;
  }
  if (row.held_at_ms < nowMs - HELD_COUNT_INTERVAL_MS || row.held_at_ms > nowMs + HELD_COUNT_INTERVAL_MS) {
    await countHeld(db, month, nowMs);
  }
  const { number, started_at: startedAt, held_calls: calls, held_quotas: quotas } = row;
  return { id, number, startedAt, held: { calls, quotas } };
}

async function countHeld(db: Queries, month: Month, nowMs: number): Promise<void> {
  await sql`
    update region set held_at_ms = ${nowMs}, held_calls = held.calls, held_quotas = held.quotas
    from (
      select coalesce(sum(granted - returned - leased), 0)::bigint as calls, count(*) as quotas
      from region_quotas where month = ${month} and granted - returned - leased > 0
    ) as held
  `.execute(db);
}

/** The state that the database is in now. */
export async function currentIncarnation(db: Queries): Promise<RegionIncarnation> {
  const { rows } = await sql<RegionRow>`select id, number, ${STARTED_AT} as started_at from region`.execute(db);
  const [{ id, number, started_at: startedAt }] = rows as [RegionRow];
  return { id, number, startedAt };
}

/**
 * Forgets all calls that the region holds, and gives its database a new id, unless its id is no longer this one. What the home database
 * granted to the old id is never granted again. Returns whether it did.
 */
export function forfeitQuotas(db: Queries, id: string, nowMs: number): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    // First, because statements that record grants hold this lock while they wait for the region's row.
    await sql`lock table region_quotas in access exclusive mode`.execute(transaction);
    const { rows } = await sql`
      update region set id = gen_random_uuid()::text, number = 0, forfeited_at_ms = ${nowMs}, held_calls = 0, held_quotas = 0
      where id = ${id} returning id
    `.execute(transaction);
    if (rows.length > 0) {
      await sql`truncate region_quotas`.execute(transaction);
    }
    return rows.length > 0;
  });
}

/** Whether the database is still the one that was checked: a condition for a statement that leases calls. */
export const isSameIncarnation = ({ id, number, startedAt }: RegionIncarnation): RawBuilder<boolean> =>
  sql`(select id = ${id} and number >= ${number} and ${STARTED_AT} = ${startedAt} from region)`;
