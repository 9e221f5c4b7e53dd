// The sessions of owners, and how changes to an owner end them and their mailed links. Each function runs in the given transaction.
import { signInNote } from "../audit-records.ts";
import type { FoundSession, ListedSession, SessionUse, StoredSession } from "../owner-records.ts";
import type { SessionOrigin } from "../records.ts";
import type { Queries } from "../schema.ts";
import { readAt, type Transactions, write } from "../transactions.ts";
import { toAccount } from "./account-rows.ts";

// More devices than any person has.
const SESSIONS_MAX = 50;
// Each use is one parameter, so a statement stays far below the number of parameters that either database allows.
const USES_PER_UPDATE = 500;

type NewSession = StoredSession & SessionOrigin & { readonly tokenHash: string };

/**
 * Begins a session. Deletes the owner's ended sessions, and the oldest beyond 50. False, and no session begins, if the stored password
 * hash is no longer the given one, because the password was changed during the sign-in, or if signing in requires a code.
 */
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

/** The session whose token has this SHA-256; undefined if there is none, or it has ended. */
async function findSession(db: Queries, tokenHash: string, nowMs: number): Promise<FoundSession | undefined> {
  const row = await db
    .selectFrom("owner_sessions")
    .innerJoin("accounts", "accounts.id", "owner_sessions.account_id")
    .selectAll("accounts")
    .select("owner_sessions.expires_at_ms")
    .where("token_hash", "=", tokenHash)
    .where("owner_sessions.expires_at_ms", ">", nowMs)
    .where("deleted_at_ms", "is", null)
    .executeTakeFirst();
  return row && { accountId: row.id, expiresAtMs: row.expires_at_ms, account: toAccount(row) };
}

/** The sessions of an account's owner that have not ended, newest first. There are never more than 50. */
async function listSessions(db: Queries, accountId: string, nowMs: number): Promise<readonly ListedSession[]> {
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

/** Records when sessions were last used. The time of a session never goes back. */
async function recordSessionUses(db: Queries, uses: readonly SessionUse[]): Promise<void> {
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

async function prolongSession(db: Queries, tokenHash: string, expiresAtMs: number): Promise<void> {
  await db.updateTable("owner_sessions").set({ expires_at_ms: expiresAtMs }).where("token_hash", "=", tokenHash).execute();
}

/** Ends a session, and returns its account's id; undefined if there is no such session. */
async function endSession(db: Queries, tokenHash: string): Promise<string | undefined> {
  const ended = await db
    .deleteFrom("owner_sessions")
    .where("token_hash", "=", tokenHash)
    .returning("account_id")
    .executeTakeFirst();
  return ended?.account_id;
}

/** Ends all sessions of an account's owner except one, and returns how many it ended. */
export async function endOtherSessions(db: Queries, accountId: string, currentTokenHash: string, nowMs: number): Promise<number> {
  const ended = await db
    .deleteFrom("owner_sessions")
    .where("account_id", "=", accountId)
    .where("token_hash", "!=", currentTokenHash)
    .returning("expires_at_ms")
    .execute();
  return ended.filter((row) => row.expires_at_ms > nowMs).length;
}

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

/** Whether signing in to the account requires a code. */
export async function isTwoFactorOn(db: Queries, accountId: string): Promise<boolean> {
  const row = await db
    .selectFrom("two_factors")
    .select("on_since_ms")
    .where("account_id", "=", accountId)
    .where("on_since_ms", "is not", null)
    .executeTakeFirst();
  return row !== undefined;
}

/** The store's methods for sessions. When a session ends, its open streams end too. */
export const sessionMethods = {
  beginSession: (transactions: Transactions) => (session: Parameters<typeof beginSession>[1]) =>
    transactions.write(async (db) => {
      const isStarted = await beginSession(db, session, transactions.nowMs);
      if (isStarted) {
        const { accountId, address = "", userAgent } = session;
        await transactions.record(db, signInNote(accountId, userAgent), { kind: "owner", name: accountId, origin: address });
      }
      return isStarted;
    }),
  findSession: readAt(findSession),
  listSessions: readAt(listSessions),
  recordSessionUses: write(recordSessionUses),
  prolongSession: write(prolongSession),
  endSession: (transactions: Transactions) => async (tokenHash: string) => {
    await transactions.changeUnaudited(
      (db) => endSession(db, tokenHash),
      (accountId) => accountId,
    );
  },
  endOtherSessions: (transactions: Transactions) => (accountId: string, currentTokenHash: string) =>
    transactions.changeUnaudited(
      (db) => endOtherSessions(db, accountId, currentTokenHash, transactions.nowMs),
      (ended) => (ended > 0 ? accountId : undefined),
    ),
};
