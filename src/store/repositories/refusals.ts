// Refused calls: how many there were for each key, service, day and reason, and for the last few days also by hour. Each function runs
// in the given transaction, or is a single read.
import { sql } from "kysely";
import type { Backend } from "../backend.ts";
import type { Queries } from "../schema.ts";
import type { RefusalCount, RefusalQuery, RefusalRow, RefusalRows } from "../usage-records.ts";
import { addCounts, type CountTable, selectCounts, timeIn } from "./count-rows.ts";
import { pageOfSums, sumOf } from "./sums.ts";

// An account has up to 1000 keys, and may replace them every hour. If it has more kinds of refusals than this in a day, further ones are
// counted without the key, as one count for each service and reason.
const KINDS_PER_DAY_MAX = 500;
const DAY_MS = 86_400_000;
const KEPT_DAYS = 366;

/** The daily counts. */
export const REFUSAL_COUNTS: CountTable = {
  table: "refusal_counts",
  key: ["account_id", "key_id", "service", "day", "reason"],
  time: "day",
};

export const firstRefusalDayKept = (nowMs: number): string => new Date(nowMs - KEPT_DAYS * DAY_MS).toISOString().slice(0, 10);

/** The hourly counts. They do not contain the needed rate. */
export const REFUSAL_HOURS: CountTable = {
  table: "refusal_hours",
  key: ["account_id", "key_id", "service", "hour", "reason"],
  time: "hour",
};

/** Adds counts. The same key, service, hour and reason may appear more than once. */
export async function addRefusals(db: Queries, counts: readonly RefusalCount[]): Promise<void> {
  for (let start = 0; start < counts.length; start += KINDS_PER_DAY_MAX) {
    await addBatch(db, counts.slice(start, start + KINDS_PER_DAY_MAX));
  }
}

async function addBatch(db: Queries, counts: readonly RefusalCount[]): Promise<void> {
  const full = await fullDays(db, counts);
  const kept = counts.map((count) => (full.has(accountDayOf(count)) ? { ...count, keyId: "" } : count));
  await addCounts(
    db,
    REFUSAL_COUNTS,
    kept.map((count) => ({ ...rowOf(count), ...timeIn(REFUSAL_COUNTS, count), rate_needed: count.rateNeeded })),
  );
  await addCounts(
    db,
    REFUSAL_HOURS,
    kept.map((count) => ({ ...rowOf(count), ...timeIn(REFUSAL_HOURS, count) })),
  );
}

/** A page of refusals, added up, and how many rows there are in total. Rejects with TooMuchUsage if there are too many counts to add up. */
export async function refusalRows(backend: Pick<Backend, "db" | "readRows">, query: RefusalQuery): Promise<RefusalRows> {
  const isByHour = query.groupBy.includes("hour");
  const { total, rows } = await pageOfSums<RefusalRow & { readonly key?: string }>(backend, {
    ...query,
    counts: isByHour
      ? selectCounts(REFUSAL_HOURS, query, sql`reason, calls, 0 as rate_needed`)
      : selectCounts(REFUSAL_COUNTS, query, sql`reason, calls, rate_needed`),
    sums: sql`${sumOf(sql`calls`)} as calls, max(rate_needed) as "rateNeeded"`,
  });
  return { total, rows: rows.map(({ key, ...row }) => (key === undefined ? row : { ...row, keyId: key })) };
}

const rowOf = ({ accountId, keyId, service, reason, calls }: RefusalCount) => ({
  account_id: accountId,
  key_id: keyId,
  service,
  reason,
  calls,
});

const accountDayOf = ({ accountId, day }: Pick<RefusalCount, "accountId" | "day">): string => `${accountId} ${day}`;

// The accounts and days of these counts that already have many kinds of refusals.
async function fullDays(db: Queries, counts: readonly RefusalCount[]): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom("refusal_counts")
    .select(["account_id as accountId", "day"])
    .where("account_id", "in", [...new Set(counts.map(({ accountId }) => accountId))])
    .where("day", "in", [...new Set(counts.map(({ day }) => day))])
    .groupBy(["account_id", "day"])
    .having((row) => row.fn.countAll(), ">=", KINDS_PER_DAY_MAX)
    .execute();
  return new Set(rows.map(accountDayOf));
}
