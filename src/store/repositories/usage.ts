// The usage history: how many calls there were for each method, key, outcome and day, and for the last few days also by hour. Each
// function runs in the given transaction, or is a single read.
import { sql } from "kysely";
import type { Backend } from "../backend.ts";
import type { Queries } from "../schema.ts";
import type { UsageCount, UsageQuery, UsageRow, UsageRows } from "../usage-records.ts";
import { addCounts, type CountTable, selectCounts, timeIn } from "./count-rows.ts";
import { pageOfSums, sumOf } from "./sums.ts";

/** The hourly counts. */
export const USAGE_HOURS: CountTable = {
  table: "usage_hours",
  key: ["account_id", "key_id", "service", "method", "hour", "outcome"],
  time: "hour",
};

/** The daily counts. */
export const USAGE_DAYS: CountTable = {
  table: "usage_counts",
  key: ["account_id", "key_id", "service", "method", "day", "outcome"],
  time: "day",
};

/** Adds counts. The same key, method, hour and outcome may appear more than once. Counts of zero are skipped. */
export async function addUsage(db: Queries, all: readonly UsageCount[]): Promise<void> {
  const counts = sumByKey(all.filter(({ calls }) => calls > 0));
  for (const table of [USAGE_DAYS, USAGE_HOURS]) {
    await addCounts(
      db,
      table,
      counts.map((count) => ({ ...rowOf(count), ...timeIn(table, count) })),
    );
  }
}

/**
 * The usage history, added up: rows in ascending order of the grouping columns, as the database sorts strings. `total` is the number of
 * rows without `limit` and `offset`. In a server this does not delay other work. TooMuchUsage if there are more counts than `countsMax`.
 */
export async function usageRows(backend: Pick<Backend, "db" | "readRows">, query: UsageQuery): Promise<UsageRows> {
  const { groupBy, refunded } = query;
  // PostgreSQL does not accept an empty list.
  const isRefunded = refunded.length === 0 ? sql`false` : sql`outcome in (${sql.join(refunded)})`;
  const { total, rows } = await pageOfSums<UsageRow & { readonly key?: string }>(backend, {
    ...query,
    counts: selectCounts(groupBy.includes("hour") ? USAGE_HOURS : USAGE_DAYS, query, sql`method, outcome, calls`),
    sums: sql`
      ${sumOf(sql`calls`)} as calls,
      ${sumOf(sql`case when outcome = 'OK' then 0 else calls end`)} as failed,
      ${sumOf(sql`case when ${isRefunded} then 0 else calls end`)} as counted
    `,
  });
  return { total, rows: rows.map(({ key, ...row }) => (key === undefined ? row : { ...row, keyId: key })) };
}

// Servers count the same calls in one batch after another. Adding them up here first leaves few rows for `addCounts`, which sorts them.
function sumByKey(counts: readonly UsageCount[]): readonly UsageCount[] {
  const byName = new Map<string, UsageCount>();
  for (const count of counts) {
    const { accountId, keyId, service, method, day, hour, outcome, calls } = count;
    const name = `${accountId} ${keyId} ${service} ${method} ${day} ${hour} ${outcome}`;
    const held = byName.get(name);
    byName.set(name, held === undefined ? count : { ...held, calls: held.calls + calls });
  }
  return [...byName.values()];
}

const rowOf = ({ accountId, keyId, service, method, outcome, calls }: UsageCount) => ({
  account_id: accountId,
  key_id: keyId,
  service,
  method,
  outcome,
  calls,
});
