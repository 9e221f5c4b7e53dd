// The home database's side of regions: a region reports how many calls it has returned, and is granted more calls of the month. One
// statement serves any number of quotas, because the home database is far away.
//
// Each row is looked up on its own, in the order in which all statements lock rows, and always by its key (`key-lookup.ts`). A locked row
// is updated by an insert that conflicts with it, because that uses the key's index too.
//
// The region's own counts are locked first, so that the same calls are never taken back twice, and then the counts of the month. Every
// statement locks rows in the same order. A region that does not know all its grants gets no more: it has lost a response, or another of
// its servers has just asked.
import { type RawBuilder, sql } from "kysely";
import type { BatchResult } from "../batcher.ts";
import { type RegionGrant, type RegionRequest, subjectText } from "../region/region-records.ts";
import { noSubscription, subjectColumns } from "../repositories/leases.ts";
import type { Queries } from "../schema.ts";
import { byKey, MONTH_KEY } from "./key-lookup.ts";

const REGION_KEY = ["region_id", "subject", "month"];

interface ExchangedRow {
  readonly known: boolean;
  /** Null if the request must be made again. */
  readonly granted: number | null;
  readonly returned: number | null;
  readonly unleased: number | null;
}

/** Serves many requests of one region in one transaction. Only with `mayWait` does it wait for rows that are locked. */
export async function exchangeWithRegion(
  db: Queries,
  requests: readonly RegionRequest[],
  mayWait: boolean,
): Promise<readonly BatchResult<RegionGrant>[]> {
  const { rows } = await exchangeStatement(requests, mayWait).execute(db);
  return rows.map(({ known, granted, returned, unleased }, index): BatchResult<RegionGrant> => {
    if (!known) {
      return { error: noSubscription(requests[index]?.subject) };
    }
    return granted === null || returned === null || unleased === null ? "again" : { result: { granted, returned, unleased } };
  });
}

function exchangeStatement(requests: readonly RegionRequest[], mayWait: boolean): RawBuilder<ExchangedRow> {
  const skipLocked = mayWait ? sql`` : sql`skip locked`;
  const subjects = requests.map(({ subject }) => subjectColumns(subject));
  const bigints = (countOf: (request: RegionRequest) => number): RawBuilder<unknown> => sql`${requests.map(countOf)}::bigint[]`;
  return sql<ExchangedRow>`
    with requested as (
      select a.*, coalesce(s.account_id, a.cap_account_id) as account_id, coalesce(s.service, a.cap_service) as service
      from unnest(
        ${requests.map(({ regionId }) => regionId)}::text[], ${requests.map(({ subject }) => subjectText(subject))}::text[],
        ${sql.join([0, 1, 2].map((at) => sql`${subjects.map((column) => column[at])}::text[]`))},
        ${requests.map(({ month }) => month)}::text[], ${bigints(({ callsPerMonth }) => callsPerMonth)}, ${bigints(({ want }) => want)},
        ${bigints(({ granted }) => granted)}, ${bigints(({ returned }) => returned)}
      ) with ordinality as a
        (region_id, subject, subscription_id, cap_account_id, cap_service, month, plan, want, granted, returned, n)
      left join subscriptions s on s.id = a.subscription_id
    ),
    single as (
      select distinct on (account_id, service, month) * from requested
      where account_id is not null
      order by account_id, service, month, n
    ),
    ordered as materialized (
      select * from single order by subject, month
    ),
    counted as materialized (
      select e.granted, e.returned, ordered.n
      from ordered cross join lateral (
        select granted, returned from region_leases e ${byKey("e", "ordered", REGION_KEY)} for update of e ${skipLocked}
      ) as e
    ),
    due as materialized (
      select single.n, single.region_id, single.subject, single.account_id, single.service, single.month, single.plan,
        greatest(counted.granted, single.granted) as known, counted.granted,
        greatest(counted.returned, single.returned) as returned, counted.n is null as is_new,
        case when coalesce(counted.granted, 0) > single.granted then 0 else single.want end as want,
        greatest(single.returned - coalesce(counted.returned, single.returned), 0) as back
      from single left join counted using (n)
      where counted.n is not null or (select true from region_leases e ${byKey("e", "single", REGION_KEY)}) is null
      order by single.account_id, single.service, single.month
    ),
    held as materialized (
      select m.account_id, m.service, m.month, greatest(m.leased - due.back, 0) as leased, due.n, due.back, due.want,
        case m.closed when 1 then 0 else due.plan + m.credited end as plan
      from due cross join lateral (
        select account_id, service, month, leased, credited, closed from month_leases m
        ${byKey("m", "due", MONTH_KEY)} for update of m ${skipLocked}
      ) as m
    ),
    share as (
      select n, account_id, service, month, leased, back,
        least(want, greatest(plan - leased, 0)) as taken, greatest(plan - leased, 0) as free
      from held
    ),
    inserted as (
      insert into "month_leases" (account_id, service, month, leased)
      select account_id, service, month, least(want, plan) from due
      where (select true from month_leases m ${byKey("m", "due", MONTH_KEY)}) is null
      order by account_id, service, month
      on conflict (account_id, service, month) do nothing
      returning account_id, service, month, leased
    ),
    updated as (
      insert into "month_leases" (account_id, service, month, leased)
      select account_id, service, month, leased + taken from share
      -- The count of the inserted rows is not known before all inserts are done.
      where (taken > 0 or back > 0) and (select count(*) from inserted) >= 0
      on conflict (account_id, service, month) do update set leased = excluded.leased
    ),
    charged as (
      select n, taken, free from share
      union all
      select due.n, inserted.leased, due.plan from inserted join due using (account_id, service, month)
    ),
    raised as (
      insert into "region_leases" (region_id, subject, month, granted, returned)
      select due.region_id, due.subject, due.month,
        case when charged.taken > 0 then due.known + charged.taken else due.granted end, due.returned
      from due join charged using (n) where not due.is_new
      on conflict (region_id, subject, month) do update set granted = excluded.granted, returned = excluded.returned
      returning region_id, subject, month, granted, returned
    ),
    begun as (
      insert into region_leases as e (region_id, subject, month, granted, returned)
      select due.region_id, due.subject, due.month, charged.taken, due.returned
      from due join charged using (n) where due.is_new
      order by due.subject, due.month
      on conflict (region_id, subject, month) do update set
        granted = e.granted + excluded.granted, returned = greatest(e.returned, excluded.returned)
      returning e.region_id, e.subject, e.month, e.granted, e.returned
    ),
    done as (
      select due.n, changed.granted, changed.returned
      from (select * from raised union all select * from begun) as changed join due using (region_id, subject, month)
    )
    select requested.account_id is not null as known, done.granted, done.returned, charged.free - charged.taken as unleased
    from requested left join done on done.n = requested.n left join charged on charged.n = requested.n
    order by requested.n
  `;
}
