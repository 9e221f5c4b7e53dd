// Adds up counts, grouped by some of their columns, a page at a time. Callers say in SQL which rows are counted and what is added up.
import { type RawBuilder, sql } from "kysely";
import type { Backend } from "../backend.ts";
import { TooMuchUsage } from "../store-errors.ts";

export interface SumsQuery {
  /** A statement that selects the counts: the `account_id` of one account, the columns to group by, and the columns to add up. */
  readonly counts: RawBuilder<unknown>;
  /** The sums, one of them named `calls`: `cast(sum(calls) as bigint) as calls`. */
  readonly sums: RawBuilder<unknown>;
  readonly groupBy: readonly string[];
  readonly limit: number;
  readonly offset: number;
  /** The maximum number of counts that are added up. */
  readonly countsMax: number;
}

export interface SumsPage<Row> {
  readonly total: number;
  readonly rows: readonly Row[];
}

/** PostgreSQL's sum has a wider type than its operands, and would arrive as a string. */
export const sumOf = (value: RawBuilder<unknown>): RawBuilder<unknown> => sql`cast(sum(${value}) as bigint)`;

/**
 * A page of the sums, sorted by the grouping columns, and how many rows there are in total. One statement, so that both are from the same
 * point in time. Rejects with TooMuchUsage if there are too many counts to add up.
 */
export async function pageOfSums<Row>(
  { db, readRows }: Pick<Backend, "db" | "readRows">,
  { counts, sums, groupBy, limit, offset, countsMax }: SumsQuery,
): Promise<SumsPage<Row>> {
  const [tooMany] = await readRows(sql`select 1 from (${counts} limit 1 offset ${countsMax}) as too_many`.compile(db));
  if (tooMany !== undefined) {
    throw new TooMuchUsage(countsMax);
  }
  const columns = groupBy.map((name) => sql.ref(name));
  // `order by` must name a column, even if the rows are not grouped.
  const order = sql.join([...columns, sql.ref("calls")]);
  // Grouped by the account too: without groups there would be one row even if there is nothing to add up. Past the last page there is one
  // row, with the total and nothing else.
  const results = await readRows(
    sql<Row & { total: number; calls: number | null }>`
      with
        sums as (
          select ${sql.join([...columns, sums])} from (${counts}) as counts group by ${sql.join([sql.ref("account_id"), ...columns])}
        ),
        page as (select * from sums order by ${order} limit ${limit} offset ${offset})
      select whole.total, page.* from (select count(*) as total from sums) as whole left join page on true order by ${order}
    `.compile(db),
  );
  return {
    total: results[0]?.total ?? 0,
    rows: results.flatMap(({ total: _, ...row }) => (row.calls === null ? [] : [row as Row])),
  };
}
