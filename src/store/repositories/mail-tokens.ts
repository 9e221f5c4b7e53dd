// The tokens of links that are sent by mail. Only their SHA-256 is stored, each works once, and few are kept for one address. Each function runs in
// the transaction that it is given.
import type { MadeBySignUp, MailToken, NewMailToken } from "../owner-store.ts";
import type { Account } from "../records.ts";
import type { Queries } from "../schema.ts";
import { lockAccount } from "./accounts.ts";
import { createOwnedAccount, setOwnerPassword } from "./owners.ts";

// For one address and one purpose: a mail that is late must not be worth nothing because another was asked for.
const TOKENS_OF_AN_ADDRESS_MAX = 3;
// How many that are too old are deleted with one new one.
const EXPIRED_MAX = 100;

/** Stores a token. Deletes the oldest of the address beyond three, and what is too old. StoreConflict when its account is gone. */
export async function addMailToken(db: Queries, token: NewMailToken, nowMs: number): Promise<void> {
  const { tokenHash, purpose, email, accountId, expiresAtMs } = token;
  if (accountId !== null) {
    await lockAccount(db, accountId);
  }
  const expired = db
    .selectFrom("mail_tokens")
    .select("token_hash")
    .where("expires_at_ms", "<=", nowMs)
    .orderBy("expires_at_ms")
    .limit(EXPIRED_MAX);
  await db.deleteFrom("mail_tokens").where("token_hash", "in", expired).execute();
  const kept = db
    .selectFrom("mail_tokens")
    .select("token_hash")
    .where("email", "=", email)
    .where("purpose", "=", purpose)
    .orderBy("created_at_ms", "desc")
    .orderBy("token_hash")
    .limit(TOKENS_OF_AN_ADDRESS_MAX - 1);
  await db
    .deleteFrom("mail_tokens")
    .where("email", "=", email)
    .where("purpose", "=", purpose)
    .where("token_hash", "not in", kept)
    .execute();
  await db
    .insertInto("mail_tokens")
    .values({
      token_hash: tokenHash,
      purpose,
      email,
      account_id: accountId,
      created_at_ms: nowMs,
      expires_at_ms: expiresAtMs,
    })
    .execute();
}

/** A token that has not expired. */
export async function findMailToken(db: Queries, tokenHash: string, nowMs: number): Promise<MailToken | undefined> {
  const row = await db
    .selectFrom("mail_tokens")
    .selectAll()
    .where("token_hash", "=", tokenHash)
    .where("expires_at_ms", ">", nowMs)
    .executeTakeFirst();
  return row && { purpose: row.purpose, email: row.email, accountId: row.account_id };
}

// The same, and nobody can use it any more.
async function takeMailToken(db: Queries, tokenHash: string, nowMs: number): Promise<MailToken | undefined> {
  const token = await findMailToken(db, tokenHash, nowMs);
  const taken = await db.deleteFrom("mail_tokens").where("token_hash", "=", tokenHash).returning("token_hash").executeTakeFirst();
  return taken && token;
}

/** Sets a password with a token and ends all sessions, and deletes the account's other tokens for it. Undefined when the token is not one for that. */
export async function resetPassword(
  db: Queries,
  tokenHash: string,
  passwordHash: string,
  nowMs: number,
): Promise<{ readonly accountId: string } | undefined> {
  const { purpose, accountId, email } = (await takeMailToken(db, tokenHash, nowMs)) ?? {};
  if (purpose !== "reset" || !accountId || email === undefined) {
    return undefined;
  }
  await setOwnerPassword(db, accountId, passwordHash, nowMs);
  await db.deleteFrom("mail_tokens").where("account_id", "=", accountId).where("purpose", "=", "reset").execute();
  await verifyAddress(db, accountId, email, nowMs);
  return { accountId };
}

/**
 * Verifies an address with a token; the account `made` is made where the token is that of a sign-up. Undefined when the token is not one for that.
 * StoreConflict when the address has got an account since.
 */
export async function verifyEmail(
  db: Queries,
  tokenHash: string,
  made: MadeBySignUp | undefined,
  nowMs: number,
): Promise<{ readonly accountId: string; readonly account?: Account } | undefined> {
  const { purpose, accountId, email } = (await takeMailToken(db, tokenHash, nowMs)) ?? {};
  if (purpose === "verify" && accountId && email !== undefined) {
    await verifyAddress(db, accountId, email, nowMs);
    return { accountId };
  }
  if (purpose !== "sign_up" || email === undefined || made === undefined) {
    return undefined;
  }
  const account = await createOwnedAccount(db, { id: made.id, name: made.name, email }, made.passwordHash, nowMs);
  await db.deleteFrom("mail_tokens").where("email", "=", email).where("purpose", "=", "sign_up").execute();
  await verifyAddress(db, account.id, email, nowMs);
  return { accountId: account.id, account };
}

async function verifyAddress(db: Queries, accountId: string, email: string, nowMs: number): Promise<void> {
  await db
    .updateTable("accounts")
    .set({ email_verified_at_ms: nowMs })
    .where("id", "=", accountId)
    .where((row) => row(row.fn<string>("lower", ["email"]), "=", email))
    .execute();
}
