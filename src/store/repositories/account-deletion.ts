// Deletes an account. What names or follows a person goes: the owner, sessions, keys, names, addresses, usage. What stays is a ledger that names
// nobody: the row of the account with its id, its subscriptions, and how many calls each month had. So a lease that is given back later still
// finds its subscription. Each function runs in the transaction that it is given.
import type { Subscription } from "../records.ts";
import type { Queries } from "../schema.ts";
import { StoreConflict } from "../store-errors.ts";
import { toSubscription } from "./subscriptions.ts";

// Servers write usage by and by. What they still write of a deleted account is removed for so long.
const LATE_USAGE_MS = 86_400_000;

/** Deletes an account and returns the subscriptions that are cancelled by it. StoreConflict when there is no such account. */
export async function deleteAccount(db: Queries, accountId: string, nowMs: number): Promise<readonly Subscription[]> {
  const deleted = await db
    .updateTable("accounts")
    .set({ name: `deleted-${accountId}`, email: null, suspended: 1, operator: 0, email_verified_at_ms: null, deleted_at_ms: nowMs })
    .where("id", "=", accountId)
    .where("deleted_at_ms", "is", null)
    .returning("id")
    .executeTakeFirst();
  if (deleted === undefined) {
    throw new StoreConflict(`There is no account with the id ${accountId}.`);
  }
  // Changes nothing, but waits for a sign-in that is under way.
  await db.updateTable("owners").set({ account_id: accountId }).where("account_id", "=", accountId).execute();
  await db.deleteFrom("owner_sessions").where("account_id", "=", accountId).execute();
  await db.deleteFrom("mail_tokens").where("account_id", "=", accountId).execute();
  await db.deleteFrom("owners").where("account_id", "=", accountId).execute();
  await db.deleteFrom("api_keys").where("account_id", "=", accountId).execute();
  await deleteUsage(db, [accountId]);
  const cancelled = await db
    .updateTable("subscriptions")
    .set({ state: "cancelled", requested_plan: null })
    .where("account_id", "=", accountId)
    .where("state", "<>", "cancelled")
    .returningAll()
    .execute();
  return cancelled.map(toSubscription).toSorted((a, b) => (a.service < b.service ? -1 : 1));
}

/** Removes what was written of accounts after they were deleted. */
export async function forgetLateUsage(db: Queries, nowMs: number): Promise<void> {
  const rows = await db
    .selectFrom("accounts")
    .select("id")
    .where("deleted_at_ms", ">", nowMs - LATE_USAGE_MS)
    .execute();
  // PostgreSQL has no empty lists.
  if (rows.length > 0) {
    await deleteUsage(
      db,
      rows.map(({ id }) => id),
    );
  }
}

async function deleteUsage(db: Queries, accountIds: readonly string[]): Promise<void> {
  await db.deleteFrom("usage_counts").where("account_id", "in", accountIds).execute();
  await db.deleteFrom("usage_hours").where("account_id", "in", accountIds).execute();
  await db.deleteFrom("refusal_counts").where("account_id", "in", accountIds).execute();
  await db.deleteFrom("refusal_hours").where("account_id", "in", accountIds).execute();
  await db.deleteFrom("key_uses").where("account_id", "in", accountIds).execute();
}
