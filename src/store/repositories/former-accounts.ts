// The monthly usage that stays with an e-mail address. Whoever takes an address that an account has left in the same month, because it was
// deleted or got another address, gets only the calls that are left in that month. All tags of an address (`name+tag@`) count as one. Only
// a hash of the address is kept, until the month ends. Each function runs in the given transaction.
import { createHash } from "node:crypto";
import { sql } from "kysely";
import { dayAt, type Month } from "../../runtime/calendar.ts";
import { mailboxOf } from "../../runtime/email.ts";
import type { Queries } from "../schema.ts";
import type { DatedTable } from "./expired-counts.ts";
import { isOfSubscription } from "./key-caps.ts";

/** The table, for deleting expired rows. */
export const FORMER_ACCOUNTS: DatedTable = { table: "former_accounts", key: ["email_hash"], time: "month" };

// Servers' clocks differ by less than this. Around the turn of a month, two months may be in use.
const CLOCK_SKEW_MAX_MS = 3_600_000;

export const firstFormerMonthKept = (nowMs: number): Month => dayAt(nowMs - CLOCK_SKEW_MAX_MS).month;

// Different in each month, so that a person cannot be traced from one month to the next.
const hashOf = (email: string, month: Month): string =>
  createHash("sha256")
    .update(`former ${month} ${mailboxOf(email)}`)
    .digest("hex");

/** Remembers an account that leaves its address, if it ever had a subscription. `email` is in lower case, and locked. */
export async function leaveAddress(db: Queries, accountId: string, email: string, nowMs: number): Promise<void> {
  // Without a subscription, nothing was ever leased.
  const subscribed = await db.selectFrom("subscriptions").select("id").where("account_id", "=", accountId).limit(1).execute();
  if (subscribed.length === 0) {
    return;
  }
  // Otherwise an account with another tag that has made no calls would hide what was used before.
  await takeAddress(db, accountId, email, nowMs);
  const month = dayAt(nowMs).month;
  await db
    .insertInto("former_accounts")
    .values({ email_hash: hashOf(email, month), account_id: accountId, month })
    .onConflict((conflict) => conflict.column("email_hash").doUpdateSet({ account_id: accountId }))
    .execute();
}

/**
 * Continues an account's month with the calls that the last account with this address had leased, if those are more. `email` is in lower
 * case, and locked. Calls that an operator credited are not carried over. If the former account was deleted, nothing is leased for it from
 * then on, even to a server that does not know yet that it was deleted: together the accounts never get more calls than one plan includes.
 */
export async function takeAddress(db: Queries, accountId: string, email: string, nowMs: number): Promise<void> {
  const recent = [...new Set([dayAt(nowMs - CLOCK_SKEW_MAX_MS).month, dayAt(nowMs).month])];
  const hashes = recent.map((month) => hashOf(email, month));
  const former = await db
    .selectFrom("former_accounts")
    .innerJoin("accounts", "accounts.id", "former_accounts.account_id")
    .select(["accounts.id", "accounts.deleted_at_ms"])
    .where("email_hash", "in", hashes)
    .where("account_id", "!=", accountId)
    .orderBy("month", "desc")
    .limit(1)
    .executeTakeFirst();
  if (former === undefined) {
    return;
  }
  // The next account with the address or another tag of it continues this account.
  await db.updateTable("former_accounts").set({ account_id: accountId }).where("email_hash", "in", hashes).execute();
  for (const month of new Set([...recent, dayAt(nowMs + CLOCK_SKEW_MAX_MS).month])) {
    const leases = await leasesOf(db, former.id, month, former.deleted_at_ms !== null);
    const used = leases.filter(({ leased }) => leased > 0);
    if (used.length > 0) {
      await db
        .insertInto("month_leases")
        .values(used.map(({ service, leased }) => ({ account_id: accountId, service, month, leased })))
        .onConflict((conflict) =>
          conflict
            .columns(["account_id", "service", "month"])
            .doUpdateSet({ leased: sql<number>`excluded.leased` })
            .whereRef("month_leases.leased", "<", sql<number>`excluded.leased`),
        )
        .execute();
    }
  }
}

// How many calls of each service the account has leased in the month. If it was deleted, also closes the month. Missing rows are inserted,
// because a concurrent lease must see that they are closed.
async function leasesOf(
  db: Queries,
  accountId: string,
  month: Month,
  isDeleted: boolean,
): Promise<readonly { service: string; leased: number }[]> {
  const closed = isDeleted ? 1 : 0;
  const { rows } = await sql<{ service: string; leased: number }>`
    insert into month_leases (account_id, service, month, leased, closed)
    select account_id, service, ${month}, 0, ${sql.lit(closed)} from (
      select account_id, service from subscriptions where account_id = ${accountId}
      union select account_id, service from month_leases where account_id = ${accountId} and ${isOfSubscription}
    ) as leased where true order by service
    on conflict (account_id, service, month) do update set closed = ${sql.lit(closed)}
    returning service, leased
  `.execute(db);
  return rows;
}
