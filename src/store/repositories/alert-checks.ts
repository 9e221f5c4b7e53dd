// The records that alerts about calls are based on. When counts are added up, the same transaction records which accounts they belong to,
// and how many of the calls failed. Later a server removes some of these records, and reads the state of their subscriptions. Each function
// runs in the given transaction.
import { type RawBuilder, sql } from "kysely";
import type { ServiceName } from "../../catalogue/service-names.ts";
import { dayAt, type Month } from "../../runtime/calendar.ts";
import {
  ALERT_TYPES,
  type Alert,
  type AlertPreferences,
  type AlertRules,
  type CountedCalls,
  type NewAlert,
  type RecentCalls,
  type SubscriptionMonth,
} from "../alert-records.ts";
import type { Queries } from "../schema.ts";
import { audited, read, readAt, type Transactions, write, writeAt } from "../transactions.ts";
import { lockAccount } from "./accounts.ts";
import * as deliveries from "./alerts.ts";
import { addMails, alertPage, expiringKeys, idOf } from "./alerts.ts";
import type { WrittenCounts } from "./count-batches.ts";
import { given, isPostgres, joinToGiven } from "./dialect.ts";
import type { DatedTable } from "./expired-counts.ts";
import { addWebhooks } from "./webhook-deliveries.ts";

export const RECENT_CALLS: DatedTable = { table: "recent_calls", key: ["account_id", "service", "since_ms"], time: "since_ms" };

const SLOT_MS = 300_000;
const RECENT_MS = 135 * 60_000;
const DAY_MS = 86_400_000;
const WEEK_DAYS = 7;
// Longer than a month: no alert about this month is older.
const ALERTS_READ_MS = 45 * DAY_MS;
// These outcomes do not point to a fault of the service or of the request.
const NOT_FAILED = new Set(["OK", "CANCELLED"]);

export const firstRecentKept = (nowMs: number): number => nowMs - RECENT_MS;

const slotOf = (ms: number): number => Math.floor(ms / SLOT_MS) * SLOT_MS;

/** Records the accounts to which these counts belong. Processes write rows in the same order, so that they cannot deadlock. */
export async function addAlertChecks(db: Queries, batches: readonly WrittenCounts[], nowMs: number): Promise<void> {
  const checks = new Map<string, { account_id: string; service: string; month: string }>();
  const slots = new Map<string, { account_id: string; service: string; since_ms: number; calls: number; failed: number }>();
  for (const { kind, counts, writtenAtMs } of batches) {
    for (const count of counts) {
      const { accountId: account_id, service, day, calls } = count;
      if (kind === "usage" || ("reason" in count && count.reason === "QUOTA_EXCEEDED")) {
        const month = day.slice(0, 7);
        checks.set(`${account_id} ${service} ${month}`, { account_id, service, month });
      }
      if ("outcome" in count) {
        const since_ms = slotOf(writtenAtMs);
        const name = `${account_id} ${service} ${since_ms}`;
        const { calls: before, failed } = slots.get(name) ?? { calls: 0, failed: 0 };
        const slot = { calls: before + calls, failed: failed + (NOT_FAILED.has(count.outcome) ? 0 : calls) };
        slots.set(name, { account_id, service, since_ms, ...slot });
      }
    }
  }
  if (slots.size > 0) {
    const types = { account_id: "text", service: "text", since_ms: "bigint", calls: "bigint", failed: "bigint" } as const;
    await sql`
      insert into recent_calls (account_id, service, since_ms, calls, failed)
      select account_id, service, since_ms, calls, failed from ${given(db, types, sorted(slots))} where true
      on conflict (account_id, service, since_ms)
        do update set calls = recent_calls.calls + excluded.calls, failed = recent_calls.failed + excluded.failed
    `.execute(db);
  }
  if (checks.size > 0) {
    // An update, though it changes nothing: it waits for a server that is taking the row, and then inserts it again.
    await sql`
      insert into alert_checks (account_id, service, month, noted_at_ms)
      select account_id, service, month, ${nowMs}
      from ${given(db, { account_id: "text", service: "text", month: "text" }, sorted(checks))} where true
      on conflict (account_id, service, month) do update set noted_at_ms = alert_checks.noted_at_ms
    `.execute(db);
  }
}

const sorted = <Row>(rows: ReadonlyMap<string, Row>): readonly Row[] =>
  [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);

interface Check {
  readonly account_id: string;
  readonly service: ServiceName;
  readonly month: Month;
}

// The active subscription of a record, and the calls that are leased in its month. Most subscriptions are active, so SQLite should not use
// an index on the state; the plus sign prevents that. https://sqlite.org/optoverview.html#disqualifying_where_clause_terms_using_unary_
const JOINED_ON_SQLITE = sql`
  cross join subscriptions as s on s.account_id = given.account_id and s.service = given.service and +s.state = 'active'
  cross join plans as p on p.id = s.plan_id
  left join month_leases as m on m.account_id = given.account_id and m.service = given.service and m.month = given.month
`;
// With `limit 1`, PostgreSQL looks up each row in an index. Without it, PostgreSQL reads both tables whole once they have about ten
// thousand rows, which takes several times as long.
const JOINED_ON_POSTGRES = sql`
  join lateral (
    select plan_id, created_at_ms from subscriptions as of_account
    where of_account.account_id = given.account_id and of_account.service = given.service and of_account.state = 'active' limit 1
  ) as s on true
  join plans as p on p.id = s.plan_id
  left join lateral (
    select leased, credited, raised from month_leases as of_month
    where of_month.account_id = given.account_id and of_month.service = given.service and of_month.month = given.month limit 1
  ) as m on true
`;

/** Whether there are records. */
async function hasChecks(db: Queries): Promise<boolean> {
  // In the index's order, because the table's first pages are full of records that were removed.
  const oldest = db.selectFrom("alert_checks").select("noted_at_ms").orderBy("noted_at_ms").limit(1);
  return (await oldest.execute()).length > 0;
}

/** Removes the oldest records. Returns how many it removed, and the state of each active subscription among them. */
async function takeChecks(
  db: Queries,
  limit: number,
  nowMs: number,
): Promise<{ readonly taken: number; readonly standings: readonly SubscriptionMonth[] }> {
  // By the rows' physical positions, because PostgreSQL would otherwise read the whole table to find the rows again.
  const oldest = (columns: RawBuilder<unknown>) =>
    sql`select ${columns} from alert_checks order by noted_at_ms limit ${sql.lit(limit)}`;
  const taken = isPostgres(db)
    ? sql`ctid = any(array(${oldest(sql`ctid`)} for update skip locked))`
    : sql`rowid in (${oldest(sql`rowid`)})`;
  const { rows: checks } = await sql<Check>`
    delete from alert_checks where ${taken} returning account_id, service, month
  `.execute(db);
  if (checks.length === 0) {
    return { taken: 0, standings: [] };
  }
  const { rows } = await sql<
    Check & { plan: string; calls_per_month: number; subscribed_at_ms: number; leased: number; credited: number; raised: number }
  >`
    select given.account_id, given.service, given.month, p.name as plan, p.calls_per_month, s.created_at_ms as subscribed_at_ms,
      coalesce(m.leased, 0) as leased, coalesce(m.credited, 0) as credited, coalesce(m.raised, 0) as raised
    from ${given(
      db,
      { account_id: "text", service: "text", month: "text" },
      checks.map((check) => ({ ...check })),
    )}
    ${isPostgres(db) ? JOINED_ON_POSTGRES : JOINED_ON_SQLITE}
    order by given.account_id, given.service, given.month
  `.execute(db);
  const accountIds = [...new Set(rows.map((row) => row.account_id))];
  if (accountIds.length === 0) {
    return { taken: checks.length, standings: [] };
  }
  const alerts = await alertsOf(db, accountIds, nowMs);
  const recent = await recentCallsOf(db, accountIds, nowMs);
  const standings = rows.map(
    ({ account_id, service, month, plan, calls_per_month, subscribed_at_ms, leased, credited, raised }) => ({
      accountId: account_id,
      service,
      month,
      plan,
      callsPerMonth: calls_per_month,
      subscribedAtMs: subscribed_at_ms,
      leased,
      credited,
      raised,
      alerts: alerts.get(`${account_id} ${service}`) ?? [],
      recent: recent.get(`${account_id} ${service}`) ?? [],
    }),
  );
  return { taken: checks.length, standings };
}

// The alerts of these accounts, by account and subject.
async function alertsOf(db: Queries, accountIds: readonly string[], nowMs: number) {
  const { rows } = await sql<Pick<Alert, "type" | "period" | "level" | "createdAtMs"> & { account_id: string; subject: string }>`
    select a.account_id, a.subject, a.type, a.period, a.level, a.created_at_ms as "createdAtMs"
    from ${givenAccounts(db, accountIds)} ${joinToGiven(db)} alerts as a on a.account_id = given.account_id
    where a.created_at_ms >= ${nowMs - ALERTS_READ_MS}
  `.execute(db);
  const alerts = rows.map(({ account_id, subject, ...alert }) => ({ key: `${account_id} ${subject}`, alert }));
  return groupByKey(alerts.map(({ key, alert }) => [key, alert]));
}

// The recent calls by account and service, but only where some calls failed. These are few, and an index finds them.
async function recentCallsOf(db: Queries, accountIds: readonly string[], nowMs: number) {
  const firstMs = firstRecentKept(nowMs);
  const { rows: failing } = await sql<{ account_id: string; service: string }>`
    select distinct r.account_id, r.service
    from ${givenAccounts(db, accountIds)} ${joinToGiven(db)} recent_calls as r on r.account_id = given.account_id
    where r.failed > 0 and r.since_ms >= ${firstMs}
  `.execute(db);
  if (failing.length === 0) {
    return groupByKey<RecentCalls>([]);
  }
  const { rows } = await sql<{ account_id: string; service: string; since_ms: number; calls: number; failed: number }>`
    select r.account_id, r.service, r.since_ms, r.calls, r.failed
    from ${given(db, { account_id: "text", service: "text" }, failing)}
    ${joinToGiven(db)} recent_calls as r on r.account_id = given.account_id and r.service = given.service
    where r.since_ms >= ${firstMs}
    order by r.since_ms
  `.execute(db);
  return groupByKey(
    rows.map(({ account_id, service, since_ms: sinceMs, calls, failed }): [string, RecentCalls] => [
      `${account_id} ${service}`,
      { sinceMs, calls, failed },
    ]),
  );
}

const givenAccounts = (db: Queries, accountIds: readonly string[]): RawBuilder<unknown> =>
  given(
    db,
    { account_id: "text" },
    accountIds.map((account_id) => ({ account_id })),
  );

function groupByKey<Value>(pairs: readonly (readonly [string, Value])[]): ReadonlyMap<string, readonly Value[]> {
  const groups = Map.groupBy(pairs, ([key]) => key);
  return new Map([...groups].map(([key, group]) => [key, group.map(([, value]) => value)]));
}

/** The calls that counted against a subscription's monthly quota. `refunded`: the outcomes whose calls were refunded. */
async function countedCalls(
  db: Queries,
  { accountId, service, month, raised }: SubscriptionMonth,
  refunded: readonly string[],
  nowMs: number,
): Promise<CountedCalls> {
  const today = dayAt(nowMs);
  const week = Array.from({ length: WEEK_DAYS }, (_, index) => dayAt(today.startMs - (WEEK_DAYS - index) * DAY_MS).day);
  const monthBegin = `${month}-01`;
  const from = [monthBegin, ...week].toSorted()[0] ?? monthBegin;
  const rows = await db
    .selectFrom("usage_counts")
    .select((row) => ["day", row.cast<number>(row.fn.sum("calls"), "bigint").as("calls")])
    .where("account_id", "=", accountId)
    .where("service", "=", service)
    .where("day", ">=", from)
    // PostgreSQL does not accept an empty list.
    .where("outcome", "not in", ["", ...refunded])
    .groupBy("day")
    .execute();
  const refusal = await db
    .selectFrom("refusal_counts")
    .select("day")
    .where("account_id", "=", accountId)
    .where("service", "=", service)
    .where("reason", "=", "QUOTA_EXCEEDED")
    .where("day", ">=", monthBegin)
    .where("day", "<=", `${month}-31`)
    .limit(1)
    .execute();
  const byDay = new Map(rows.map(({ day, calls }) => [day, calls]));
  return {
    thisMonth: rows.filter(({ day }) => day.startsWith(month)).reduce((sum, { calls }) => sum + calls, raised),
    previousDays: week.map((day) => byDay.get(day) ?? 0),
    isRefused: refusal.length > 0,
  };
}

/** Creates the alerts that do not exist yet, and their deliveries. `mails`: whether this server sends mail. */
export async function addAlerts(
  db: Queries,
  alerts: readonly NewAlert[],
  { mails }: { mails: boolean },
  nowMs: number,
): Promise<void> {
  if (alerts.length === 0) {
    return;
  }
  const rows = alerts
    .map(({ accountId, type, subject, period, level, details, isMailed }) => ({
      id: idOf(accountId, type, subject, period, level),
      account_id: accountId,
      type,
      subject,
      period,
      level,
      details: JSON.stringify(details),
      is_mailed: isMailed,
    }))
    // In the same order everywhere, so that transactions that create the same alerts cannot deadlock.
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const types = {
    id: "text",
    account_id: "text",
    type: "text",
    subject: "text",
    period: "text",
    level: "bigint",
    details: "text",
  } as const;
  // An account that has been deleted in the meantime gets no alerts.
  const { rows: created } = await sql<{ id: string }>`
    insert into alerts (id, account_id, type, subject, period, level, created_at_ms, details)
    select given.id, account_id, type, subject, period, level, ${nowMs}, details from ${given(
      db,
      types,
      rows.map(({ is_mailed: _, ...row }) => row),
    )}
    ${joinToGiven(db)} accounts on accounts.id = given.account_id and accounts.deleted_at_ms is null
    order by given.id
    on conflict do nothing
    returning id
  `.execute(db);
  const createdIds = new Set(created.map(({ id }) => id));
  await addWebhooks(
    db,
    rows.filter(({ id }) => createdIds.has(id)),
    nowMs,
  );
  if (mails) {
    await addMails(
      db,
      rows.filter(({ id, is_mailed }) => is_mailed && createdIds.has(id)),
      nowMs,
    );
  }
}

/** The types of alerts that are not mailed. Without a row, all types are mailed. Types that only another version knows are left out. */
async function alertPreferences(db: Queries, accountId: string): Promise<AlertPreferences> {
  const row = await db.selectFrom("alert_preferences").select("muted").where("account_id", "=", accountId).executeTakeFirst();
  const muted = JSON.parse(row?.muted ?? "[]") as readonly string[];
  return { muted: ALERT_TYPES.filter((type) => muted.includes(type)) };
}

/** Sets which alerts are not mailed. StoreConflict if there is no such account. */
async function setAlertPreferences(db: Queries, accountId: string, { muted }: AlertPreferences): Promise<AlertPreferences> {
  await lockAccount(db, accountId);
  const row = { muted: JSON.stringify(muted) };
  await db
    .insertInto("alert_preferences")
    .values({ account_id: accountId, ...row })
    .onConflict((conflict) => conflict.column("account_id").doUpdateSet(row))
    .execute();
  return { muted };
}

/** The store's methods for alerts: what an account's owner sees and chooses, and what servers do for all accounts. */
export const alertMethods = {
  alertPreferences: read(alertPreferences),
  setAlertPreferences: audited(setAlertPreferences, ({ muted }, accountId) => ({
    ...{ action: "account.update_alerts", accountId },
    details: { not_mailed: muted },
  })),
  alertPage: readAt(alertPage),
  /**
   * Takes up to `limit` of the subscriptions whose calls have been added up since the last check, and creates the alerts that are due by
   * the rules, with their deliveries. Other servers take other subscriptions. `refunded`: the outcomes whose calls were refunded. Resolves
   * to how many subscriptions were taken.
   */
  checkAlerts:
    (transactions: Transactions) =>
    async (
      rules: AlertRules,
      { refunded, mails, limit }: { readonly refunded: readonly string[]; readonly mails: boolean; readonly limit: number },
    ) => {
      // Servers ask every few seconds, and often nothing is due: a read costs much less than a transaction. An alert is sent only after the
      // claim of its delivery has been written durably, along with everything before it.
      if (!(await transactions.read(hasChecks))) {
        return 0;
      }
      return transactions.writeSyncedLater(async (db) => {
        const { nowMs } = transactions;
        const { taken, standings } = await takeChecks(db, limit, nowMs);
        const alerts: NewAlert[] = [];
        for (const standing of standings) {
          const counted = rules.needsCounts(standing, nowMs) ? await countedCalls(db, standing, refunded, nowMs) : undefined;
          alerts.push(...rules.alertsOf(standing, counted, nowMs));
        }
        await addAlerts(db, alerts, { mails }, nowMs);
        return taken;
      });
    },
  expiringKeys: read(expiringKeys),
  addAlerts: writeAt(addAlerts),
  /**
   * Claims up to `limit` e-mails that are due, the longest overdue first. No other server claims them until `leaseMs` have passed: then
   * the server that claimed them counts as dead.
   */
  claimDeliveries: (transactions: Transactions) => async (limit: number, leaseMs: number) =>
    (await transactions.read((db) => deliveries.isDeliveryDue(db, transactions.nowMs)))
      ? transactions.write((db) => deliveries.claimDeliveries(db, limit, leaseMs, transactions.nowMs))
      : [],
  endAttempt: write(deliveries.endAttempt),
  waitingDeliveries: read(deliveries.waitingDeliveries),
};
