// The free calls of a month belong to a mailbox: all tags of an address (`name+tag@`) count as one. Whoever takes an address that an
// account has left in the same month, because it was deleted or got another address, gets only the calls that are left in that month; only
// a hash of the address is kept, until the month ends. And of a mailbox's accounts with verified addresses, one at a time has the free
// plan of a service. Addresses that nobody verified are not compared: anybody can sign up with them. Each function runs in the given
// transaction.
import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { ServiceName } from "../../catalogue/service-names.ts";
import { dayAt, type Month } from "../../runtime/calendar.ts";
import { mailboxOf } from "../../runtime/email.ts";
import type { Queries } from "../schema.ts";
import { FreePlanTaken } from "../store-errors.ts";
import { isPostgres } from "./dialect.ts";
import type { DatedTable } from "./expired-counts.ts";
import { isOfSubscription } from "./key-caps.ts";

/** The table, for deleting expired rows. */
export const FORMER_ACCOUNTS: DatedTable = { table: "former_accounts", key: ["email_hash"], time: "month" };

// The number of an advisory lock.
const EMAIL_LOCK = 1_701_667_177;

// Servers' clocks differ by less than this. Around the turn of a month, two months may be in use.
const CLOCK_SKEW_MAX_MS = 3_600_000;

export const firstFormerMonthKept = (nowMs: number): Month => dayAt(nowMs - CLOCK_SKEW_MAX_MS).month;

// Different in each month, so that a person cannot be traced from one month to the next.
const hashOf = (email: string, month: Month): string =>
  createHash("sha256")
    .update(`former ${month} ${mailboxOf(email)}`)
    .digest("hex");

/**
 * Makes other callers with the same address, or another tag of it, wait until the transaction ends. `email` is in lower case. Without this,
 * neither of two concurrent callers would see the other's row on PostgreSQL. Whoever also locks an account locks it first.
 */
export async function lockEmail(db: Queries, email: string): Promise<void> {
  if (isPostgres(db)) {
    await sql`select pg_advisory_xact_lock(${EMAIL_LOCK}, hashtext(${mailboxOf(email)}))`.execute(db);
  }
}

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

/**
 * Whether the account may have the free plan of the service: false if another account of its mailbox has it, both with verified addresses.
 * Otherwise its month continues with what those accounts have leased without a paid plan. Locks the mailbox; the account is locked already.
 */
export async function takeFreeMonth(db: Queries, accountId: string, service: ServiceName, nowMs: number): Promise<boolean> {
  const { mailbox, email_verified_at_ms } = await db
    .selectFrom("accounts")
    .select(["mailbox", "email_verified_at_ms"])
    .where("id", "=", accountId)
    .executeTakeFirstOrThrow();
  if (mailbox === null || email_verified_at_ms === null) {
    return true;
  }
  await lockEmail(db, mailbox);
  const others = await db
    .selectFrom("accounts")
    .leftJoin("subscriptions", (join) =>
      join
        .onRef("subscriptions.account_id", "=", "accounts.id")
        .on("subscriptions.service", "=", service)
        .on("subscriptions.state", "=", "active"),
    )
    .leftJoin("plans", "plans.id", "subscriptions.plan_id")
    .select(["accounts.id", "plans.price_minor as priceMinor"])
    .where("accounts.mailbox", "=", mailbox)
    .where("accounts.email_verified_at_ms", "is not", null)
    .where("accounts.id", "!=", accountId)
    .execute();
  if (others.some(({ priceMinor }) => priceMinor === 0)) {
    return false;
  }
  const unpaid = others.filter(({ priceMinor }) => priceMinor === null).map(({ id }) => id);
  if (unpaid.length > 0) {
    await sql`
      insert into month_leases (account_id, service, month, leased)
      select ${accountId}, service, month, max(leased) from month_leases
      where account_id in (${sql.join(unpaid)}) and service = ${service} and month >= ${firstFormerMonthKept(nowMs)}
      group by service, month
      on conflict (account_id, service, month) do update set leased = excluded.leased where month_leases.leased < excluded.leased
    `.execute(db);
  }
  return true;
}

/** Takes the free month of each service of which the account has the free plan. FreePlanTaken if another account of its mailbox has one. */
export async function requireFreeMonths(db: Queries, accountId: string, nowMs: number): Promise<void> {
  const free = await db
    .selectFrom("subscriptions")
    .innerJoin("plans", "plans.id", "subscriptions.plan_id")
    .select("subscriptions.service")
    .where("account_id", "=", accountId)
    .where("state", "=", "active")
    .where("price_minor", "=", 0)
    .execute();
  for (const { service } of free) {
    if (!(await takeFreeMonth(db, accountId, service as ServiceName, nowMs))) {
      throw new FreePlanTaken(service);
    }
  }
}
