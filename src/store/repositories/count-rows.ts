// Tables of counts: adds rows to them, and selects rows for reports.
import { type RawBuilder, sql } from "kysely";
import type { Queries } from "../schema.ts";
import { type ColumnType, given } from "./dialect.ts";
import type { DatedTable } from "./expired-counts.ts";

/** A table of counts by day or by hour. Rows with the same key are added up; rows are written in the order of the key's columns. */
export interface CountTable extends DatedTable {
  readonly table: "usage_counts" | "usage_hours" | "refusal_counts" | "refusal_hours";
  readonly time: "day" | "hour";
}

/** When something was counted. */
interface CountedAt {
  /** UTC, `2026-11-21`. */
  readonly day: string;
  /** From 0 to 23. */
  readonly hour: number;
}

/** A row by its columns. */
interface CountRow {
  readonly calls: number;
  readonly [column: string]: string | number;
}

/** When it was counted, as stored in the table: `2026-11-21`, or `2026-11-21T14`. */
export const timeIn = ({ time }: CountTable, { day, hour }: CountedAt): object => ({
  [time]: time === "day" ? day : `${day}T${String(hour).padStart(2, "0")}`,
});

/** Adds rows. Several rows may have the same key. */
export async function addCounts(db: Queries, { table, key }: CountTable, counts: readonly CountRow[]): Promise<void> {
  const rows = sumByKey(counts, key);
  const [first] = rows;
  if (first === undefined) {
    return;
  }
  const columns = Object.keys(first);
  const types = Object.fromEntries(
    columns.map((column): [string, ColumnType] => [column, key.includes(column) ? "text" : "bigint"]),
  );
  const updates = columns.filter((column) => !key.includes(column)).map((column) => updateOf(table, column));
  // Without the condition SQLite would parse "on conflict" as part of a join.
  await sql`
    insert into ${sql.table(table)} (${names(columns)}) select ${names(columns)} from ${given(db, types, rows)} where true
    on conflict (${names(key)}) do update set ${sql.join(updates)}
  `.execute(db);
}

const names = (columns: readonly string[]): RawBuilder<unknown> => sql.join(columns.map((column) => sql.ref(column)));

function updateOf(table: string, column: string): RawBuilder<unknown> {
  const [held, added] = [sql.ref(`${table}.${column}`), sql.ref(`excluded.${column}`)];
  const update = column === "calls" ? sql`${held} + ${added}` : sql`case when ${added} > ${held} then ${added} else ${held} end`;
  return sql`${sql.ref(column)} = ${update}`;
}

// PostgreSQL refuses a statement that would update one row twice. The rows are sorted by the key, because processes that write rows in the
// same order cannot deadlock.
function sumByKey(rows: readonly CountRow[], key: readonly string[]): readonly CountRow[] {
  const byKey = new Map<string, CountRow>();
  for (const row of rows) {
    const name = JSON.stringify(key.map((column) => row[column]));
    const held = byKey.get(name);
    byKey.set(name, held === undefined ? row : mergeRows(held, row));
  }
  return [...byKey].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

// The largest of several needed rates is kept.
function mergeRows(held: CountRow, added: CountRow): CountRow {
  const rate = "rate_needed" in added ? { rate_needed: Math.max(Number(held.rate_needed), Number(added.rate_needed)) } : {};
  return { ...held, calls: held.calls + added.calls, ...rate };
}

/** Which counts of an account to select. */
interface Selection {
  readonly accountId: string;
  /** All services if it is left out. */
  readonly service?: string | undefined;
  readonly fromDay: string;
  /** Inclusive. */
  readonly toDay: string;
}

/** Selects counts of some days, with `month`, `day`, the table's time column, `service`, `key` and the columns of `more`. */
export function selectCounts(
  { table, time }: CountTable,
  { accountId, service, fromDay, toDay }: Selection,
  more: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const [day, from, to] =
    time === "day" ? [sql``, fromDay, toDay] : [sql`substr(hour, 1, 10) as day,`, `${fromDay}T00`, `${toDay}T23`];
  const at = sql.ref(time);
  return sql`
    select account_id, substr(${at}, 1, 7) as month, ${day} ${at}, service, key_id as key, ${more} from ${sql.table(table)}
    where account_id = ${accountId} and ${at} >= ${from} and ${at} <= ${to}
      ${service === undefined ? sql`` : sql`and service = ${service}`}
  `;
}
