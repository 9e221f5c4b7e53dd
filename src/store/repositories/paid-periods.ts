// The ledger of paid plans: from when to when a subscription was active on which version, for bookkeeping. Rows are only added and ended,
// in the transaction that changes the subscription, and stay when the account is deleted.
import { isFree, type Plan } from "../../catalogue/plan.ts";
import type { PaidPeriod, Subscription } from "../records.ts";
import type { Queries } from "../schema.ts";
import { read } from "../transactions.ts";
import { PLAN_COLUMNS, toPlan } from "./plans.ts";

/** Ends the periods of these subscriptions that have begun. */
export async function endPeriods(db: Queries, subscriptionIds: readonly string[], nowMs: number): Promise<void> {
  await db
    .updateTable("paid_periods")
    .set({ ended_at_ms: nowMs })
    // PostgreSQL does not allow `in ()`.
    .where("subscription_id", "in", ["", ...subscriptionIds])
    .where("ended_at_ms", "is", null)
    .execute();
}

/** Notes that a subscription is active on other terms than before. `former`: those before; undefined if it was not active. */
export async function changePeriod(
  db: Queries,
  { id, accountId, service, terms }: Subscription,
  former: Plan | undefined,
  nowMs: number,
): Promise<void> {
  if (former?.id === terms.id) {
    return;
  }
  if (former !== undefined && !isFree(former)) {
    await endPeriods(db, [id], nowMs);
  }
  if (!isFree(terms)) {
    const row = { subscription_id: id, account_id: accountId, service, plan_id: terms.id, began_at_ms: nowMs, ended_at_ms: null };
    await db.insertInto("paid_periods").values(row).execute();
  }
}

/** The periods that lasted at `fromMs` or began between these times, by account, service and time. */
async function paidPeriods(db: Queries, fromMs: number, untilMs: number): Promise<readonly PaidPeriod[]> {
  const rows = await db
    .selectFrom("paid_periods")
    .innerJoin("plans as plan", "plan.id", "paid_periods.plan_id")
    .leftJoin("accounts", (join) =>
      join.onRef("accounts.id", "=", "paid_periods.account_id").on("accounts.deleted_at_ms", "is", null),
    )
    .select(["subscription_id", "paid_periods.account_id", "accounts.name as account_name", "began_at_ms", "ended_at_ms"])
    .select((row) => {
      const payment = row
        .selectFrom("payment_subscriptions as payment")
        // The index is by account and service.
        .whereRef("payment.account_id", "=", "paid_periods.account_id")
        .whereRef("payment.service", "=", "paid_periods.service")
        .whereRef("payment.subscription_id", "=", "paid_periods.subscription_id")
        // Not one that the operator gave before the purchase, or after the payments had ended.
        .whereRef("payment.created_at_ms", "<=", "paid_periods.began_at_ms")
        .where((each) =>
          each.or([each("payment.is_granted", "=", 1), each("payment.read_at_ms", ">=", each.ref("paid_periods.began_at_ms"))]),
        )
        .orderBy("payment.created_at_ms", "desc")
        .limit(1);
      return [
        payment.select("payment.id").as("payment_id"),
        payment.select("payment.invoice_url").as("invoice_url"),
        payment.select("payment.unpaid_since_ms").as("unpaid_since_ms"),
      ];
    })
    .select(PLAN_COLUMNS.map((name) => `plan.${name}` as const))
    .where("began_at_ms", "<", untilMs)
    .where((row) => row.or([row("ended_at_ms", "is", null), row("ended_at_ms", ">=", fromMs)]))
    .orderBy("paid_periods.account_id")
    .orderBy("paid_periods.service")
    .orderBy("began_at_ms")
    .execute();
  return rows.map((row) => ({
    subscriptionId: row.subscription_id,
    accountId: row.account_id,
    accountName: row.account_name,
    terms: toPlan(row),
    beganAtMs: row.began_at_ms,
    endedAtMs: row.ended_at_ms,
    payment:
      row.payment_id === null ? undefined : { id: row.payment_id, invoiceUrl: row.invoice_url, unpaidSinceMs: row.unpaid_since_ms },
  }));
}

/** The store's methods for the ledger. */
export const paidPeriodMethods = { paidPeriods: read(paidPeriods) };
