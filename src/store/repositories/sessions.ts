// The owner_sessions table. Only the SHA-256 of a session's token is stored, as with keys. Each function runs in the given transaction.
import type { ListedSession, SessionUse, StoredSession } from "../owner-store.ts";
import type { SessionOrigin } from "../records.ts";
import type { Queries } from "../schema.ts";
import { lockOwner } from "./owner-lock.ts";
import { isTwoFactorOn } from "./two-factors.ts";

// More devices than any person has.
const SESSIONS_MAX = 50;
// Each use is one parameter, so a statement stays far below the number of parameters that either database allows.
const USES_PER_UPDATE = 500;

type NewSession = StoredSession & SessionOrigin & { readonly tokenHash: string };

/** Begins a session if the owner's password has this hash, and signing in requires no code. */
export async function beginSession(
  db: Queries,
  { passwordHash, ...session }: NewSession & { readonly passwordHash: string },
  nowMs: number,
): Promise<boolean> {
  const { accountId } = session;
  if (!(await lockOwner(db, accountId, passwordHash)) || (await isTwoFactorOn(db, accountId))) {
    return false;
  }
  await insertSession(db, session, nowMs);
  return true;
}

/** Stores a session. Deletes the owner's ended sessions, and the oldest beyond 50. The caller has locked the owner. */
export async function insertSession(
  db: Queries,
  { tokenHash, accountId, expiresAtMs, address, userAgent }: NewSession,
  nowMs: number,
): Promise<void> {
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
    .values({
      token_hash: tokenHash,
      account_id: accountId,
      begun_at_ms: nowMs,
      expires_at_ms: expiresAtMs,
      address: address ?? null,
      user_agent: userAgent ?? null,
    })
    .execute();
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

/** An owner's sessions that have not ended, newest first. */
export async function listSessions(db: Queries, accountId: string, nowMs: number): Promise<ListedSession[]> {
  const rows = await db
    .selectFrom("owner_sessions")
    .selectAll()
    .where("account_id", "=", accountId)
    .where("expires_at_ms", ">", nowMs)
    .orderBy("begun_at_ms", "desc")
    .orderBy("token_hash")
    .execute();
  return rows.map((row) => ({
    tokenHash: row.token_hash,
    accountId: row.account_id,
    createdAtMs: row.begun_at_ms,
    lastUsedAtMs: Math.max(row.begun_at_ms, row.last_used_at_ms ?? 0),
    expiresAtMs: row.expires_at_ms,
    ...(row.address !== null && { address: row.address }),
    ...(row.user_agent !== null && { userAgent: row.user_agent }),
  }));
}

/** Records when sessions were last used. */
export async function recordSessionUses(db: Queries, uses: readonly SessionUse[]): Promise<void> {
  for (const [usedAtMs, used] of Map.groupBy(uses, (use) => use.usedAtMs)) {
    // All processes write rows in the same order, so that they hardly ever wait for each other.
    const hashes = used.map(({ tokenHash }) => tokenHash).toSorted();
    for (let start = 0; start < hashes.length; start += USES_PER_UPDATE) {
      await db
        .updateTable("owner_sessions")
        .set({ last_used_at_ms: usedAtMs })
        .where("token_hash", "in", hashes.slice(start, start + USES_PER_UPDATE))
        .where((row) => row.or([row("last_used_at_ms", "is", null), row("last_used_at_ms", "<", usedAtMs)]))
        .execute();
    }
  }
}

export async function prolongSession(db: Queries, tokenHash: string, expiresAtMs: number): Promise<void> {
  await db.updateTable("owner_sessions").set({ expires_at_ms: expiresAtMs }).where("token_hash", "=", tokenHash).execute();
}

/** Ends a session, and returns its account's id; undefined if there is no such session. */
export async function endSession(db: Queries, tokenHash: string): Promise<string | undefined> {
  const ended = await db
    .deleteFrom("owner_sessions")
    .where("token_hash", "=", tokenHash)
    .returning("account_id")
    .executeTakeFirst();
  return ended?.account_id;
}

/** Ends all of an owner's sessions except one, and returns how many it ended. */
export async function endOtherSessions(db: Queries, accountId: string, currentTokenHash: string, nowMs: number): Promise<number> {
  const ended = await db
    .deleteFrom("owner_sessions")
    .where("account_id", "=", accountId)
    .where("token_hash", "!=", currentTokenHash)
    .returning("expires_at_ms")
    .execute();
  return ended.filter((row) => row.expires_at_ms > nowMs).length;
}
