// Locks the row of an account's owner. Whatever begins or ends sessions, or changes how the owner signs in, locks it first.
import type { Queries } from "../schema.ts";

/**
 * Waits for changes and sign-ins that are in progress, and changes nothing. Returns whether there is an owner and, if a hash is given,
 * their password has this hash.
 */
export async function lockOwner(db: Queries, accountId: string, passwordHash?: string): Promise<boolean> {
  const lock = db.updateTable("owners").set({ account_id: accountId }).where("account_id", "=", accountId);
  const owner = await (passwordHash === undefined ? lock : lock.where("password_hash", "=", passwordHash))
    .returning("account_id")
    .executeTakeFirst();
  return owner !== undefined;
}
