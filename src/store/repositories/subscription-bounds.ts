// Limits the subscriptions of an account: at most one that is not cancelled for each service, and only the newest cancelled ones are kept.
// Each function runs in the given transaction.
import type { Queries } from "../schema.ts";

// How many cancelled subscriptions of an account are kept.
const CANCELLED_MAX = 100;

/** If there are too many, deletes an account's oldest cancelled subscriptions. */
export async function deleteOldestCancelled(db: Queries, accountId: string): Promise<void> {
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
