// Deletes an account. Everything that identifies or traces a person is removed: the owner, sessions, keys, names, addresses, usage. An
// anonymous ledger remains: the account's id, its subscriptions, and how many calls each month had. So calls that a server returns later
// still find their subscription. Until the end of the month, a hash of each address that it had in the month identifies the account that
// used it last. Each function runs in the given transaction.
import { type Actor, subscriptionNote } from "../audit-records.ts";
import type { Subscription } from "../records.ts";
import type { Queries } from "../schema.ts";
import { StoreConflict } from "../store-errors.ts";
import type { Transactions } from "../transactions.ts";
import { deletePersonalData } from "./audit.ts";
import { DELETED_MAX, deleteSomeOfAccounts } from "./expired-counts.ts";
import { deleteCaps } from "./key-caps.ts";
import { deleteLatency } from "./latency.ts";
import { forgetParameterLogs, LOGGED_CALLS } from "./logged-calls.ts";
import { leaveAddress, lockEmail } from "./mailboxes.ts";
import { deleteMembers } from "./members.ts";
import { endPeriods } from "./paid-periods.ts";
import { deletePasskeys } from "./passkeys.ts";
import { lockOwner } from "./sessions.ts";
import { subscriptionsById } from "./subscriptions.ts";
import { deleteTwoFactor } from "./two-factors.ts";
import { REFUSAL_COUNTS, REFUSAL_HOURS, USAGE_DAYS, USAGE_HOURS } from "./usage.ts";

// Longer than any transaction that was in progress when the account was deleted.
const SETTLED_MS = 60_000;
const DAY_MS = 86_400_000;
const SWEPT_MAX = 100;
// How long the deletion of an account also deletes its counts and records of calls. Servers delete the rest in the background.
const USAGE_DELETED_MS = 10_000;
// A busy account may have millions of rows in these.
const LARGE_TABLES = [USAGE_DAYS, USAGE_HOURS, REFUSAL_COUNTS, REFUSAL_HOURS, LOGGED_CALLS];

/** What the deletion of an account has done. */
interface Deletion {
  /** The subscriptions that it has cancelled. */
  readonly cancelled: readonly Subscription[];
  /** Whether there may be more counts and records of calls, for `deleteUsage`. */
  readonly hasMoreUsage: boolean;
}

/** Deletes an account, and some of the counts and records of its calls. StoreConflict if there is no such account. */
async function deleteAccount(db: Queries, accountId: string, nowMs: number): Promise<Deletion> {
  const before = await db.selectFrom("accounts").select("email").where("id", "=", accountId).executeTakeFirst();
  const deleted = await db
    .updateTable("accounts")
    .set({
      name: `deleted-${accountId}`,
      email: null,
      mailbox: null,
      suspended: 1,
      operator: 0,
      email_verified_at_ms: null,
      deleted_at_ms: nowMs,
    })
    .where("id", "=", accountId)
    .where("deleted_at_ms", "is", null)
    .returning("id")
    .executeTakeFirst();
  if (deleted === undefined) {
    throw new StoreConflict(`There is no account with the ID ${accountId}.`);
  }
  await lockOwner(db, accountId);
  await db.deleteFrom("owner_sessions").where("account_id", "=", accountId).execute();
  await db
    .deleteFrom("mail_tokens")
    .where((row) => row.or([row("account_id", "=", accountId), row("email", "=", before?.email?.toLowerCase() ?? "")]))
    .execute();
  await db.deleteFrom("sign_in_challenges").where("account_id", "=", accountId).execute();
  await deleteTwoFactor(db, accountId);
  await deletePasskeys(db, accountId);
  await db.deleteFrom("owners").where("account_id", "=", accountId).execute();
  await deleteMembers(db, accountId, before?.email ?? null, nowMs);
  await db.deleteFrom("alert_preferences").where("account_id", "=", accountId).execute();
  await db.deleteFrom("webhook_endpoints").where("account_id", "=", accountId).execute();
  await db.deleteFrom("api_keys").where("account_id", "=", accountId).execute();
  const hasMoreUsage = await deleteUsage(db, [accountId]);
  const cancelled = await db
    .updateTable("subscriptions")
    .set({
      state: "cancelled",
      requested_plan_id: null,
      requested_at_ms: null,
      moves_to_plan_id: null,
      moves_at_ms: null,
    })
    .where("account_id", "=", accountId)
    .where("state", "<>", "cancelled")
    .returning("id")
    .execute();
  const ids = cancelled.map(({ id }) => id);
  const subscriptions = await subscriptionsById(db, ids);
  if (ids.length > 0) {
    await endPeriods(db, ids, nowMs);
  }
  if (before?.email) {
    const email = before.email.toLowerCase();
    await lockEmail(db, email);
    await leaveAddress(db, accountId, email, nowMs);
  }
  return { cancelled: subscriptions.toSorted((a, b) => (a.service < b.service ? -1 : 1)), hasMoreUsage };
}

/**
 * Accounts that were deleted after `afterMs` and within the last day, a limited number at a time, and the time up to which this list is
 * complete. Another transaction may have written rows for them while they were being deleted, if neither saw the other.
 */
export async function deletedAccounts(
  db: Queries,
  afterMs: number,
  nowMs: number,
): Promise<{ readonly accountIds: readonly string[]; readonly untilMs: number }> {
  const fromMs = Math.max(afterMs, nowMs - DAY_MS);
  const untilMs = nowMs - SETTLED_MS;
  const rows = await db
    .selectFrom("accounts")
    .select(["id", "deleted_at_ms as deletedAtMs"])
    .where("deleted_at_ms", ">", fromMs)
    .where("deleted_at_ms", "<=", untilMs)
    .orderBy("deleted_at_ms")
    .limit(SWEPT_MAX)
    .execute();
  // Other accounts may have been deleted at the same time as the last one.
  const lastMs = rows.length < SWEPT_MAX ? undefined : rows.at(-1)?.deletedAtMs;
  return { accountIds: rows.map(({ id }) => id), untilMs: lastMs ? lastMs - 1 : untilMs };
}

/**
 * Deletes counts and records of the given accounts' calls, of each large table only some. Returns whether there may be more. At least one
 * account must be given.
 */
export async function deleteUsage(db: Queries, accountIds: readonly string[]): Promise<boolean> {
  let hasMore = false;
  for (const table of LARGE_TABLES) {
    hasMore = (await deleteSomeOfAccounts(db, table, accountIds)) === DELETED_MAX || hasMore;
  }
  await deleteCaps(db, accountIds);
  await deleteLatency(db, accountIds);
  await forgetParameterLogs(db, accountIds);
  await db.deleteFrom("key_uses").where("account_id", "in", accountIds).execute();
  await db.deleteFrom("alert_checks").where("account_id", "in", accountIds).execute();
  await db.deleteFrom("recent_calls").where("account_id", "in", accountIds).execute();
  await db.deleteFrom("alert_deliveries").where("account_id", "in", accountIds).execute();
  await db.deleteFrom("webhook_attempts").where("account_id", "in", accountIds).execute();
  await db.deleteFrom("alerts").where("account_id", "in", accountIds).execute();
  return hasMore;
}

/** The store's method for deleting accounts. */
export const accountDeletionMethods = {
  /**
   * Deletes an account: its owner, sessions, keys, usage, names and addresses, including those in the audit trail. Its subscriptions are
   * cancelled. They and the monthly counts stay, under an anonymous id. StoreConflict if there is no such account.
   */
  deleteAccount: (transactions: Transactions) => (accountId: string) =>
    // Counts that servers have written are added up first, so that they are deleted too.
    transactions.addUpThen(accountId, async (backend) => {
      const { actor, nowMs } = transactions;
      const { clock } = transactions.options;
      const untilMs = clock.monotonicMs() + USAGE_DELETED_MS;
      let { hasMoreUsage } = await backend.change(
        async (db) => {
          const { cancelled, hasMoreUsage } = await deleteAccount(db, accountId, nowMs);
          await deletePersonalData(db, accountId);
          // The entry must not name the owner, who is deleted with the account.
          const by: Actor = actor.kind === "owner" ? { kind: "owner", name: "", origin: "" } : actor;
          const notes = [
            ...cancelled.map((subscription) => subscriptionNote("subscription.cancel", subscription)),
            { action: "account.delete", accountId } as const,
          ];
          for (const note of notes) {
            await transactions.record(db, note, by);
          }
          return { hasMoreUsage };
        },
        () => accountId,
      );
      while (hasMoreUsage && clock.monotonicMs() < untilMs) {
        // The account is deleted by now. If the database fails, the rest is deleted in the background, too.
        hasMoreUsage = await backend.writeSyncedLater((db) => deleteUsage(db, [accountId])).catch(() => false);
      }
    }),
};
