// Deletes counts that are too old, some with each batch that is written, so that no transaction is long.
import { PostgresAdapter, sql } from "kysely";
import type { Queries } from "../schema.ts";

// More than a batch writes.
const DELETED_MAX = 1000;
const CHECKED_EVERY_MS = 3_600_000;
const DAY_MS = 86_400_000;
const HOURS_KEPT_DAYS = 7;

/** A table of counts: the columns of its key, and the one of those that says when. */
export interface CountsTable {
  readonly table: "usage_hours" | "refusal_counts" | "refusal_hours";
  readonly key: readonly string[];
  readonly time: string;
}

/** The first hour of which counts by the hour are kept: of the day seven days before. */
export const firstHourKept = (nowMs: number): string => new Date(nowMs - HOURS_KEPT_DAYS * DAY_MS).toISOString().slice(0, 10);

/** When this process looks for counts that are too old: at once, again at once where there were many, and else once an hour. */
export class ExpiryCheck {
  #nextMs = Number.NEGATIVE_INFINITY;

  isDue(nowMs: number): boolean {
    return nowMs >= this.#nextMs;
  }

  /** Counts were deleted. */
  done(deleted: number, nowMs: number): void {
    this.#nextMs = deleted < DELETED_MAX ? nowMs + CHECKED_EVERY_MS : nowMs;
  }
}

/** Deletes some of the counts from before a time, which is text that sorts as times do. Returns how many. */
export async function deleteExpired(db: Queries, { table, key, time }: CountsTable, before: string): Promise<number> {
  const columns = sql.join(key.map((name) => sql.ref(name)));
  // Another transaction deletes those already, and this one need not wait for it. SQLite runs one writing transaction at a time.
  const unlocked = db.getExecutor().adapter instanceof PostgresAdapter ? sql`for update skip locked` : sql``;
  const { numAffectedRows = 0n } = await sql`
    delete from ${sql.table(table)} where (${columns}) in (
      select ${columns} from ${sql.table(table)} where ${sql.ref(time)} < ${before} order by ${sql.ref(time)} limit ${DELETED_MAX} ${unlocked}
    )
  `.execute(db);
  return Number(numAffectedRows);
}
