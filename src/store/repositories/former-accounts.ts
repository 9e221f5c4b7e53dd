// The monthly usage of deleted accounts. A customer who deletes an account and creates another with the same e-mail address in the same
// month gets only the calls that are left in that month. Only a hash of the address is kept, until the month ends. Each function runs in
// the given transaction.
import { createHash } from "node:crypto";
import { sql } from "kysely";
import { dayAt, type Month } from "../../runtime/calendar.ts";
import type { Queries } from "../schema.ts";
import type { DatedTable } from "./expired-counts.ts";
import { isOfSubscription } from "./key-caps.ts";

/** The table, for deleting expired rows. */
export const FORMER_ACCOUNTS: DatedTable = { table: "former_accounts", key: ["email_hash"], time: "month" };

// Servers' clocks differ by less than this. Around the turn of a month, two months may be in use.
const CLOCK_SKEW_MAX_MS = 3_600_000;

export const firstFormerMonthKept = (nowMs: number): Month => dayAt(nowMs - CLOCK_SKEW_MAX_MS).month;

// Different in each month, so that a person cannot be traced from one month to the next.
const hashOf = (email: string, month: Month): string => createHash("sha256").update(`former ${month} ${email}`).digest("hex");

/** Remembers an account that is being deleted, if it ever had a subscription. `email` is in lower case. */
export async function rememberFormerAccount(db: Queries, accountId: string, email: string, nowMs: number): Promise<void> {
  const month = dayAt(nowMs).month;
  // Without a subscription, nothing was ever leased.
  const subscribed = await db.selectFrom("subscriptions").select("id").where("account_id", "=", accountId).limit(1).execute();
  if (subscribed.length === 0) {
    return;
  }
  await db
    .insertInto("former_accounts")
    .values({ email_hash: hashOf(email, month), account_id: accountId, month })
    .onConflict((conflict) => conflict.column("email_hash").doUpdateSet({ account_id: accountId }))
    .execute();
}

/**
 * Starts a new account's month with the calls that the last account with this address had leased. `email` is in lower case, and locked.
 * Calls that an operator credited are not carried over. From then on nothing is leased for the former account, even to a server that does
 * not know yet that it was deleted: together the two accounts never get more calls than one plan includes.
 */
export async function carryOverMonth(db: Queries, accountId: string, email: string, nowMs: number): Promise<void> {
  const recent = [...new Set([dayAt(nowMs - CLOCK_SKEW_MAX_MS).month, dayAt(nowMs).month])];
  const formers = await db
    .deleteFrom("former_accounts")
    .where(
      "email_hash",
      "in",
      recent.map((month) => hashOf(email, month)),
    )
    .returning(["account_id", "month"])
    .execute();
  const former = formers.toSorted((a, b) => (a.month < b.month ? 1 : -1))[0];
  if (former === undefined) {
    return;
  }
  for (const month of new Set([...recent, dayAt(nowMs + CLOCK_SKEW_MAX_MS).month])) {
    const closed = await closeMonth(db, former.account_id, month);
    const used = closed.filter(({ leased }) => leased > 0);
    if (used.length > 0) {
      await db
        .insertInto("month_leases")
        .values(used.map(({ service, leased }) => ({ account_id: accountId, service, month, leased })))
        .execute();
    }
  }
}

// Closes the account's month, and returns how many calls of each service were leased. Missing rows are inserted, because a concurrent lease
// must see that they are closed.
async function closeMonth(db: Queries, accountId: string, month: Month): Promise<readonly { service: string; leased: number }[]> {
  const { rows } = await sql<{ service: string; leased: number }>`
    insert into month_leases (account_id, service, month, leased, closed)
    select account_id, service, ${month}, 0, 1 from (
      select account_id, service from subscriptions where account_id = ${accountId}
      union select account_id, service from month_leases where account_id = ${accountId} and ${isOfSubscription}
    ) as leased where true order by service
    on conflict (account_id, service, month) do update set closed = 1
    returning service, leased
  `.execute(db);
  return rows;
}
