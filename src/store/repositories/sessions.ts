// The owner_sessions table. Of a session's token only the SHA-256 is stored, as of a key. Each function runs in the transaction that it is
// given.
import type { StoredSession } from "../owner-store.ts";
import type { Queries } from "../schema.ts";

// More than anybody has devices.
const SESSIONS_MAX = 50;

/** Begins a session if the owner's password has this hash. Deletes ended sessions, and the oldest beyond 50. */
export async function beginSession(
  db: Queries,
  {
    tokenHash,
    accountId,
    passwordHash,
    expiresAtMs,
  }: StoredSession & { readonly tokenHash: string; readonly passwordHash: string },
  nowMs: number,
): Promise<boolean> {
  // Changes nothing, but waits for a change of the password that is under way.
  const owner = await db
    .updateTable("owners")
    .set({ account_id: accountId })
    .where("account_id", "=", accountId)
    .where("password_hash", "=", passwordHash)
    .returning("account_id")
    .executeTakeFirst();
  if (owner === undefined) {
    return false;
  }
  const kept = db
    .selectFrom("owner_sessions")
    .select("token_hash")
    .where("account_id", "=", accountId)
    .where("expires_at_ms", ">", nowMs)
    .orderBy("begun_at_ms", "desc")
    .orderBy("token_hash")
    .limit(SESSIONS_MAX - 1);
  await db.deleteFrom("owner_sessions").where("account_id", "=", accountId).where("token_hash", "not in", kept).execute();
  await db
    .insertInto("owner_sessions")
    .values({ token_hash: tokenHash, account_id: accountId, begun_at_ms: nowMs, expires_at_ms: expiresAtMs })
    .execute();
  return true;
}

/** The session whose token has this SHA-256, unless it has ended. */
export async function findSession(db: Queries, tokenHash: string, nowMs: number): Promise<StoredSession | undefined> {
  const row = await db
    .selectFrom("owner_sessions")
    .select(["account_id", "expires_at_ms"])
    .where("token_hash", "=", tokenHash)
    .where("expires_at_ms", ">", nowMs)
    .executeTakeFirst();
  return row && { accountId: row.account_id, expiresAtMs: row.expires_at_ms };
}

/** Prolongs a session. */
export async function prolongSession(db: Queries, tokenHash: string, expiresAtMs: number): Promise<void> {
  await db.updateTable("owner_sessions").set({ expires_at_ms: expiresAtMs }).where("token_hash", "=", tokenHash).execute();
}

/** Ends a session, where there is one. */
export async function endSession(db: Queries, tokenHash: string): Promise<void> {
  await db.deleteFrom("owner_sessions").where("token_hash", "=", tokenHash).execute();
}
