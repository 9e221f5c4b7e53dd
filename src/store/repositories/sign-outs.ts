// Ends the sessions, links and challenges that give access to an account without its password. Each function runs in the given transaction.
import type { Queries } from "../schema.ts";

/** Ends mailed links, and sign-ins that still need a code: an attacker may have obtained them before the password was changed. */
export async function endLinks(db: Queries, accountId: string): Promise<void> {
  await db.deleteFrom("mail_tokens").where("account_id", "=", accountId).execute();
  await db.deleteFrom("sign_in_challenges").where("account_id", "=", accountId).execute();
}

/** Ends the links and all sessions. */
export async function signOutEverywhere(db: Queries, accountId: string): Promise<void> {
  await db.deleteFrom("owner_sessions").where("account_id", "=", accountId).execute();
  await endLinks(db, accountId);
}
