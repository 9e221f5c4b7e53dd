// How an owner's second factor is turned on and off. Each function runs in the given transaction, and locks the account and then its owner,
// as a change of password does.
import type { Queries } from "../schema.ts";
import type { TwoFactorStore, UsedCode } from "../two-factor-store.ts";
import { lockAccount, tryLockAccount } from "./accounts.ts";
import { lockOwner } from "./owner-lock.ts";
import { deletePasskeys } from "./passkeys.ts";
import { endOtherSessions } from "./sessions.ts";
import { endLinks, signOutEverywhere } from "./sign-outs.ts";
import { deleteTwoFactor, isTwoFactorOn, useCode } from "./two-factors.ts";

/** Stores a secret that is not confirmed. False if two-factor authentication is on. */
export async function prepareTwoFactor(db: Queries, accountId: string, secret: string): Promise<boolean> {
  await lockAccount(db, accountId);
  const prepared = await db
    .insertInto("two_factors")
    .values({ account_id: accountId, secret, on_since_ms: null, last_step: 0, failures: 0, wait_until_ms: 0 })
    .onConflict((conflict) => conflict.column("account_id").doUpdateSet({ secret }).where("two_factors.on_since_ms", "is", null))
    .returning("account_id")
    .executeTakeFirst();
  return prepared !== undefined;
}

/** Turns two-factor authentication on, and ends links and other sessions. False if it is on, or another secret was prepared. */
export async function turnOnTwoFactor(
  db: Queries,
  accountId: string,
  change: Parameters<TwoFactorStore["turnOnTwoFactor"]>[1],
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

/** Uses a code, and replaces the recovery codes. False if the code was used. */
export async function replaceRecoveryCodes(
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
export async function turnOffTwoFactor(
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

/** Turns two-factor authentication off, removes all passkeys, and ends links and all sessions. False if there is neither. */
export async function removeTwoFactor(db: Queries, accountId: string): Promise<boolean> {
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
