// The tables two_factors and recovery_codes: an owner's second factor. A row of two_factors has no `on_since_ms` until its owner has
// confirmed the secret. Each function runs in the given transaction.
import type { Queries } from "../schema.ts";
import type { TwoFactor, UsedCode } from "../two-factor-store.ts";

// The number of wrong codes in a row that causes the first wait; that wait, which doubles with each further wrong code; and the longest
// wait.
const FAILURES_UNTIL_WAIT = 5;
const FIRST_WAIT_MS = 30_000;
const WAIT_MS_MAX = 3_600_000;

/** The second factor of an account's owner. */
export async function findTwoFactor(db: Queries, accountId: string): Promise<TwoFactor | undefined> {
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

/** Counts an attempt to enter a code. Returns how long the account has to wait instead; 0 if it need not wait. */
export async function takeCodeAttempt(db: Queries, accountId: string, nowMs: number): Promise<number> {
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
export async function useCode(db: Queries, accountId: string, code: UsedCode): Promise<boolean> {
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

/** Whether signing in to the account requires a code. */
export const isTwoFactorOn = async (db: Queries, accountId: string): Promise<boolean> =>
  (await findTwoFactor(db, accountId))?.onSinceMs !== undefined;
