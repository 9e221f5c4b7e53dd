// The sign_in_challenges table: sign-ins with the right password that still need a code. Only the SHA-256 of a challenge's token is stored.
// Each function runs in the given transaction, and locks the owner first, as beginning a session does.
import type { Queries } from "../schema.ts";
import type { Challenge, CompletedSession, UsedCode } from "../two-factor-store.ts";
import { lockOwner } from "./owner-lock.ts";
import { insertSession } from "./sessions.ts";
import { useCode } from "./two-factors.ts";

const CHALLENGES_PER_ACCOUNT_MAX = 10;

/** Stores a challenge if the owner's password has this hash. Deletes expired challenges, and the oldest beyond 10. */
export async function addChallenge(
  db: Queries,
  { tokenHash, accountId, passwordHash, expiresAtMs }: Challenge,
  nowMs: number,
): Promise<boolean> {
  if (!(await lockOwner(db, accountId, passwordHash))) {
    return false;
  }
  const kept = db
    .selectFrom("sign_in_challenges")
    .select("token_hash")
    .where("account_id", "=", accountId)
    .where("expires_at_ms", ">", nowMs)
    .orderBy("created_at_ms", "desc")
    .orderBy("token_hash")
    .limit(CHALLENGES_PER_ACCOUNT_MAX - 1);
  await db.deleteFrom("sign_in_challenges").where("account_id", "=", accountId).where("token_hash", "not in", kept).execute();
  await db
    .insertInto("sign_in_challenges")
    .values({ token_hash: tokenHash, account_id: accountId, created_at_ms: nowMs, expires_at_ms: expiresAtMs })
    .execute();
  return true;
}

/** The account of a challenge that has not expired. */
export async function findChallenge(db: Queries, tokenHash: string, nowMs: number): Promise<string | undefined> {
  const row = await db
    .selectFrom("sign_in_challenges")
    .select("account_id")
    .where("token_hash", "=", tokenHash)
    .where("expires_at_ms", ">", nowMs)
    .executeTakeFirst();
  return row?.account_id;
}

/**
 * Uses a challenge and a code, and begins the session. Returns the account; undefined, with nothing changed, if the challenge or the code
 * has been used.
 */
export async function completeChallenge(
  db: Queries,
  challengeHash: string,
  code: UsedCode,
  session: CompletedSession,
  nowMs: number,
): Promise<string | undefined> {
  const accountId = await findChallenge(db, challengeHash, nowMs);
  if (accountId === undefined) {
    return undefined;
  }
  await lockOwner(db, accountId);
  // The transaction that held the lock before may have ended the challenge.
  if ((await findChallenge(db, challengeHash, nowMs)) === undefined || !(await useCode(db, accountId, code))) {
    return undefined;
  }
  await db.deleteFrom("sign_in_challenges").where("token_hash", "=", challengeHash).execute();
  await insertSession(db, { ...session, accountId }, nowMs);
  return accountId;
}
