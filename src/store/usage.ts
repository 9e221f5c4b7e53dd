// The usage history: how many calls of a method with a key ended in which way, by day. Each function runs in the transaction that
// it is handed.
import { sql } from "kysely";
import type { ServiceName } from "../services/service.ts";
import type { Queries } from "./schema.ts";
import type { UsageCount, UsageQuery } from "./store.ts";

// Rows in one statement: seven parameters each, far under what either database takes.
const rowsPerInsert = 200;

/** Adds counts. The same key, method, day and outcome may come more than once. */
export async function addUsage(db: Queries, counts: readonly UsageCount[]): Promise<void> {
  const rows = merge(counts).map((count) => ({
    account_id: count.accountId,
    key_id: count.keyId,
    service: count.service,
    method: count.method,
    day: count.day,
    outcome: count.outcome,
    calls: count.calls,
  }));
  for (let start = 0; start < rows.length; start += rowsPerInsert) {
    await db
      .insertInto("usage_counts")
      .values(rows.slice(start, start + rowsPerInsert))
      .onConflict((conflict) =>
        conflict
          .columns(["account_id", "day", "service", "method", "key_id", "outcome"])
          .doUpdateSet({ calls: sql<number>`usage_counts.calls + excluded.calls` }),
      )
      .execute();
  }
}

/** Counts by day, oldest first, then service, method, outcome and key. */
export async function usage(db: Queries, query: UsageQuery): Promise<UsageCount[]> {
  const rows = await db
    .selectFrom("usage_counts")
    .selectAll()
    .where("account_id", "=", query.accountId)
    .where("day", ">=", query.fromDay)
    .where("day", "<=", query.toDay)
    .$if(query.service !== undefined, (select) => select.where("service", "=", query.service as string))
    .orderBy("day")
    .orderBy("service")
    .orderBy("method")
    .orderBy("outcome")
    .orderBy("key_id")
    .execute();
  return rows.map((row) => ({
    accountId: row.account_id,
    keyId: row.key_id,
    service: row.service as ServiceName,
    method: row.method,
    day: row.day,
    outcome: row.outcome,
    calls: row.calls,
  }));
}

// PostgreSQL refuses a statement that would update one row twice. All processes write rows in the same order, so that none waits for a
// row of another which waits for one of its own.
function merge(counts: readonly UsageCount[]): UsageCount[] {
  const merged = new Map<string, UsageCount>();
  for (const count of counts) {
    const identity = JSON.stringify([count.accountId, count.keyId, count.service, count.method, count.day, count.outcome]);
    merged.set(identity, { ...count, calls: count.calls + (merged.get(identity)?.calls ?? 0) });
  }
  return [...merged].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count);
}
