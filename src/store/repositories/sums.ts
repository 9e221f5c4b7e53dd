// Counts that are added up by some of their columns, a page at a time. What is counted, and what is added up of it, the callers say in SQL.
import { type RawBuilder, sql } from "kysely";
import type { Backend } from "../backend.ts";
import { TooMuchUsage } from "../store-errors.ts";

/** What is added up. */
export interface SumsQuery {
  /** A statement that selects the counts: `account_id` of one account, the columns that they are grouped by, and those that are added up. */
  readonly counts: RawBuilder<unknown>;
  /** The sums, one of them named `calls`: `cast(sum(calls) as bigint) as calls`. */
  readonly sums: RawBuilder<unknown>;
  readonly groupBy: readonly string[];
  readonly limit: number;
  readonly offset: number;
  /** How many counts are added up at most. */
  readonly countsMax: number;
}

/** A page of sums. */
export interface SumsPage<Row> {
  readonly total: number;
  readonly rows: readonly Row[];
}

/** PostgreSQL's sum has a wider type than what it adds, and would come as text. */
export const sumOf = (value: RawBuilder<unknown>): RawBuilder<unknown> => sql`cast(sum(${value}) as bigint)`;

/**
 * A page of the sums in ascending order of what they are grouped by, and how many rows there are in all. One statement, so that both are from the
 * same moment. Rejects with TooMuchUsage when there were too many counts to add up.
 */
export async function pageOfSums<Row>(
  { db, ask }: Pick<Backend, "db" | "ask">,
  { counts, sums, groupBy, limit, offset, countsMax }: SumsQuery,
): Promise<SumsPage<Row>> {
  const [tooMany] = await ask(sql`select 1 from (${counts} limit 1 offset ${countsMax}) as too_many`.compile(db));
  if (tooMany !== undefined) {
    throw new TooMuchUsage(countsMax);
  }
  const columns = groupBy.map((name) => sql.ref(name));
  // An order must name something, also where the rows are not grouped.
  const order = sql.join([...columns, sql.ref("calls")]);
  // Grouped by the account too: without groups there would be one row even where there is nothing to add. Past the end there is one row,
  // which has the total and nothing else.
  const answers = await ask(
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
    total: answers[0]?.total ?? 0,
    rows: answers.flatMap(({ total: _, ...row }) => (row.calls === null ? [] : [row as Row])),
  };
}
