// How long customers' calls took, by hour for a week and by day for a year. Each function runs in the given transaction, or is a
// single read.
import { sql } from "kysely";
import type { Backend } from "../backend.ts";
import type { Queries } from "../schema.ts";
import {
  CALL_LATENCY_BOUNDS_MS,
  type LatencyCount,
  type LatencyQuery,
  type LatencyRow,
  type LatencyRows,
} from "../usage-records.ts";
import { type ColumnType, given } from "./dialect.ts";
import type { DatedTable } from "./expired-counts.ts";
import { pageOfSums, sumOf } from "./usage.ts";

const DAY_MS = 86_400_000;
const DAYS_KEPT = 366;
const DAY_CHARACTERS = 10;
// An account has at most one row for each service and hour of a week, or day of a year: fewer than a hundredth of this number.
const COUNTS_MAX = 250_000;
const BUCKETS = Array.from({ length: CALL_LATENCY_BOUNDS_MS.length + 1 }, (_, index) => `took_${index}`);

interface LatencyTable extends DatedTable {
  readonly table: "latency_hours" | "latency_days";
  readonly time: "hour" | "day";
}

/** The counts by hour. */
export const LATENCY_HOURS: LatencyTable = { table: "latency_hours", key: ["account_id", "hour", "service"], time: "hour" };

/** The counts by day. */
export const LATENCY_DAYS: LatencyTable = { table: "latency_days", key: ["account_id", "day", "service"], time: "day" };

export const firstLatencyDayKept = (nowMs: number): string =>
  new Date(nowMs - DAYS_KEPT * DAY_MS).toISOString().slice(0, DAY_CHARACTERS);

/**
 * Adds how long calls took, except those of accounts that do not exist. Daily counts are kept for a year, and hourly counts for seven
 * days.
 */
export async function addLatency(db: Queries, counts: readonly LatencyCount[]): Promise<void> {
  if (counts.length > 0) {
    await addTo(db, LATENCY_HOURS, counts);
    await addTo(db, LATENCY_DAYS, counts);
  }
}

type Row = Readonly<Record<string, string | number>>;

async function addTo(db: Queries, { table, key, time }: LatencyTable, counts: readonly LatencyCount[]): Promise<void> {
  const types = Object.fromEntries([
    ...key.map((name): [string, ColumnType] => [name, "text"]),
    ...BUCKETS.map((name): [string, ColumnType] => [name, "bigint"]),
  ]);
  const names = Object.keys(types);
  const updates = BUCKETS.map((name) => sql`${sql.ref(name)} = ${sql.ref(`${table}.${name}`)} + ${sql.ref(`excluded.${name}`)}`);
  await sql`
    insert into ${sql.table(table)} (${sql.join(names.map((name) => sql.ref(name)))})
    select ${sql.join(names.map((name) => sql.ref(`given.${name}`)))} from ${given(db, types, rowsOf(time, key, counts))}
    where (select deleted_at_ms is null from accounts where id = given.account_id)
    on conflict (${sql.join(key.map((name) => sql.ref(name)))}) do update set ${sql.join(updates)}
  `.execute(db);
}

// PostgreSQL refuses a statement that would update one row twice. The rows are sorted by the key, because processes that write rows in the
// same order cannot deadlock.
function rowsOf(time: LatencyTable["time"], key: readonly string[], counts: readonly LatencyCount[]): readonly Row[] {
  const rows = new Map<string, Row>();
  for (const { accountId, service, hour, latency } of counts) {
    const keyed: Row = { account_id: accountId, service, [time]: time === "hour" ? hour : hour.slice(0, DAY_CHARACTERS) };
    const name = key.map((column) => keyed[column]).join(" ");
    const previous = rows.get(name);
    const sums = BUCKETS.map((bucket, index) => [bucket, Number(previous?.[bucket] ?? 0) + (latency[index] ?? 0)] as const);
    rows.set(name, { ...keyed, ...Object.fromEntries(sums) });
  }
  return [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

/** A page of an account's counts, added up, in ascending order of the grouping columns, and how many rows there are in total. */
export async function latencyRows(backend: Pick<Backend, "db" | "readRows">, query: LatencyQuery): Promise<LatencyRows> {
  const { accountId, service, fromDay, toDay, groupBy, limit, offset } = query;
  const isByHour = groupBy.includes("hour");
  const { table, time } = isByHour ? LATENCY_HOURS : LATENCY_DAYS;
  const at = sql.ref(time);
  const day = isByHour ? sql`substr(${at}, 1, 10) as day,` : sql``;
  const buckets = BUCKETS.map((name) => sql.ref(name));
  const counts = sql`
    select account_id, substr(${at}, 1, 7) as month, ${day} ${at}, service, ${sql.join(buckets)} from ${sql.table(table)}
    where account_id = ${accountId} and ${at} >= ${fromDay} and ${at} <= ${isByHour ? `${toDay}T23` : toDay}
      ${service === undefined ? sql`` : sql`and service = ${service}`}
  `;
  const sums = sql.join([
    sql`${sumOf(sql.join(buckets, sql` + `))} as calls`,
    ...buckets.map((bucket) => sql`${sumOf(bucket)} as ${bucket}`),
  ]);
  const page = { counts, sums, groupBy, limit, offset, countsMax: COUNTS_MAX };
  const { total, rows } = await pageOfSums<Omit<LatencyRow, "latency"> & Row>(backend, page);
  return {
    total,
    rows: rows.map((row) => ({
      ...(Object.fromEntries(groupBy.map((name) => [name, row[name]])) as Pick<LatencyRow, "month" | "day" | "hour" | "service">),
      calls: row.calls,
      latency: BUCKETS.map((name) => Number(row[name])),
    })),
  };
}

/** Deletes all counts of the given accounts. */
export async function deleteLatency(db: Queries, accountIds: readonly string[]): Promise<void> {
  await db.deleteFrom("latency_hours").where("account_id", "in", accountIds).execute();
  await db.deleteFrom("latency_days").where("account_id", "in", accountIds).execute();
}
