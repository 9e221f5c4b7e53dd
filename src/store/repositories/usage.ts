// Usage and refusals, added up by day and by hour: how counts are added, and reports of one account or of all. Each function that changes
// something runs in the given transaction.
import { type RawBuilder, sql } from "kysely";
import { type ServiceName, serviceRank } from "../../catalogue/service-names.ts";
import type { Backend } from "../backend.ts";
import type { Queries } from "../schema.ts";
import { TooMuchUsage } from "../store-errors.ts";
import type {
  RefusalCount,
  RefusalQuery,
  RefusalRow,
  RefusalRows,
  ServiceCalls,
  TopAccounts,
  TopAccountsQuery,
  UsageCount,
  UsageQuery,
  UsageRow,
  UsageRows,
} from "../usage-records.ts";
import { type ColumnType, given } from "./dialect.ts";
import type { DatedTable } from "./expired-counts.ts";

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
  const counts = sumUsage(all.filter(({ calls }) => calls > 0));
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
function sumUsage(counts: readonly UsageCount[]): readonly UsageCount[] {
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

// An account has up to 1000 keys, and may replace them every hour. If it has more kinds of refusals than this in a day, further ones are
// counted without the key, as one count for each service and reason.
const KINDS_PER_DAY_MAX = 500;
const DAY_MS = 86_400_000;
const KEPT_DAYS = 366;

/** The daily counts. */
export const REFUSAL_COUNTS: CountTable = {
  table: "refusal_counts",
  key: ["account_id", "key_id", "service", "day", "reason"],
  time: "day",
};

export const firstRefusalDayKept = (nowMs: number): string => new Date(nowMs - KEPT_DAYS * DAY_MS).toISOString().slice(0, 10);

/** The hourly counts. They do not contain the needed rate. */
export const REFUSAL_HOURS: CountTable = {
  table: "refusal_hours",
  key: ["account_id", "key_id", "service", "hour", "reason"],
  time: "hour",
};

/** Adds counts. The same key, service, hour and reason may appear more than once. */
export async function addRefusals(db: Queries, counts: readonly RefusalCount[]): Promise<void> {
  for (let start = 0; start < counts.length; start += KINDS_PER_DAY_MAX) {
    await addBatch(db, counts.slice(start, start + KINDS_PER_DAY_MAX));
  }
}

async function addBatch(db: Queries, counts: readonly RefusalCount[]): Promise<void> {
  const full = await fullDays(db, counts);
  const kept = counts.map((count) => (full.has(accountDayOf(count)) ? { ...count, keyId: "" } : count));
  await addCounts(
    db,
    REFUSAL_COUNTS,
    kept.map((count) => ({ ...refusalRowOf(count), ...timeIn(REFUSAL_COUNTS, count), rate_needed: count.rateNeeded })),
  );
  await addCounts(
    db,
    REFUSAL_HOURS,
    kept.map((count) => ({ ...refusalRowOf(count), ...timeIn(REFUSAL_HOURS, count) })),
  );
}

/** A page of refusals, added up, and how many rows there are in total. Rejects with TooMuchUsage if there are too many counts to add up. */
export async function refusalRows(backend: Pick<Backend, "db" | "readRows">, query: RefusalQuery): Promise<RefusalRows> {
  const isByHour = query.groupBy.includes("hour");
  const { total, rows } = await pageOfSums<RefusalRow & { readonly key?: string }>(backend, {
    ...query,
    counts: isByHour
      ? selectCounts(REFUSAL_HOURS, query, sql`reason, calls, 0 as rate_needed`)
      : selectCounts(REFUSAL_COUNTS, query, sql`reason, calls, rate_needed`),
    sums: sql`${sumOf(sql`calls`)} as calls, max(rate_needed) as "rateNeeded"`,
  });
  return { total, rows: rows.map(({ key, ...row }) => (key === undefined ? row : { ...row, keyId: key })) };
}

const refusalRowOf = ({ accountId, keyId, service, reason, calls }: RefusalCount) => ({
  account_id: accountId,
  key_id: keyId,
  service,
  reason,
  calls,
});

const accountDayOf = ({ accountId, day }: Pick<RefusalCount, "accountId" | "day">): string => `${accountId} ${day}`;

// The accounts and days of these counts that already have many kinds of refusals.
async function fullDays(db: Queries, counts: readonly RefusalCount[]): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom("refusal_counts")
    .select(["account_id as accountId", "day"])
    .where("account_id", "in", [...new Set(counts.map(({ accountId }) => accountId))])
    .where("day", "in", [...new Set(counts.map(({ day }) => day))])
    .groupBy(["account_id", "day"])
    .having((row) => row.fn.countAll(), ">=", KINDS_PER_DAY_MAX)
    .execute();
  return new Set(rows.map(accountDayOf));
}

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

/** A table of counts by day or by hour. Rows with the same key are added up; rows are written in the order of the key's columns. */
export interface CountTable extends DatedTable {
  readonly table: "usage_counts" | "usage_hours" | "refusal_counts" | "refusal_hours";
  readonly time: "day" | "hour";
}

/** When something was counted. */
interface CountedAt {
  /** UTC, `2026-11-21`. */
  readonly day: string;
  /** From 0 to 23. */
  readonly hour: number;
}

/** A row by its columns. */
interface CountRow {
  readonly calls: number;
  readonly [column: string]: string | number;
}

/** When it was counted, as stored in the table: `2026-11-21`, or `2026-11-21T14`. */
const timeIn = ({ time }: CountTable, { day, hour }: CountedAt): object => ({
  [time]: time === "day" ? day : `${day}T${String(hour).padStart(2, "0")}`,
});

/** Adds rows. Several rows may have the same key. */
async function addCounts(db: Queries, { table, key }: CountTable, counts: readonly CountRow[]): Promise<void> {
  const rows = sumByKey(counts, key);
  const [first] = rows;
  if (first === undefined) {
    return;
  }
  const columns = Object.keys(first);
  const types = Object.fromEntries(
    columns.map((column): [string, ColumnType] => [column, key.includes(column) ? "text" : "bigint"]),
  );
  const updates = columns.filter((column) => !key.includes(column)).map((column) => updateOf(table, column));
  // Without the condition SQLite would parse "on conflict" as part of a join.
  await sql`
    insert into ${sql.table(table)} (${names(columns)}) select ${names(columns)} from ${given(db, types, rows)} where true
    on conflict (${names(key)}) do update set ${sql.join(updates)}
  `.execute(db);
}

const names = (columns: readonly string[]): RawBuilder<unknown> => sql.join(columns.map((column) => sql.ref(column)));

function updateOf(table: string, column: string): RawBuilder<unknown> {
  const [held, added] = [sql.ref(`${table}.${column}`), sql.ref(`excluded.${column}`)];
  const update = column === "calls" ? sql`${held} + ${added}` : sql`case when ${added} > ${held} then ${added} else ${held} end`;
  return sql`${sql.ref(column)} = ${update}`;
}

// PostgreSQL refuses a statement that would update one row twice. The rows are sorted by the key, because processes that write rows in the
// same order cannot deadlock.
function sumByKey(rows: readonly CountRow[], key: readonly string[]): readonly CountRow[] {
  const byKey = new Map<string, CountRow>();
  for (const row of rows) {
    const name = JSON.stringify(key.map((column) => row[column]));
    const held = byKey.get(name);
    byKey.set(name, held === undefined ? row : mergeRows(held, row));
  }
  return [...byKey].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

// The largest of several needed rates is kept.
function mergeRows(held: CountRow, added: CountRow): CountRow {
  const rate = "rate_needed" in added ? { rate_needed: Math.max(Number(held.rate_needed), Number(added.rate_needed)) } : {};
  return { ...held, calls: held.calls + added.calls, ...rate };
}

/** Which counts of an account to select. */
interface Selection {
  readonly accountId: string;
  /** All services if it is left out. */
  readonly service?: string | undefined;
  readonly fromDay: string;
  /** Inclusive. */
  readonly toDay: string;
}

/** Selects counts of some days, with `month`, `day`, the table's time column, `service`, `key` and the columns of `more`. */
function selectCounts(
  { table, time }: CountTable,
  { accountId, service, fromDay, toDay }: Selection,
  more: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const [day, from, to] =
    time === "day" ? [sql``, fromDay, toDay] : [sql`substr(hour, 1, 10) as day,`, `${fromDay}T00`, `${toDay}T23`];
  const at = sql.ref(time);
  return sql`
    select account_id, substr(${at}, 1, 7) as month, ${day} ${at}, service, key_id as key, ${more} from ${sql.table(table)}
    where account_id = ${accountId} and ${at} >= ${from} and ${at} <= ${to}
      ${service === undefined ? sql`` : sql`and service = ${service}`}
  `;
}
