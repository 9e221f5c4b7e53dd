// The usage history: how many calls there were of each method, key, day and outcome, and of the last days of each hour. Each function runs in
// the transaction that it is given, or asks by itself.
import { type RawBuilder, sql } from "kysely";
import type { Backend } from "../backend.ts";
import type { UsageCount, UsageQuery, UsageRow, UsageRows } from "../records.ts";
import type { Queries } from "../schema.ts";
import { batches, hourOf, mergedByName } from "./count-rows.ts";
import type { CountsTable } from "./expired-counts.ts";
import { pageOfSums, sumOf } from "./sums.ts";

/** The hours, for deleting those that are too old. */
export const USAGE_HOURS: CountsTable = {
  table: "usage_hours",
  key: ["account_id", "hour", "service", "method", "key_id", "outcome"],
  time: "hour",
};

/** Adds counts. The same key, method, hour and outcome may come more than once. Those of no calls are left out. */
export async function addUsage(db: Queries, all: readonly UsageCount[]): Promise<void> {
  const counts = all.filter(({ calls }) => calls > 0);
  const days = merged(counts, ({ day }) => day).map((count) => ({ ...rowOf(count), day: count.day }));
  const hours = merged(counts, hourOf).map((count) => ({ ...rowOf(count), hour: hourOf(count) }));
  for (const rows of batches(days)) {
    await db
      .insertInto("usage_counts")
      .values(rows)
      .onConflict((conflict) =>
        conflict
          .columns(["account_id", "day", "service", "method", "key_id", "outcome"])
          .doUpdateSet({ calls: sql<number>`usage_counts.calls + excluded.calls` }),
      )
      .execute();
  }
  for (const rows of batches(hours)) {
    await db
      .insertInto("usage_hours")
      .values(rows)
      .onConflict((conflict) =>
        conflict
          .columns(["account_id", "hour", "service", "method", "key_id", "outcome"])
          .doUpdateSet({ calls: sql<number>`usage_hours.calls + excluded.calls` }),
      )
      .execute();
  }
}

/** A page of the history, added up, and how many rows there are in all. Rejects with TooMuchUsage when there were too many counts to add up. */
export async function usageRows(backend: Pick<Backend, "db" | "ask">, query: UsageQuery): Promise<UsageRows> {
  const { groupBy, refunded } = query;
  // PostgreSQL has no empty lists.
  const isRefunded = refunded.length === 0 ? sql`false` : sql`outcome in (${sql.join(refunded)})`;
  const { total, rows } = await pageOfSums<UsageRow & { readonly key?: string }>(backend, {
    ...query,
    counts: groupBy.includes("hour") ? hoursOf(query) : daysOf(query),
    sums: sql`${sumOf(sql`calls`)} as calls, ${sumOf(sql`case when ${isRefunded} then 0 else calls end`)} as counted`,
  });
  return { total, rows: rows.map(({ key, ...row }) => (key === undefined ? row : { ...row, keyId: key })) };
}

function daysOf({ accountId, service, fromDay, toDay }: UsageQuery): RawBuilder<unknown> {
  return sql`
    select account_id, substr(day, 1, 7) as month, day, service, method, outcome, key_id as key, calls from usage_counts
    where account_id = ${accountId} and day >= ${fromDay} and day <= ${toDay} ${ofService(service)}
  `;
}

function hoursOf({ accountId, service, fromDay, toDay }: UsageQuery): RawBuilder<unknown> {
  return sql`
    select account_id, substr(hour, 1, 7) as month, substr(hour, 1, 10) as day, hour, service, method, outcome, key_id as key, calls
    from usage_hours
    where account_id = ${accountId} and hour >= ${`${fromDay}T00`} and hour <= ${`${toDay}T23`} ${ofService(service)}
  `;
}

const ofService = (service: string | undefined): RawBuilder<unknown> =>
  service === undefined ? sql`` : sql`and service = ${service}`;

const rowOf = ({ accountId, keyId, service, method, outcome, calls }: UsageCount) => ({
  account_id: accountId,
  key_id: keyId,
  service,
  method,
  outcome,
  calls,
});

const merged = (counts: readonly UsageCount[], timeOf: (count: UsageCount) => string): readonly UsageCount[] =>
  mergedByName(
    counts,
    (count) => [count.accountId, count.keyId, count.service, count.method, timeOf(count), count.outcome],
    (count, { calls }) => ({ ...count, calls: count.calls + calls }),
  );
