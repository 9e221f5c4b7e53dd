// Leases on PostgreSQL: one statement for any number of them, so that a batch costs one round trip. An existing row is locked before its
// count is read, so the count is the latest. A missing row is inserted. If another process has just inserted it, nothing is leased, and the
// caller tries again.
//
// Statements must not deadlock. A batch skips rows that are locked. An insert has to wait for another statement that has inserted or
// updated the same row and has not committed yet. So only missing rows are inserted, in the same order everywhere, and nothing is updated
// before all inserts are done: a statement that other statements wait for never waits itself.
//
// Each row is looked up on its own, in the order of `single` or `total`, and always by its key (`key-lookup.ts`). A locked row is updated
// by an insert that conflicts with it, because that uses the key's index too.
import { type RawBuilder, sql } from "kysely";
import type { LeaseRequest, LeaseTable, ReturnRequest } from "../backend.ts";
import type { BatchResult } from "../batcher.ts";
import type { LeaseGrant, LeaseSubject } from "../records.ts";
import { noSubscription, subjectColumns } from "../repositories/leases.ts";
import type { Queries } from "../schema.ts";

const BATCH_MAX = 250;
// Most of the pool is left for other queries.
const CONCURRENCY_MAX = 2;

interface LeasedRow {
  readonly known: boolean;
  /** Null if the request must be made again. */
  readonly granted: number | null;
  readonly unleased: number | null;
}

interface ReturnedRow {
  readonly known: boolean;
  readonly done: boolean;
}

export const postgresLeases = (db: Queries): LeaseTable => ({
  batchMax: BATCH_MAX,
  concurrencyMax: CONCURRENCY_MAX,
  async lease(requests, mayWait) {
    const { rows } = await leaseStatement(requests, mayWait).execute(db);
    return rows.map(({ known, granted, unleased }, index): BatchResult<LeaseGrant> => {
      if (!known) {
        return { error: noSubscription(requests[index]?.subject) };
      }
      return granted === null || unleased === null ? "again" : { result: { granted, unleased } };
    });
  },
  async returnCalls(requests, mayWait) {
    const { rows } = await returnStatement(requests, mayWait).execute(db);
    return rows.map(({ known, done }, index): BatchResult<undefined> => {
      if (!known) {
        return { error: noSubscription(requests[index]?.subject) };
      }
      return done ? { result: undefined } : "again";
    });
  },
});

const lockOf = (mayWait: boolean): RawBuilder<unknown> => (mayWait ? sql`for update of m` : sql`for update of m skip locked`);

// Three arrays: the ids of subscriptions, and for caps the accounts and the values of `service`.
function subjectArrays(requests: readonly { readonly subject: LeaseSubject }[]): RawBuilder<unknown> {
  const columns = requests.map(({ subject }) => subjectColumns(subject));
  return sql.join([0, 1, 2].map((at) => sql`${columns.map((column) => column[at])}::text[]`));
}

function leaseStatement(requests: readonly LeaseRequest[], mayWait: boolean): RawBuilder<LeasedRow> {
  return sql<LeasedRow>`
    with requested as (
      select a.n, a.month, a.calls_per_month, a.want,
        coalesce(s.account_id, a.account_id) as account_id, coalesce(s.service, a.service) as service
      from unnest(
        ${subjectArrays(requests)}, ${requests.map(({ month }) => month)}::text[],
        ${requests.map(({ callsPerMonth }) => callsPerMonth)}::bigint[], ${requests.map(({ want }) => want)}::bigint[]
      ) with ordinality as a (subscription_id, account_id, service, month, calls_per_month, want, n)
      left join subscriptions s on s.id = a.subscription_id
    ),
    single as (
      select distinct on (account_id, service, month) * from requested
      where account_id is not null
      order by account_id, service, month, n
    ),
    held as materialized (
      select m.account_id, m.service, m.month, m.leased, single.n, single.want,
        case m.closed when 1 then 0 else single.calls_per_month + m.credited end as calls_per_month
      from single cross join lateral (
        select account_id, service, month, leased, credited, closed from month_leases m
        ${byKey("m", "single", MONTH_KEY)} ${lockOf(mayWait)}
      ) as m
    ),
    share as (
      select n, account_id, service, month, leased,
        least(want, greatest(calls_per_month - leased, 0)) as granted,
        greatest(calls_per_month - leased, 0) as free
      from held
    ),
    inserted as (
      insert into "month_leases" (account_id, service, month, leased)
      select account_id, service, month, least(want, calls_per_month) from single
      where (select true from month_leases m ${byKey("m", "single", MONTH_KEY)}) is null
      order by account_id, service, month
      on conflict (account_id, service, month) do nothing
      returning account_id, service, month, leased
    ),
    updated as (
      insert into "month_leases" (account_id, service, month, leased)
      select account_id, service, month, leased + granted from share
      -- The count of the inserted rows is not known before all inserts are done.
      where granted > 0 and (select count(*) from inserted) >= 0
      on conflict (account_id, service, month) do update set leased = excluded.leased
    ),
    taken as (
      select n, granted, free from share
      union all
      select single.n, inserted.leased, single.calls_per_month from inserted join single using (account_id, service, month)
    )
    select requested.account_id is not null as known, taken.granted, taken.free - taken.granted as unleased
    from requested left join taken on taken.n = requested.n
    order by requested.n
  `;
}

function returnStatement(requests: readonly ReturnRequest[], mayWait: boolean): RawBuilder<ReturnedRow> {
  return sql<ReturnedRow>`
    with back as (
      select b.n, b.month, b.calls, coalesce(s.account_id, b.account_id) as account_id, coalesce(s.service, b.service) as service
      from unnest(
        ${subjectArrays(requests)}, ${requests.map(({ month }) => month)}::text[],
        ${requests.map(({ calls }) => calls)}::bigint[]
      ) with ordinality as b (subscription_id, account_id, service, month, calls, n)
      left join subscriptions s on s.id = b.subscription_id
    ),
    total as materialized (
      select account_id, service, month, sum(calls)::bigint as calls from back
      where account_id is not null
      group by account_id, service, month
      order by account_id, service, month
    ),
    held as materialized (
      select m.account_id, m.service, m.month, m.leased, total.calls
      from total cross join lateral (
        select account_id, service, month, leased from month_leases m ${byKey("m", "total", MONTH_KEY)} ${lockOf(mayWait)}
      ) as m
    ),
    updated as (
      insert into "month_leases" (account_id, service, month, leased)
      select account_id, service, month, greatest(leased - calls, 0) from held
      on conflict (account_id, service, month) do update set leased = excluded.leased
      returning account_id, service, month
    )
    select back.account_id is not null as known,
      updated.account_id is not null or (
        select true from month_leases m ${byKey("m", "back", MONTH_KEY)}
      ) is null as done
    from back
    left join updated using (account_id, service, month)
    order by back.n
  `;
}

/**
 * The conditions for the row of `table` whose key has the values of `given`, and the order and limit. Two row comparisons instead of
 * equality: only the key's index returns rows in this order, so that it is the cheapest way to the first, however many rows there are.
 */
function byKey(table: string, given: string, key: readonly string[]): RawBuilder<unknown> {
  const rowOf = (alias: string): RawBuilder<unknown> => sql`(${sql.join(key.map((column) => sql.ref(`${alias}.${column}`)))})`;
  const order = sql.join(key.map((column) => sql.ref(`${table}.${column}`)));
  return sql`where ${rowOf(table)} >= ${rowOf(given)} and ${rowOf(table)} <= ${rowOf(given)} order by ${order} limit 1`;
}

/** The primary key of `month_leases`. */
const MONTH_KEY = ["account_id", "service", "month"];
