// Refused calls: how many there were of each key, service, day and reason. Each function runs in the transaction that it is given, or asks by
// itself.
import { type RawBuilder, sql } from "kysely";
import type { Backend } from "../backend.ts";
import type { RefusalCount, RefusalQuery, RefusalRow, RefusalRows } from "../records.ts";
import type { Queries } from "../schema.ts";
import type { CountsTable } from "./expired-counts.ts";
import { pageOfSums, sumOf } from "./sums.ts";

// An account has up to 1000 keys, and may replace them by the hour. Of one that has more kinds of refusals in a day, further ones are counted
// without the key: of those there are as many as services and reasons.
const KINDS_OF_A_DAY_MAX = 500;
// Rows of one statement. Each has seven parameters, which together are far under the limit of either database.
const ROWS_PER_INSERT = 200;
const DAY_MS = 86_400_000;
const KEPT_DAYS = 366;

/** The refusals, for deleting those that are too old. */
export const REFUSAL_COUNTS: CountsTable = {
  table: "refusal_counts",
  key: ["account_id", "day", "service", "reason", "key_id"],
  time: "day",
};

/** The first day that is kept. */
export const firstRefusalDayKept = (nowMs: number): string => new Date(nowMs - KEPT_DAYS * DAY_MS).toISOString().slice(0, 10);

/** Adds counts. The same key, service, day and reason may come more than once. */
export async function addRefusals(db: Queries, counts: readonly RefusalCount[]): Promise<void> {
  const crowded = await crowdedDays(db, counts);
  const rows = merge(counts.map((count) => (crowded.has(dayOf(count)) ? { ...count, keyId: "" } : count))).map((count) => ({
    account_id: count.accountId,
    key_id: count.keyId,
    service: count.service,
    day: count.day,
    reason: count.reason,
    calls: count.calls,
    rate_needed: count.rateNeeded,
  }));
  for (let start = 0; start < rows.length; start += ROWS_PER_INSERT) {
    await db
      .insertInto("refusal_counts")
      .values(rows.slice(start, start + ROWS_PER_INSERT))
      .onConflict((conflict) =>
        conflict.columns(["account_id", "day", "service", "reason", "key_id"]).doUpdateSet({
          calls: sql<number>`refusal_counts.calls + excluded.calls`,
          rate_needed: sql<number>`case when excluded.rate_needed > refusal_counts.rate_needed
            then excluded.rate_needed else refusal_counts.rate_needed end`,
        }),
      )
      .execute();
  }
}

/** A page of refusals, added up, and how many rows there are in all. Rejects with TooMuchUsage when there were too many counts to add up. */
export async function refusalRows(backend: Pick<Backend, "db" | "ask">, query: RefusalQuery): Promise<RefusalRows> {
  const { accountId, service, fromDay, toDay } = query;
  const ofService: RawBuilder<unknown> = service === undefined ? sql`` : sql`and service = ${service}`;
  const { total, rows } = await pageOfSums<RefusalRow & { readonly key?: string }>(backend, {
    ...query,
    counts: sql`
      select account_id, substr(day, 1, 7) as month, day, service, reason, key_id as key, calls, rate_needed from refusal_counts
      where account_id = ${accountId} and day >= ${fromDay} and day <= ${toDay} ${ofService}
    `,
    sums: sql`${sumOf(sql`calls`)} as calls, max(rate_needed) as "rateNeeded"`,
  });
  return { total, rows: rows.map(({ key, ...row }) => (key === undefined ? row : { ...row, keyId: key })) };
}

const dayOf = ({ accountId, day }: Pick<RefusalCount, "accountId" | "day">): string => `${accountId} ${day}`;

// The accounts and days of these counts that have many kinds of refusals already.
async function crowdedDays(db: Queries, counts: readonly RefusalCount[]): Promise<ReadonlySet<string>> {
  if (counts.length === 0) {
    return new Set();
  }
  const rows = await db
    .selectFrom("refusal_counts")
    .select(["account_id as accountId", "day"])
    .where("account_id", "in", [...new Set(counts.map(({ accountId }) => accountId))])
    .where("day", "in", [...new Set(counts.map(({ day }) => day))])
    .groupBy(["account_id", "day"])
    .having((row) => row.fn.countAll(), ">=", KINDS_OF_A_DAY_MAX)
    .execute();
  return new Set(rows.map(dayOf));
}

// PostgreSQL refuses a statement that would update one row twice. All processes write rows in the same order, so that they cannot deadlock.
function merge(counts: readonly RefusalCount[]): readonly RefusalCount[] {
  const merged = new Map<string, RefusalCount>();
  for (const count of counts) {
    const identity = JSON.stringify([count.accountId, count.keyId, count.service, count.day, count.reason]);
    const before = merged.get(identity);
    const calls = count.calls + (before?.calls ?? 0);
    merged.set(identity, { ...count, calls, rateNeeded: Math.max(count.rateNeeded, before?.rateNeeded ?? 0) });
  }
  return [...merged].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count);
}
