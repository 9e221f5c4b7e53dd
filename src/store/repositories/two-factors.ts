// Two-factor authentication: the secret of an owner's app, recovery codes, wrong codes, and sign-ins that still need a code. Each function
// runs in the given transaction.
import { type AuditAction, signInNote } from "../audit-records.ts";
import type { Challenge, CompletedSession, TwoFactor, UsedCode } from "../owner-records.ts";
import type { Queries } from "../schema.ts";
import {
  type AccountNote,
  audited,
  changing,
  changingAt,
  read,
  readAt,
  type Transactions,
  write,
  writeAt,
} from "../transactions.ts";
import { lockAccount, tryLockAccount } from "./accounts.ts";
import { deletePasskeys } from "./passkeys.ts";
import { endLinks, endOtherSessions, insertSession, isTwoFactorOn, lockOwner, signOutEverywhere } from "./sessions.ts";

// The number of wrong codes in a row that causes the first wait; that wait, which doubles with each further wrong code; and the longest
// wait.
const FAILURES_UNTIL_WAIT = 5;
const FIRST_WAIT_MS = 30_000;
const WAIT_MS_MAX = 3_600_000;

/** The owner's second factor, whether confirmed or not; undefined if there is none. */
async function findTwoFactor(db: Queries, accountId: string): Promise<TwoFactor | undefined> {
  const row = await db
    .selectFrom("two_factors")
    .select(["secret", "on_since_ms"])
    .select((factor) =>
      factor
        .selectFrom("recovery_codes")
        .select((codes) => codes.fn.countAll<number>().as("left"))
        .whereRef("recovery_codes.account_id", "=", "two_factors.account_id")
        .as("left"),
    )
    .where("account_id", "=", accountId)
    .executeTakeFirst();
  return row && { secret: row.secret, onSinceMs: row.on_since_ms ?? undefined, recoveryCodesLeft: Number(row.left) };
}

/** Deletes an owner's second factor, if there is one. */
export async function deleteTwoFactor(db: Queries, accountId: string): Promise<void> {
  await db.deleteFrom("recovery_codes").where("account_id", "=", accountId).execute();
  await db.deleteFrom("two_factors").where("account_id", "=", accountId).execute();
}

/**
 * Counts an attempt to enter a code, before the code is checked: the attempt counts as wrong until a code is used. Returns 0 if the
 * attempt was counted, or else how many milliseconds the account has to wait.
 */
async function takeCodeAttempt(db: Queries, accountId: string, nowMs: number): Promise<number> {
  // Changes nothing, but makes simultaneous attempts wait for each other.
  const row = await db
    .updateTable("two_factors")
    .set({ account_id: accountId })
    .where("account_id", "=", accountId)
    .returning(["failures", "wait_until_ms"])
    .executeTakeFirst();
  if (row === undefined || row.wait_until_ms > nowMs) {
    return row === undefined ? 0 : row.wait_until_ms - nowMs;
  }
  const failures = row.failures + 1;
  const waitMs = failures < FAILURES_UNTIL_WAIT ? 0 : Math.min(FIRST_WAIT_MS * 2 ** (failures - FAILURES_UNTIL_WAIT), WAIT_MS_MAX);
  await db
    .updateTable("two_factors")
    .set({ failures, wait_until_ms: nowMs + waitMs })
    .where("account_id", "=", accountId)
    .execute();
  return 0;
}

/** Uses a code, and resets the count of wrong ones. False if it was used before, or two-factor authentication is off. */
async function useCode(db: Queries, accountId: string, code: UsedCode): Promise<boolean> {
  if ("recoveryHash" in code) {
    const used = await db
      .deleteFrom("recovery_codes")
      .where("account_id", "=", accountId)
      .where("code_hash", "=", code.recoveryHash)
      .returning("account_id")
      .executeTakeFirst();
    if (used === undefined) {
      return false;
    }
  }
  const step = "step" in code ? code.step : undefined;
  const used = await db
    .updateTable("two_factors")
    .set({ failures: 0, wait_until_ms: 0, ...(step !== undefined && { last_step: step }) })
    .where("account_id", "=", accountId)
    .where("on_since_ms", "is not", null)
    .$if(step !== undefined, (update) => update.where("last_step", "<", step as number))
    .returning("account_id")
    .executeTakeFirst();
  return used !== undefined;
}

const noteIf = (isDone: boolean, action: AuditAction, accountId: string): AccountNote | undefined =>
  isDone ? { action, accountId } : undefined;

/** Stores a secret that the owner has to confirm. False, with nothing changed, if two-factor authentication is on. */
async function prepareTwoFactor(db: Queries, accountId: string, secret: string): Promise<boolean> {
  await lockAccount(db, accountId);
  const prepared = await db
    .insertInto("two_factors")
    .values({ account_id: accountId, secret, on_since_ms: null, last_step: 0, failures: 0, wait_until_ms: 0 })
    .onConflict((conflict) => conflict.column("account_id").doUpdateSet({ secret }).where("two_factors.on_since_ms", "is", null))
    .returning("account_id")
    .executeTakeFirst();
  return prepared !== undefined;
}

/**
 * Turns two-factor authentication on, with the secret that was prepared, and ends all links and all sessions but one. False, with nothing
 * changed, if it is already on, or another secret was prepared last. `step`: the time step of the code that confirms the secret.
 */
async function turnOnTwoFactor(
  db: Queries,
  accountId: string,
  change: {
    readonly secret: string;
    readonly step: number;
    readonly recoveryHashes: readonly string[];
    readonly currentTokenHash: string;
  },
  nowMs: number,
): Promise<boolean> {
  if (!(await lockAccountAndOwner(db, accountId))) {
    return false;
  }
  const { secret, step, recoveryHashes, currentTokenHash } = change;
  const on = await db
    .updateTable("two_factors")
    .set({ on_since_ms: nowMs, last_step: step, failures: 0, wait_until_ms: 0 })
    .where("account_id", "=", accountId)
    .where("secret", "=", secret)
    .where("on_since_ms", "is", null)
    .returning("account_id")
    .executeTakeFirst();
  if (on === undefined) {
    return false;
  }
  await insertRecoveryCodes(db, accountId, recoveryHashes);
  await endOtherSessions(db, accountId, currentTokenHash, nowMs);
  await endLinks(db, accountId);
  return true;
}

/** Uses a code, and replaces the recovery codes. Changes nothing and returns false if the code was used, or there is no second factor. */
async function replaceRecoveryCodes(
  db: Queries,
  accountId: string,
  code: UsedCode,
  recoveryHashes: readonly string[],
): Promise<boolean> {
  if (!(await lockAccountAndOwner(db, accountId)) || !(await useCode(db, accountId, code))) {
    return false;
  }
  await db.deleteFrom("recovery_codes").where("account_id", "=", accountId).execute();
  await insertRecoveryCodes(db, accountId, recoveryHashes);
  return true;
}

/** Uses a code, turns two-factor authentication off, and ends links and other sessions. False if the code was used. */
async function turnOffTwoFactor(
  db: Queries,
  accountId: string,
  code: UsedCode,
  currentTokenHash: string,
  nowMs: number,
): Promise<boolean> {
  if (!(await lockAccountAndOwner(db, accountId)) || !(await useCode(db, accountId, code))) {
    return false;
  }
  await deleteTwoFactor(db, accountId);
  await endOtherSessions(db, accountId, currentTokenHash, nowMs);
  await endLinks(db, accountId);
  return true;
}

/**
 * Turns two-factor authentication off without a code, removes all passkeys, and ends all links and all sessions. False if it is off and
 * there is no passkey.
 */
async function removeTwoFactor(db: Queries, accountId: string): Promise<boolean> {
  if (!(await lockAccountAndOwner(db, accountId))) {
    return false;
  }
  const isOn = await isTwoFactorOn(db, accountId);
  const removed = await deletePasskeys(db, accountId);
  if (!isOn && removed === 0) {
    return false;
  }
  await deleteTwoFactor(db, accountId);
  await signOutEverywhere(db, accountId);
  return true;
}

async function insertRecoveryCodes(db: Queries, accountId: string, hashes: readonly string[]): Promise<void> {
  await db
    .insertInto("recovery_codes")
    .values(hashes.map((code_hash) => ({ account_id: accountId, code_hash })))
    .execute();
}

// False if there is no such account, or it has no owner.
const lockAccountAndOwner = async (db: Queries, accountId: string): Promise<boolean> =>
  (await tryLockAccount(db, accountId)) && lockOwner(db, accountId);

const CHALLENGES_PER_ACCOUNT_MAX = 10;

/** Stores a challenge if the owner's password has this hash. Deletes expired challenges, and the oldest beyond 10. */
async function addChallenge(
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

/** The account of the challenge whose token has this SHA-256; undefined if there is none or it has expired. */
async function findChallenge(db: Queries, tokenHash: string, nowMs: number): Promise<string | undefined> {
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
async function completeChallenge(
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

/** The store's methods for two-factor authentication. When sessions end, their open streams end too. */
export const twoFactorMethods = {
  findTwoFactor: read(findTwoFactor),
  prepareTwoFactor: write(prepareTwoFactor),
  turnOnTwoFactor: changingAt(turnOnTwoFactor, (isOn, accountId) => noteIf(isOn, "account.turn_on_two_factor", accountId)),
  replaceRecoveryCodes: audited(replaceRecoveryCodes, (isDone, accountId) =>
    noteIf(isDone, "account.replace_recovery_codes", accountId),
  ),
  turnOffTwoFactor: changingAt(turnOffTwoFactor, (isOff, accountId) => noteIf(isOff, "account.turn_off_two_factor", accountId)),
  removeTwoFactor: changing(removeTwoFactor, (isOff, accountId) => noteIf(isOff, "account.turn_off_two_factor", accountId)),
  takeCodeAttempt: writeAt(takeCodeAttempt),
  useTwoFactorCode: write(useCode),
  addChallenge: writeAt(addChallenge),
  findChallenge: readAt(findChallenge),
  /** Uses the challenge and the code, and begins the session. False, with nothing changed, if either was used or has ended. */
  completeChallenge: (transactions: Transactions) => async (challengeHash: string, code: UsedCode, session: CompletedSession) => {
    const accountId = await transactions.writeAudited(
      (db) => completeChallenge(db, challengeHash, code, session, transactions.nowMs),
      (completed) =>
        completed === undefined
          ? undefined
          : signInNote(completed, session.userAgent, "recoveryHash" in code ? "account.use_recovery_code" : "account.sign_in"),
    );
    return accountId !== undefined;
  },
};
