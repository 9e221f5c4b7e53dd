// Bounds the subscriptions of an account: at most one to a service is not cancelled, and of the cancelled ones only the newest are kept. Each
// function runs in the transaction that it is given.
import type { Queries } from "../schema.ts";

// How many cancelled subscriptions of an account are kept.
const CANCELLED_MAX = 100;

/** Deletes an account's oldest cancelled subscriptions where there are too many. */
export async function deleteFirstCancelled(db: Queries, accountId: string): Promise<void> {
  const kept = db
    .selectFrom("subscriptions")
    .select("id")
    .where("account_id", "=", accountId)
    .where("state", "=", "cancelled")
    .orderBy("created_at_ms", "desc")
    .orderBy("id")
    .limit(CANCELLED_MAX);
  await db
    .deleteFrom("subscriptions")
    .where("account_id", "=", accountId)
    .where("state", "=", "cancelled")
    .where("id", "not in", kept)
    .execute();
}
