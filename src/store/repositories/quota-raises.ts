// Calls that count as used because the database has lost its counts. A subscription is charged when the raise is made. One that begins
// later in the month, or gets a larger plan, is charged then: it may have had that plan in the time that was lost.
import { type RawBuilder, sql } from "kysely";
import type { ServiceName } from "../../catalogue/service-names.ts";
import { dayAt, type Month } from "../../runtime/calendar.ts";
import type { PlanTerms, QuotaRaise, Subscription } from "../records.ts";
import type { Queries } from "../schema.ts";
import { given } from "./dialect.ts";

// Several nodes together keep a rate within a tenth.
const RATE_TOLERANCE = 1.1;
// A bucket starts full.
const BURST_SECONDS = 1;

export async function addQuotaRaise(db: Queries, { id, month, seconds, percent }: QuotaRaise, nowMs: number): Promise<void> {
  await db.insertInto("quota_raises").values({ id, month, seconds, percent, made_at_ms: nowMs }).execute();
}

/** Charges a raise to subscriptions to one service on one plan. Returns the total of charged calls. */
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
  return (await charge(db, wanted([raise], terms), { ...terms, month, service, accountIds })) - (rows[0]?.raised ?? 0);
}

const givenAccounts = (db: Queries, ids: readonly string[]): RawBuilder<unknown> =>
  given(
    db,
    { account_id: "text" },
    ids.map((id) => ({ account_id: id })),
  );

/**
 * Charges the month's raises to a subscription whose plan comes into force now, less what it was charged before. An account that was made
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
    const want = sql<number>`(${wanted(raises, terms)} - month_leases.raised)`;
    await charge(db, want, { ...terms, month, service, accountIds: [accountId] });
  }
}

// How many calls the raises charge to a row of month_leases, even if its month has fewer left.
function wanted(
  raises: readonly Pick<QuotaRaise, "seconds" | "percent">[],
  { callsPerMonth, requestsPerSecond }: PlanTerms,
): RawBuilder<number> {
  const bySeconds = raises
    .filter(({ seconds }) => seconds > 0)
    .reduce((calls, { seconds }) => calls + Math.ceil(RATE_TOLERANCE * requestsPerSecond * (seconds + BURST_SECONDS)), 0);
  const percent = raises.reduce((sum, raise) => sum + raise.percent, 0);
  // Rounded up to whole calls.
  return sql<number>`(${whole(bySeconds)} + ((${whole(callsPerMonth)} + month_leases.credited) * ${whole(percent)} + 99) / 100)`;
}

// Part of the statement's text: PostgreSQL would infer the wrong type for a parameter in arithmetic.
const whole = (count: number): RawBuilder<number> => sql.raw(String(Math.trunc(count)));

// Returns how many calls the accounts have been charged in the month, together with what they were charged before.
async function charge(
  db: Queries,
  want: RawBuilder<number>,
  {
    month,
    service,
    accountIds,
    callsPerMonth,
  }: PlanTerms & { readonly month: Month; readonly service: ServiceName; readonly accountIds: readonly string[] },
): Promise<number> {
  await sql`
    insert into month_leases (account_id, service, month, leased)
    select account_id, ${service}, ${month}, 0 from ${givenAccounts(db, accountIds)} where true
    on conflict (account_id, service, month) do nothing
  `.execute(db);
  const left = sql<number>`(${whole(callsPerMonth)} + month_leases.credited - month_leases.leased)`;
  const charged = sql<number>`(case when ${left} <= 0 or ${want} <= 0 then 0 when ${left} < ${want} then ${left} else ${want} end)`;
  const { rows } = await sql<{ raised: number }>`
    update month_leases set leased = leased + ${charged}, raised = raised + ${charged}
    where service = ${service} and month = ${month} and account_id in (select account_id from ${givenAccounts(db, accountIds)})
    returning raised
  `.execute(db);
  return rows.reduce((sum, { raised }) => sum + raised, 0);
}
