// What servers measure about services and their sources, by hour. Each function runs in the given transaction.
import { sql } from "kysely";
import type { Queries } from "../schema.ts";
import {
  HEALTH_KEPT_DAYS,
  type HealthCount,
  type HealthQuery,
  type HealthRow,
  type HealthSubject,
  LATENCY_BOUNDS_MS,
} from "../usage-records.ts";
import { type ColumnType, given } from "./dialect.ts";
import type { DatedTable } from "./expired-counts.ts";

const DAY_MS = 86_400_000;
const KEY = ["hour", "service", "part"] as const;
const BUCKETS = Array.from({ length: LATENCY_BOUNDS_MS.length + 1 }, (_, index) => `took_${index}`);
const SUMS = ["calls", "failed", "refused", ...BUCKETS];

export const HEALTH_HOURS: DatedTable = { table: "health_hours", key: KEY, time: "hour" };

/** The first hour that is kept: the first of a day. */
export const firstHealthHourKept = (nowMs: number): string =>
  new Date(nowMs - HEALTH_KEPT_DAYS * DAY_MS).toISOString().slice(0, 10);

const types: Readonly<Record<string, ColumnType>> = Object.fromEntries([
  ...KEY.map((name) => [name, "text"] as const),
  ...SUMS.map((name) => [name, "bigint"] as const),
]);

/** Adds measurements, at most one for each subject and hour. They are kept for 90 days. */
export async function addHealth(db: Queries, counts: readonly HealthCount[]): Promise<void> {
  if (counts.length === 0) {
    return;
  }
  const names = sql.join(Object.keys(types).map((name) => sql.ref(name)));
  const updates = SUMS.map((name) => sql`${sql.ref(name)} = ${sql.ref(`health_hours.${name}`)} + ${sql.ref(`excluded.${name}`)}`);
  // Servers that write rows in the same order cannot deadlock. Without the condition SQLite would parse "on conflict" as part of a join.
  await sql`
    insert into health_hours (${names}) select ${names} from ${given(db, types, counts.map(rowOf).toSorted(byKey))} where true
    on conflict (${sql.join(KEY.map((name) => sql.ref(name)))}) do update set ${sql.join(updates)}
  `.execute(db);
}

type Row = HealthSubject & { readonly [column: string]: string | number };

const rowOf = ({ hour, service, part, calls, failed, refused, latency }: HealthCount): Row => ({
  ...{ hour, service, part, calls, failed, refused },
  ...Object.fromEntries(BUCKETS.map((name, index) => [name, latency[index] ?? 0])),
});

const keyOf = (row: Row): string => KEY.map((name) => row[name]).join(" ");
const byKey = (a: Row, b: Row): number => (keyOf(a) < keyOf(b) ? -1 : 1);

/**
 * Adds up the measurements from a given hour on, by day or by hour. Returns at most one row for each subject and time, in the order of
 * time.
 */
export async function healthRows(db: Queries, { fromHour, by }: HealthQuery): Promise<readonly HealthRow[]> {
  const time = by === "day" ? sql`substr(hour, 1, 10)` : sql`hour`;
  const sums = SUMS.map((name) => sql`cast(sum(${sql.ref(name)}) as bigint) as ${sql.ref(name)}`);
  const { rows } = await sql<Row & { readonly time: string }>`
    select ${time} as time, service, part, ${sql.join(sums)} from health_hours where hour >= ${fromHour}
    group by ${time}, service, part order by ${time}, service, part
  `.execute(db);
  return rows.map((row) => ({
    ...{ time: row.time, service: row.service, part: row.part },
    ...{ calls: Number(row.calls), failed: Number(row.failed), refused: Number(row.refused) },
    latency: BUCKETS.map((name) => Number(row[name])),
  }));
}
