// The usage of all accounts: sums by service, and the accounts with the most calls.
import { sql } from "kysely";
import type { ServiceName } from "../../catalogue/service-names.ts";
import type { Backend } from "../backend.ts";
import type { ServiceCalls, TopAccounts, TopAccountsQuery } from "../usage-records.ts";

interface Row extends ServiceCalls {
  readonly account_id: string;
  readonly account_name: string | null;
}

/** Adds up the days. Runs two statements, so a call that is written between them may be only in the second result. */
export async function topAccounts({ db, ask }: Pick<Backend, "db" | "ask">, query: TopAccountsQuery): Promise<TopAccounts> {
  const { service, fromDay, toDay, refunded, limit } = query;
  // PostgreSQL does not accept an empty list. Its sum has a wider type than its operands, and would arrive as text.
  const isRefunded = refunded.length === 0 ? sql`false` : sql`outcome in (${sql.join(refunded)})`;
  const sums = sql`
    select account_id, service, cast(sum(calls) as bigint) as calls,
      cast(sum(case when ${isRefunded} then 0 else calls end) as bigint) as counted
    from usage_counts
    where day >= ${fromDay} and day <= ${toDay} and ${service === undefined ? sql`true` : sql`service = ${service}`}
    group by account_id, service
  `;
  const services = await ask(
    sql<ServiceCalls & { accounts: number }>`
      with sums as (${sums})
      select service, cast(sum(calls) as bigint) as calls, cast(sum(counted) as bigint) as counted, count(*) as accounts
      from sums group by service order by service
    `.compile(db),
  );
  const rows = await ask(
    sql<Row>`
      with sums as (${sums}),
        top as (
          select account_id, sum(calls) as total from sums group by account_id order by total desc, account_id limit ${limit}
        )
      select sums.account_id, accounts.name as account_name, sums.service, sums.calls, sums.counted
      from top join sums on sums.account_id = top.account_id left join accounts on accounts.id = top.account_id
      order by top.total desc, top.account_id, sums.service
    `.compile(db),
  );
  const byAccount = Map.groupBy(rows, ({ account_id }) => account_id);
  return {
    services: services.map((row) => ({ ...row, service: row.service as ServiceName })),
    accounts: Array.from(byAccount, ([accountId, of]) => ({
      accountId,
      accountName: of[0]?.account_name ?? null,
      services: of.map(({ service: name, calls, counted }) => ({ service: name, calls, counted })),
    })),
  };
}
