// Refused calls: how many there were of each key, service, day and reason, and of the last days of each hour. Each function runs in the transaction
// that it is given, or asks by itself.
import { type RawBuilder, sql } from "kysely";
import type { Backend } from "../backend.ts";
import type { RefusalCount, RefusalQuery, RefusalRow, RefusalRows } from "../records.ts";
import type { Queries } from "../schema.ts";
import { batches, hourOf, mergedByName } from "./count-rows.ts";
import type { CountsTable } from "./expired-counts.ts";
import { pageOfSums, sumOf } from "./sums.ts";

// An account has up to 1000 keys, and may replace them by the hour. Of one that has more kinds of refusals in a day, further ones are counted
// without the key, by the day and by the hour: of those there are as many as services and reasons.
const KINDS_OF_A_DAY_MAX = 500;
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

/** The refusals by the hour, likewise. */
export const REFUSAL_HOURS: CountsTable = {
  table: "refusal_hours",
  key: ["account_id", "hour", "service", "reason", "key_id"],
  time: "hour",
};

/** Adds counts. The same key, service, hour and reason may come more than once. */
export async function addRefusals(db: Queries, counts: readonly RefusalCount[]): Promise<void> {
  const crowded = await crowdedDays(db, counts);
  const kept = counts.map((count) => (crowded.has(accountDayOf(count)) ? { ...count, keyId: "" } : count));
  const days = merged(kept, ({ day }) => day).map((count) => ({
    ...rowOf(count),
    day: count.day,
    rate_needed: count.rateNeeded,
  }));
  const hours = merged(kept, hourOf).map((count) => ({ ...rowOf(count), hour: hourOf(count) }));
  for (const rows of batches(days)) {
    await db
      .insertInto("refusal_counts")
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(["account_id", "day", "service", "reason", "key_id"]).doUpdateSet({
          calls: sql<number>`refusal_counts.calls + excluded.calls`,
          rate_needed: sql<number>`case when excluded.rate_needed > refusal_counts.rate_needed
            then excluded.rate_needed else refusal_counts.rate_needed end`,
        }),
      )
      .execute();
  }
  for (const rows of batches(hours)) {
    await db
      .insertInto("refusal_hours")
      .values(rows)
      .onConflict((conflict) =>
        conflict
          .columns(["account_id", "hour", "service", "reason", "key_id"])
          .doUpdateSet({ calls: sql<number>`refusal_hours.calls + excluded.calls` }),
      )
      .execute();
  }
}

/** A page of refusals, added up, and how many rows there are in all. Rejects with TooMuchUsage when there were too many counts to add up. */
export async function refusalRows(backend: Pick<Backend, "db" | "ask">, query: RefusalQuery): Promise<RefusalRows> {
  const { total, rows } = await pageOfSums<RefusalRow & { readonly key?: string }>(backend, {
    ...query,
    counts: query.groupBy.includes("hour") ? hoursOf(query) : daysOf(query),
    sums: sql`${sumOf(sql`calls`)} as calls, max(rate_needed) as "rateNeeded"`,
  });
  return { total, rows: rows.map(({ key, ...row }) => (key === undefined ? row : { ...row, keyId: key })) };
}

function daysOf({ accountId, service, fromDay, toDay }: RefusalQuery): RawBuilder<unknown> {
  return sql`
    select account_id, substr(day, 1, 7) as month, day, service, reason, key_id as key, calls, rate_needed from refusal_counts
    where account_id = ${accountId} and day >= ${fromDay} and day <= ${toDay} ${ofService(service)}
  `;
}

function hoursOf({ accountId, service, fromDay, toDay }: RefusalQuery): RawBuilder<unknown> {
  return sql`
    select account_id, substr(hour, 1, 7) as month, substr(hour, 1, 10) as day, hour, service, reason, key_id as key, calls,
      0 as rate_needed
    from refusal_hours
    where account_id = ${accountId} and hour >= ${`${fromDay}T00`} and hour <= ${`${toDay}T23`} ${ofService(service)}
  `;
}

const ofService = (service: string | undefined): RawBuilder<unknown> =>
  service === undefined ? sql`` : sql`and service = ${service}`;

const rowOf = ({ accountId, keyId, service, reason, calls }: RefusalCount) => ({
  account_id: accountId,
  key_id: keyId,
  service,
  reason,
  calls,
});

const accountDayOf = ({ accountId, day }: Pick<RefusalCount, "accountId" | "day">): string => `${accountId} ${day}`;
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
  return new Set(rows.map(accountDayOf));
}

const merged = (counts: readonly RefusalCount[], timeOf: (count: RefusalCount) => string): readonly RefusalCount[] =>
  mergedByName(
    counts,
    (count) => [count.accountId, count.keyId, count.service, timeOf(count), count.reason],
    (count, { calls, rateNeeded }) => ({
      ...count,
      calls: count.calls + calls,
      rateNeeded: Math.max(count.rateNeeded, rateNeeded),
    }),
  );
