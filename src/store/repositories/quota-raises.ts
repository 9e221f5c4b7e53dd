// Calls that count as used because the database has lost its counts. A subscription is charged when the raise is made. A subscription that
// begins later in the month, or gets a larger plan, is charged then: the account may have used that plan in the time whose counts were
// lost.
import { type RawBuilder, sql } from "kysely";
import type { ServiceName } from "../../catalogue/service-names.ts";
import { dayAt, type Month } from "../../runtime/calendar.ts";
import type { PlanTerms, QuotaRaise, Subscription } from "../records.ts";
import type { Queries } from "../schema.ts";
import { given } from "./dialect.ts";

// Several nodes together may exceed a rate by up to a tenth.
const RATE_TOLERANCE = 1.1;
// A bucket starts full.
const BURST_SECONDS = 1;

/** Remembers a raise, so that it is charged to plans that are activated later in the month. `chargeRaise` charges the active ones. */
export async function addQuotaRaise(db: Queries, { id, month, seconds, percent }: QuotaRaise, nowMs: number): Promise<void> {
  await db.insertInto("quota_raises").values({ id, month, seconds, percent, made_at_ms: nowMs }).execute();
}

/**
 * Counts calls as used for subscriptions to one service on one plan, each up to its plan's calls plus its credited calls. Returns the
 * total.
 */
export async function chargeRaise(
  db: Queries,
  raise: QuotaRaise,
  terms: PlanTerms,
  service: ServiceName,
  accountIds: readonly string[],
): Promise<number> {
  const { month } = raise;
  const { rows } = await sql<{ raised: number | null }>`
    select cast(sum(raised) as bigint) as raised from month_leases
    where service = ${service} and month = ${month} and account_id in (select account_id from ${givenAccounts(db, accountIds)})
  `.execute(db);
  const charged = await charge(db, [raise], { ...terms, month, service, accountIds, before: whole(0) });
  return charged - (rows[0]?.raised ?? 0);
}

const givenAccounts = (db: Queries, ids: readonly string[]): RawBuilder<unknown> =>
  given(
    db,
    { account_id: "text" },
    ids.map((id) => ({ account_id: id })),
  );

/**
 * Charges the month's raises to a subscription whose plan takes effect now, less what it was charged before. An account that was created
 * after a raise is not charged for it: none of its calls can have been lost.
 */
export async function chargeActivated(
  db: Queries,
  { accountId, service }: Pick<Subscription, "accountId" | "service">,
  terms: PlanTerms,
  nowMs: number,
): Promise<void> {
  const month = dayAt(nowMs).month;
  const raises = await db
    .selectFrom("quota_raises")
    .innerJoin("accounts", (join) => join.onRef("accounts.created_at_ms", "<=", "quota_raises.made_at_ms"))
    .select(["seconds", "percent"])
    .where("month", "=", month)
    .where("accounts.id", "=", accountId)
    .execute();
  if (raises.length > 0) {
    await charge(db, raises, { ...terms, month, service, accountIds: [accountId], before: sql`month_leases.raised` });
  }
}

/** How many calls raises charge: a number, plus a percentage of the calls that the plan and any credit allow. */
interface Charge {
  readonly calls: number;
  readonly percent: number;
}

function chargeOf(raises: readonly Pick<QuotaRaise, "seconds" | "percent">[], requestsPerSecond: number): Charge {
  const calls = raises
    .filter(({ seconds }) => seconds > 0)
    .reduce((sum, { seconds }) => sum + Math.ceil(RATE_TOLERANCE * requestsPerSecond * (seconds + BURST_SECONDS)), 0);
  return { calls, percent: raises.reduce((sum, { percent }) => sum + percent, 0) };
}

/** How many calls a raise charges one subject, as a whole number in SQL. The subject's rate and its calls per month are expressions. */
export const raisedCalls = (
  rate: RawBuilder<unknown>,
  callsPerMonth: RawBuilder<unknown>,
  { seconds, percent }: Pick<QuotaRaise, "seconds" | "percent">,
): RawBuilder<number> => {
  const tenths = Math.round(10 * RATE_TOLERANCE);
  const ofRate = seconds > 0 ? sql`((${rate} * ${whole(tenths * (seconds + BURST_SECONDS))} + 9) / 10)` : sql`0`;
  return sql<number>`(${ofRate} + (${callsPerMonth} * ${whole(percent)} + 99) / 100)`;
};

// Part of the statement's text: PostgreSQL would infer the wrong type for a parameter in arithmetic.
const whole = (count: number): RawBuilder<number> => sql.raw(String(Math.trunc(count)));

// Charges raises, less what was charged `before`, up to what is left of each monthly quota. Returns how many calls the accounts have been
// charged in the month, together with what they were charged before.
async function charge(
  db: Queries,
  raises: readonly Pick<QuotaRaise, "seconds" | "percent">[],
  {
    month,
    service,
    accountIds,
    before,
    callsPerMonth,
    requestsPerSecond,
  }: PlanTerms & {
    readonly month: Month;
    readonly service: ServiceName;
    readonly accountIds: readonly string[];
    readonly before: RawBuilder<unknown>;
  },
): Promise<number> {
  const { calls, percent } = chargeOf(raises, requestsPerSecond);
  // The charge of an account that has leased nothing yet. Percentages are rounded up to whole calls.
  const first = Math.min(callsPerMonth, calls + Math.floor((callsPerMonth * percent + 99) / 100));
  const held = sql`(${whole(callsPerMonth)} + month_leases.credited)`;
  const want = sql`(${whole(calls)} + (${held} * ${whole(percent)} + 99) / 100 - ${before})`;
  const left = sql`(${held} - month_leases.leased)`;
  const charged = sql`(case when ${left} <= 0 or ${want} <= 0 then 0 when ${left} < ${want} then ${left} else ${want} end)`;
  const { rows } = await sql<{ raised: number }>`
    insert into month_leases (account_id, service, month, leased, raised)
    select account_id, ${service}, ${month}, ${whole(first)}, ${whole(first)} from ${givenAccounts(db, accountIds)} where true
    on conflict (account_id, service, month) do update
      set leased = month_leases.leased + ${charged}, raised = month_leases.raised + ${charged}
    returning raised
  `.execute(db);
  return rows.reduce((sum, { raised }) => sum + raised, 0);
}
