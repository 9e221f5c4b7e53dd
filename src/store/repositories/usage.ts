// The usage history: how many calls there were of each method, key, day and outcome. Each function runs in the transaction that
// it is given, or asks by itself.
import { type QueryCreator, sql } from "kysely";
import type { Backend } from "../backend.ts";
import type { UsageCount, UsageQuery, UsageRow, UsageRows } from "../records.ts";
import type { Queries, Tables } from "../schema.ts";
import { TooMuchUsage } from "../store-errors.ts";

// Rows of one statement. Each has seven parameters, which together are far under the limit of either database.
const ROWS_PER_INSERT = 200;

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
  for (let start = 0; start < rows.length; start += ROWS_PER_INSERT) {
    await db
      .insertInto("usage_counts")
      .values(rows.slice(start, start + ROWS_PER_INSERT))
      .onConflict((conflict) =>
        conflict
          .columns(["account_id", "day", "service", "method", "key_id", "outcome"])
          .doUpdateSet({ calls: sql<number>`usage_counts.calls + excluded.calls` }),
      )
      .execute();
  }
}

/**
 * A page of the history, added up, and how many rows there are in all. One statement, so that both are from the same moment. Rejects with
 * TooMuchUsage when there were too many counts to add up.
 */
export async function usageRows({ db, ask }: Pick<Backend, "db" | "ask">, query: UsageQuery): Promise<UsageRows> {
  const { groupBy, limit, offset, countsMax } = query;
  const [tooMany] = await ask(countsOf(db, query).select("account_id").limit(1).offset(countsMax).compile());
  if (tooMany !== undefined) {
    throw new TooMuchUsage(countsMax);
  }
  // An order must name something, also where the rows are not grouped.
  const order = sql.join([...groupBy, "calls"].map((name) => sql.ref(name)));
  const answers = await ask(
    db
      .with("sums", (sums) => sumsOf(sums, query))
      .with("page", (page) => page.selectFrom("sums").selectAll().orderBy(order).limit(limit).offset(offset))
      .selectFrom((whole) =>
        whole
          .selectFrom("sums")
          .select((row) => row.fn.countAll<number>().as("total"))
          .as("whole"),
      )
      // Past the end there is one row, which has the total and nothing else.
      .leftJoin("page", (join) => join.onTrue())
      .select("whole.total")
      .selectAll("page")
      .orderBy(order)
      .compile(),
  );
  const rows = answers.flatMap(({ total: _, key, ...row }) =>
    row.calls === null ? [] : [(key === undefined ? row : { ...row, keyId: key }) as UsageRow],
  );
  return { total: answers[0]?.total ?? 0, rows };
}

function countsOf(db: QueryCreator<Tables>, { accountId, service, fromDay, toDay }: UsageQuery) {
  return db
    .selectFrom("usage_counts")
    .where("account_id", "=", accountId)
    .where("day", ">=", fromDay)
    .where("day", "<=", toDay)
    .$if(service !== undefined, (select) => select.where("service", "=", service as string));
}

function sumsOf(db: QueryCreator<Tables>, query: UsageQuery) {
  const { groupBy, refunded } = query;
  return (
    db
      .selectFrom(
        countsOf(db, query).select(["account_id", "day", "service", "method", "outcome", "key_id as key", "calls"]).as("counts"),
      )
      .select(groupBy)
      .select((row) => {
        // PostgreSQL has no empty lists.
        const isRefunded = refunded.length === 0 ? row.lit(false) : row("outcome", "in", refunded);
        const counted = row.case().when(isRefunded).then(0).else(row.ref("calls")).end();
        // PostgreSQL's sum has a wider type than what it adds, and would come as text.
        return [
          row.cast<number>(row.fn.sum("calls"), "bigint").as("calls"),
          row.cast<number>(row.fn.sum(counted), "bigint").as("counted"),
        ];
      })
      // Grouped by the account too: without groups there would be one row even where there is nothing to add.
      .groupBy(["account_id", ...groupBy])
  );
}

// PostgreSQL refuses a statement that would update one row twice. All processes write rows in the same order, so that they cannot deadlock.
function merge(counts: readonly UsageCount[]): UsageCount[] {
  const merged = new Map<string, UsageCount>();
  for (const count of counts) {
    const identity = JSON.stringify([count.accountId, count.keyId, count.service, count.method, count.day, count.outcome]);
    merged.set(identity, { ...count, calls: count.calls + (merged.get(identity)?.calls ?? 0) });
  }
  return [...merged].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count);
}
