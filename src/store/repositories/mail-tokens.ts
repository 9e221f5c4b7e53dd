// The tokens of mailed links. Only their SHA-256 is stored, each works once, and few are kept for one address. Each function runs in the
// given transaction.
import type { CreatedBySignUp, MailPurpose, MailToken, NewMailToken } from "../owner-records.ts";
import type { Account } from "../records.ts";
import type { Queries } from "../schema.ts";
import { readAt, type Transactions, writeAt } from "../transactions.ts";
import { lockAccount, tryLockAccount } from "./accounts.ts";
import { type DatedTable, deleteExpired } from "./expired-counts.ts";
import { lockEmail } from "./mailboxes.ts";
import { findInvitation, removeAllMembers } from "./members.ts";
import { type ChangedEmail, changedEmailNote, createOwnedAccount, setOwnerEmail, setOwnerPassword } from "./owners.ts";
import { deletePasskeys } from "./passkeys.ts";
import { signOutEverywhere } from "./sessions.ts";

// For one address and one purpose: the link of an e-mail that arrives late must still work after another was requested.
const TOKENS_PER_ADDRESS_MAX = 3;

export const MAIL_TOKENS: DatedTable = { table: "mail_tokens", key: ["token_hash"], time: "expires_at_ms" };

/**
 * Stores the token of a mailed link. Only the newest three for one address and purpose are kept. StoreConflict if its account has been
 * deleted.
 */
async function addMailToken(db: Queries, token: NewMailToken, nowMs: number): Promise<void> {
  const { tokenHash, purpose, email, accountId, expiresAtMs } = token;
  if (accountId === null) {
    await lockEmail(db, email);
  } else {
    await lockAccount(db, accountId);
  }
  await deleteExpired(db, MAIL_TOKENS, nowMs);
  const kept = db
    .selectFrom("mail_tokens")
    .select("token_hash")
    .where("email", "=", email)
    .where("purpose", "=", purpose)
    .orderBy("created_at_ms", "desc")
    .orderBy("token_hash")
    .limit(TOKENS_PER_ADDRESS_MAX - 1);
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

/** The token with this SHA-256; undefined if there is none, or it has expired. */
async function findMailToken(db: Queries, tokenHash: string, nowMs: number): Promise<MailToken | undefined> {
  const row = await db
    .selectFrom("mail_tokens")
    .selectAll()
    .where("token_hash", "=", tokenHash)
    .where("expires_at_ms", ">", nowMs)
    .executeTakeFirst();
  return row && { purpose: row.purpose, email: row.email, accountId: row.account_id };
}

// Finds a token that has not expired, and consumes it if it has one of these purposes. If several callers try at once, only one gets it.
// All callers lock the account or the address before any token, so that two callers that also delete each other's token do not deadlock.
async function takeMailToken(
  db: Queries,
  tokenHash: string,
  purposes: readonly MailPurpose[],
  nowMs: number,
): Promise<MailToken | undefined> {
  const token = await findMailToken(db, tokenHash, nowMs);
  if (token === undefined || !purposes.includes(token.purpose)) {
    return undefined;
  }
  if (token.accountId === null) {
    await lockEmail(db, token.email);
  } else if (!(await tryLockAccount(db, token.accountId))) {
    return undefined;
  }
  const taken = await db.deleteFrom("mail_tokens").where("token_hash", "=", tokenHash).returning("token_hash").executeTakeFirst();
  return taken && token;
}

/**
 * Sets a password with a token, and ends all sessions and other tokens of the account. If its address was not verified before, also removes
 * its passkeys, members and invitations: anybody may have created the account. Undefined if the token is not valid for that.
 */
async function resetPassword(
  db: Queries,
  tokenHash: string,
  passwordHash: string,
  nowMs: number,
): Promise<{ readonly accountId: string } | undefined> {
  const { accountId, email } = (await takeMailToken(db, tokenHash, ["reset"], nowMs)) ?? {};
  if (!accountId || email === undefined) {
    return undefined;
  }
  await setOwnerPassword(db, accountId, passwordHash, nowMs);
  if (!(await isVerified(db, accountId))) {
    await deletePasskeys(db, accountId);
    await removeAllMembers(db, accountId, nowMs);
  }
  await verifyAddress(db, accountId, email, nowMs);
  return { accountId };
}

/**
 * Verifies an address with a token. For the token of a sign-up or an invitation it also creates the account that `created` describes.
 * Undefined if the token is not valid for that. StoreConflict if the address has an account by now.
 */
async function verifyEmail(
  db: Queries,
  tokenHash: string,
  created: CreatedBySignUp | undefined,
  nowMs: number,
): Promise<{ readonly accountId: string; readonly account?: Account } | undefined> {
  const token = await takeMailToken(db, tokenHash, created === undefined ? ["verify"] : ["verify", "sign_up"], nowMs);
  // An invitation is used up only when it is accepted.
  const email = token?.email ?? (await findInvitation(db, tokenHash, nowMs))?.email;
  if (email === undefined) {
    return undefined;
  }
  if (token?.accountId != null) {
    await verifyAddress(db, token.accountId, email, nowMs);
    return { accountId: token.accountId };
  }
  // Only the tokens of sign-ups and invitations have no account.
  if (created === undefined) {
    return undefined;
  }
  const account = await createOwnedAccount(db, { id: created.id, name: created.name, email }, created.passwordHash, nowMs);
  await db.deleteFrom("mail_tokens").where("email", "=", email).where("purpose", "=", "sign_up").execute();
  await verifyAddress(db, account.id, email, nowMs);
  return { accountId: account.id, account };
}

/**
 * Changes an account's address with a token that was sent to the new one, and ends all links and sessions. Undefined if the token is not
 * valid for that.
 */
async function changeEmailByLink(db: Queries, tokenHash: string, nowMs: number): Promise<ChangedEmail | undefined> {
  const { accountId, email } = (await takeMailToken(db, tokenHash, ["change_email"], nowMs)) ?? {};
  if (!accountId || email === undefined) {
    return undefined;
  }
  const changed = await setOwnerEmail(db, accountId, { to: email, verifiedAtMs: nowMs }, nowMs);
  await signOutEverywhere(db, accountId);
  return changed;
}

async function isVerified(db: Queries, accountId: string): Promise<boolean> {
  const account = await db.selectFrom("accounts").select("email_verified_at_ms").where("id", "=", accountId).executeTakeFirst();
  return account?.email_verified_at_ms != null;
}

async function verifyAddress(db: Queries, accountId: string, email: string, nowMs: number): Promise<void> {
  await db
    .updateTable("accounts")
    .set({ email_verified_at_ms: nowMs })
    .where("id", "=", accountId)
    .where((row) => row(row.fn<string>("lower", ["email"]), "=", email))
    .execute();
}

/** The store's methods for mailed links. What ends sessions is announced to their open streams. */
export const mailTokenMethods = {
  addMailToken: writeAt(addMailToken),
  findMailToken: readAt(findMailToken),
  /**
   * Sets a password and consumes the token, ends all sessions and links of the account's owner, and verifies the address. False if the
   * token is not valid for this. StoreConflict as for `setOwnerPassword`.
   */
  resetPassword: (transactions: Transactions) => async (tokenHash: string, passwordHash: string) => {
    const reset = await transactions.change(
      (db) => resetPassword(db, tokenHash, passwordHash, transactions.nowMs),
      (done) => done && { action: "account.reset_password", accountId: done.accountId },
    );
    return reset !== undefined;
  },
  /**
   * Verifies an address and consumes the token. Only the token of a sign-up needs `created`, the account to create. False if the token is
   * not valid for that. StoreConflict if the address has an account by now.
   */
  verifyEmail: (transactions: Transactions) => async (tokenHash: string, created: CreatedBySignUp | undefined) => {
    const verified = await transactions.writeAudited(
      (db) => verifyEmail(db, tokenHash, created, transactions.nowMs),
      (done) => {
        if (done === undefined) {
          return undefined;
        }
        const { accountId, account } = done;
        return account === undefined
          ? { action: "account.verify_email", accountId }
          : { action: "account.sign_up", accountId, details: { name: account.name } };
      },
    );
    return verified !== undefined;
  },
  /**
   * Changes the address with the token of a link that was sent to the new address, which is thereby verified. Ends all sessions. Returns
   * the former address; undefined if the token is not valid for that. StoreConflict as for `changeOwnerEmail`.
   */
  changeEmailByLink: (transactions: Transactions) => async (tokenHash: string) => {
    const changed = await transactions.change(
      (db) => changeEmailByLink(db, tokenHash, transactions.nowMs),
      (done) => done && changedEmailNote(done),
    );
    return changed?.from;
  },
};
