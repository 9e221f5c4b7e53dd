// The statements of a region's database, each for any number of quotas. A batch skips rows that are locked; the requests for those rows are
// made again, each on its own. No statement waits while other statements wait for it. Each row is looked up on its own, always by its key
// (`../postgres/key-lookup.ts`): a region begins with an empty table.
//
// An update sets all counts of a row from the values that were read when the row was locked: PostgreSQL checks the constraint on an older
// version of the row first, if another transaction has changed it since the statement began.
import { type RawBuilder, sql } from "kysely";
import type { Month } from "../../runtime/calendar.ts";
import { byKey } from "../postgres/key-lookup.ts";
import { isSameIncarnation } from "./region-incarnation.ts";
import type { QuotaName, RegionIncarnation, RegionLeaseRequest, RegionReport } from "./region-records.ts";
import { accountOfCap, subjectText } from "./region-records.ts";

/** A quota as the statements return it. */
export interface QuotaRow {
  readonly region_id: string;
  readonly subject: string;
  readonly month: Month;
  readonly account_id: string | null;
  readonly calls_per_month: number;
  readonly granted: number;
  readonly returned: number;
  readonly free: number;
  readonly unleased: number;
}

/**
 * The outcome of a request to lease calls. `is_checked`: whether the database is still the one that was checked; if not, nothing was
 * leased. `exists`: whether the region knows the quota. Nulls: the request must be made again.
 */
export interface LeasedRow extends Record<"taken" | "free" | "granted" | "returned" | "unleased", number | null> {
  readonly is_checked: boolean;
  readonly exists: boolean;
}

const KEY = ["subject", "month"];

const lockOf = (mayWait: boolean): RawBuilder<unknown> => (mayWait ? sql`for update of q` : sql`for update of q skip locked`);

const namesOf = (requests: readonly QuotaName[]): RawBuilder<unknown> =>
  sql`${requests.map(({ subject }) => subjectText(subject))}::text[], ${requests.map(({ month }) => month)}::text[]`;

/**
 * Leases calls. If the plan has become smaller, all that the region holds is returned instead, because it may be more than the plan
 * includes.
 */
export function leaseStatement(
  requests: readonly RegionLeaseRequest[],
  checked: RegionIncarnation,
  mayWait: boolean,
): RawBuilder<LeasedRow> {
  return sql<LeasedRow>`
    with here as materialized (
      select ${isSameIncarnation(checked)} as is_checked
    ),
    requested as (
      select * from unnest(
        ${namesOf(requests)}, ${requests.map(({ callsPerMonth }) => callsPerMonth)}::bigint[],
        ${requests.map(({ want }) => want)}::bigint[]
      ) with ordinality as r (subject, month, plan, want, n)
    ),
    single as (
      select distinct on (subject, month) * from requested where (select is_checked from here) order by subject, month, n
    ),
    held as materialized (
      select q.*, single.n, single.plan, single.want
      from single cross join lateral (select * from region_quotas q ${byKey("q", "single", KEY)} ${lockOf(mayWait)}) as q
    ),
    share as (
      select *,
        case when plan < calls_per_month then 0 else least(want, granted - returned - leased) end as taken,
        case when plan < calls_per_month then granted - leased else returned end as given_back
      from held
    ),
    updated as (
      insert into region_quotas
        (subject, month, calls_per_month, granted, returned, returned_at_home, leased, unleased, reported_at_ms)
      select subject, month, plan, granted, given_back, returned_at_home, leased + taken, unleased, reported_at_ms from share
      where taken > 0 or plan <> calls_per_month
      on conflict (subject, month) do update set granted = excluded.granted, leased = excluded.leased,
        returned = excluded.returned, calls_per_month = excluded.calls_per_month
    )
    select share.taken, share.granted - share.given_back - share.leased - share.taken as free,
      share.granted, share.given_back as returned, share.unleased, (select is_checked from here) as is_checked,
      (select true from region_quotas q ${byKey("q", "requested", KEY)}) is not null as exists
    from requested left join share on share.n = requested.n
    order by requested.n
  `;
}

/** Takes back calls that servers have leased and not spent. The count never goes below zero. */
export function returnStatement(
  requests: readonly (QuotaName & { readonly calls: number })[],
  mayWait: boolean,
): RawBuilder<{ readonly done: boolean }> {
  return sql<{ readonly done: boolean }>`
    with back as (
      select * from unnest(${namesOf(requests)}, ${requests.map(({ calls }) => calls)}::bigint[])
      with ordinality as b (subject, month, calls, n)
    ),
    total as materialized (
      select subject, month, sum(calls)::bigint as calls from back group by subject, month order by subject, month
    ),
    held as materialized (
      select q.*, total.calls
      from total cross join lateral (select * from region_quotas q ${byKey("q", "total", KEY)} ${lockOf(mayWait)}) as q
    ),
    updated as (
      insert into region_quotas
        (subject, month, calls_per_month, granted, returned, returned_at_home, leased, unleased, reported_at_ms)
      select subject, month, calls_per_month, granted, returned, returned_at_home, greatest(leased - calls, 0), unleased, reported_at_ms
      from held
      on conflict (subject, month) do update set granted = excluded.granted, returned = excluded.returned, leased = excluded.leased
      returning subject, month
    )
    select updated.subject is not null or (select true from region_quotas q ${byKey("q", "back", KEY)}) is null as done
    from back
    left join updated using (subject, month)
    order by back.n
  `;
}

/**
 * Records what the home database has granted; the region returns the calls that exceed `keep`. The rows are in the order of the names,
 * without grants to another id. The row of the region is locked, so that its id does not change in between.
 */
export function reportStatement(reports: readonly RegionReport[]): RawBuilder<QuotaRow> {
  return sql<QuotaRow>`
    with here as materialized (
      select id from region for key share
    ),
    reported as (
      select distinct on (subject, month) r.* from here join unnest(
        ${reports.map(({ regionId }) => regionId)}::text[], ${namesOf(reports)}, ${reports.map(({ subject }) => accountOfCap(subject))}::text[],
        ${reports.map(({ callsPerMonth }) => callsPerMonth)}::bigint[], ${reports.map(({ grant }) => grant.granted)}::bigint[],
        ${reports.map(({ grant }) => grant.returned)}::bigint[], ${reports.map(({ grant }) => grant.unleased)}::bigint[],
        ${reports.map(({ keep }) => keep ?? null)}::bigint[], ${reports.map(({ nowMs }) => nowMs)}::bigint[]
      ) as r (region_id, subject, month, account_id, plan, granted, returned, unleased, keep, now_ms) on r.region_id = here.id
      order by subject, month, granted desc
    ),
    recorded as (
      insert into region_quotas as q
        (subject, month, account_id, calls_per_month, granted, returned, returned_at_home, leased, unleased, reported_at_ms)
      select subject, month, account_id, plan, granted, returned, returned, 0, unleased, now_ms from reported order by subject, month
      on conflict (subject, month) do update set
        granted = greatest(q.granted, excluded.granted),
        returned_at_home = greatest(q.returned_at_home, excluded.returned_at_home),
        returned = q.returned + (
          select greatest(greatest(q.granted, excluded.granted) - q.returned - q.leased - coalesce(r.keep, q.granted + excluded.granted), 0)
          from reported r where r.subject = q.subject and r.month = q.month
        ),
        unleased = excluded.unleased,
        reported_at_ms = greatest(q.reported_at_ms, excluded.reported_at_ms)
      returning q.*
    )
    select subject, month, account_id, calls_per_month, granted, returned, granted - returned - leased as free, unleased,
      (select id from here) as region_id
    from recorded order by subject, month
  `;
}

/** Selects quotas that the home database has not reported on since `beforeMs`, and marks them as reported on now. */
export function dueStatement(month: Month, beforeMs: number, nowMs: number, limit: number): RawBuilder<QuotaRow> {
  return sql<QuotaRow>`
    update region_quotas q set reported_at_ms = ${nowMs}
    where (subject, month) in (
      select subject, month from region_quotas
      where month = ${month} and reported_at_ms < ${beforeMs} and (granted - returned - leased > 0 or returned > returned_at_home)
      order by reported_at_ms limit ${limit}
      for update skip locked
    )
    returning subject, month, account_id, calls_per_month, granted, returned, granted - returned - leased as free, unleased,
      (select id from region) as region_id
  `;
}

/** Selects the given quotas. Leaves out quotas that the region does not know. */
export const quotasStatement = (names: readonly QuotaName[]): RawBuilder<QuotaRow> => sql<QuotaRow>`
  select subject, month, account_id, calls_per_month, granted, returned, granted - returned - leased as free, unleased,
    (select id from region) as region_id
  from region_quotas join unnest(${namesOf(names)}) as wanted (subject, month) using (subject, month)
`;
