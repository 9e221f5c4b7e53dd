// The usage of all accounts: sums by service, and the accounts with the most calls. Accounts are added up in batches, so that no statement
// takes long, however many accounts there are.
import { type RawBuilder, sql } from "kysely";
import { type ServiceName, serviceRank } from "../../catalogue/service-names.ts";
import type { Backend } from "../backend.ts";
import type { ServiceCalls, TopAccounts, TopAccountsQuery } from "../usage-records.ts";

// How many accounts are in a batch.
const ACCOUNTS_MAX = 2000;

/** A sum: of a service in all these accounts, or of one account. */
interface Row extends ServiceCalls {
  readonly account_id: string | null;
  readonly accounts: number;
}

interface Sums {
  readonly services: Map<ServiceName, TopAccounts["services"][number]>;
  /** The accounts with the most calls so far, busiest first. */
  top: readonly { readonly accountId: string; readonly calls: number; readonly services: readonly ServiceCalls[] }[];
}

/**
 * The usage of all accounts. Reads the whole history of these days, in many short statements, so calls that are counted in the meantime
 * may be in only some of the sums. In a server this does not delay other work.
 */
export async function topAccounts(
  { db, readRows }: Pick<Backend, "db" | "readRows">,
  query: TopAccountsQuery,
): Promise<TopAccounts> {
  const sums: Sums = { services: new Map(), top: [] };
  let after = "";
  for (;;) {
    const [last] = await readRows(
      db
        .selectFrom("accounts")
        .select("id")
        .where("id", ">", after)
        .orderBy("id")
        .offset(ACCOUNTS_MAX - 1)
        .limit(1)
        .compile(),
    );
    const accounts = last === undefined ? sql`account_id > ${after}` : sql`account_id > ${after} and account_id <= ${last.id}`;
    addRows(sums, await readRows(sumsStatement(query, accounts).compile(db)), query.limit);
    if (last === undefined) {
      return withNames({ db, readRows }, sums);
    }
    after = last.id;
  }
}

function sumsStatement(
  { service, fromDay, toDay, refunded, limit }: TopAccountsQuery,
  accounts: RawBuilder<unknown>,
): RawBuilder<Row> {
  // PostgreSQL does not accept an empty list. Its sum has a wider type than its operands, and would arrive as a string.
  const isRefunded = refunded.length === 0 ? sql`false` : sql`outcome in (${sql.join(refunded)})`;
  return sql<Row>`
    with sums as (
        select account_id, service, cast(sum(calls) as bigint) as calls,
          cast(sum(case when ${isRefunded} then 0 else calls end) as bigint) as counted
        from usage_counts
        where ${accounts} and day >= ${fromDay} and day <= ${toDay} and ${service === undefined ? sql`true` : sql`service = ${service}`}
        group by account_id, service
      ),
      top as (
        select account_id from sums group by account_id order by sum(calls) desc, account_id limit ${limit}
      )
    select null as account_id, service, cast(sum(calls) as bigint) as calls, cast(sum(counted) as bigint) as counted, count(*) as accounts
    from sums group by service
    union all
    select account_id, service, calls, counted, 1 from sums where account_id in (select account_id from top)
  `;
}

function addRows(sums: Sums, rows: readonly Row[], limit: number): void {
  const byAccount = new Map<string, ServiceCalls[]>();
  for (const { account_id: accountId, service, calls, counted, accounts } of rows) {
    if (accountId === null) {
      const held = sums.services.get(service) ?? { service, calls: 0, counted: 0, accounts: 0 };
      const added = { calls: held.calls + calls, counted: held.counted + counted, accounts: held.accounts + accounts };
      sums.services.set(service, { service, ...added });
    } else {
      byAccount.set(accountId, [...(byAccount.get(accountId) ?? []), { service, calls, counted }]);
    }
  }
  const found = [...byAccount].map(([accountId, services]) => ({
    accountId,
    calls: services.reduce((sum, { calls }) => sum + calls, 0),
    services: services.toSorted(byService),
  }));
  sums.top = [...sums.top, ...found].toSorted((a, b) => b.calls - a.calls || (a.accountId < b.accountId ? -1 : 1)).slice(0, limit);
}

const byService = (a: ServiceCalls, b: ServiceCalls): number => serviceRank(a.service) - serviceRank(b.service);

async function withNames({ db, readRows }: Pick<Backend, "db" | "readRows">, { services, top }: Sums): Promise<TopAccounts> {
  const ids = top.map(({ accountId }) => accountId);
  // PostgreSQL does not allow `in ()`.
  const rows =
    ids.length === 0 ? [] : await readRows(db.selectFrom("accounts").select(["id", "name"]).where("id", "in", ids).compile());
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  return {
    services: [...services.values()].toSorted(byService),
    accounts: top.map(({ accountId, services: accountServices }) => ({
      accountId,
      accountName: names.get(accountId) ?? null,
      services: accountServices,
    })),
  };
}
