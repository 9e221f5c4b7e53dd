// Deletes expired rows, and the rows of deleted accounts, in small steps, so that no statement takes long.
import { type RawBuilder, sql } from "kysely";
import type { Queries, Tables } from "../schema.ts";
import { isPostgres } from "./dialect.ts";

/** The maximum number of rows that are deleted at a time. */
export const DELETED_MAX = 1000;
const DAY_MS = 86_400_000;
const HOURS_KEPT_DAYS = 7;

/** A table whose rows expire: the columns of its key, and the column with the time. */
export interface DatedTable {
  readonly table: keyof Tables;
  readonly key: readonly string[];
  readonly time: string;
}

/** The first hour whose counts are kept: the first of the day seven days ago. */
export const firstHourKept = (nowMs: number): string => new Date(nowMs - HOURS_KEPT_DAYS * DAY_MS).toISOString().slice(0, 10);

/**
 * Deletes expired rows, such as ended sessions, hourly usage older than seven days, and usage and months older than two years: up to 1000
 * rows of each table, in one transaction per table. Returns whether more are left.
 */
export function deleteExpired(db: Queries, table: DatedTable, before: string | number): Promise<number> {
  const time = sql.ref(table.time);
  return deleteSome(db, table, sql`${time} < ${before} order by ${time}`);
}

/** Deletes some of the accounts' rows. Returns how many. At least one account must be given. */
export function deleteSomeOfAccounts(db: Queries, table: DatedTable, accountIds: readonly string[]): Promise<number> {
  return deleteSome(db, table, sql`account_id in (${sql.join(accountIds)})`);
}

// `condition`: what follows `where`.
async function deleteSome(db: Queries, { table, key }: DatedTable, condition: RawBuilder<unknown>): Promise<number> {
  const columns = sql.join(key.map((name) => sql.ref(name)));
  // If another transaction is deleting them already, this one need not wait for it. SQLite runs one writing transaction at a time.
  const skipLocked = isPostgres(db) ? sql`for update skip locked` : sql``;
  const { numAffectedRows = 0n } = await sql`
    delete from ${sql.table(table)} where (${columns}) in (
      select ${columns} from ${sql.table(table)} where ${condition} limit ${DELETED_MAX} ${skipLocked}
    )
  `.execute(db);
  return Number(numAffectedRows);
}
