// The owners table: an account's owner and their password. Each function runs in the given transaction. A change of password locks the
// account first, and then its rows, so that two changes at once cannot deadlock.
import type { Selectable } from "kysely";
import { mailboxOf } from "../../runtime/email.ts";
import type { Owner } from "../owner-records.ts";
import type { Account } from "../records.ts";
import type { Queries, Tables } from "../schema.ts";
import { StoreConflict } from "../store-errors.ts";
import type { AccountNote } from "../transactions.ts";
import { auditedAt, changingAt, read } from "../transactions.ts";
import { createAccount, lockAccount, requireUniqueEmail, tryLockAccount } from "./accounts.ts";
import { leaveAddress, lockEmail, requireFreeMonths, takeAddress } from "./mailboxes.ts";
import { endLinks, endOtherSessions, signOutEverywhere } from "./sessions.ts";

/**
 * Creates an account, its owner and their password. `email` is in lower case. StoreConflict if the name is taken, or another account has
 * the address.
 */
export async function createOwnedAccount(
  db: Queries,
  account: { readonly id: string; readonly name: string; readonly email: string },
  passwordHash: string,
  nowMs: number,
): Promise<Account> {
  const { email } = account;
  const created = await createAccount(db, account, nowMs);
  await insertOwner(db, { accountId: account.id, email, passwordHash }, nowMs);
  return created;
}

/** Finds an owner by their e-mail address, given in lower case. */
async function findOwner(db: Queries, email: string): Promise<Owner | undefined> {
  return toOwner(await db.selectFrom("owners").selectAll().where("email", "=", email).executeTakeFirst());
}

async function findOwnerOf(db: Queries, accountId: string): Promise<Owner | undefined> {
  return toOwner(await db.selectFrom("owners").selectAll().where("account_id", "=", accountId).executeTakeFirst());
}

/**
 * Sets an owner's password, and ends all their sessions and mailed links. If the account has no owner, creates one with the account's
 * e-mail address. StoreConflict if there is no such account, it has no address, or the address has another owner.
 */
export async function setOwnerPassword(
  db: Queries,
  accountId: string,
  passwordHash: string,
  nowMs: number,
): Promise<{ readonly email: string }> {
  await lockAccount(db, accountId);
  const changed = await db
    .updateTable("owners")
    .set({ password_hash: passwordHash, changed_at_ms: nowMs })
    .where("account_id", "=", accountId)
    .returning("email")
    .executeTakeFirst();
  // Locked after the owner, because a sign-in locks the owner before it creates a session.
  await signOutEverywhere(db, accountId);
  if (changed !== undefined) {
    return changed;
  }
  const { name, email } = await db
    .selectFrom("accounts")
    .select(["name", "email"])
    .where("id", "=", accountId)
    .executeTakeFirstOrThrow();
  if (email === null) {
    throw new StoreConflict(`The account ${name} has no e-mail address to sign in with.`);
  }
  const owner = { accountId, email: email.toLowerCase(), passwordHash };
  await insertOwner(db, owner, nowMs);
  return { email: owner.email };
}

/**
 * Changes a password from one hash to another, and ends all links and all sessions but one of the account. False if the stored hash is a
 * different one.
 */
async function changeOwnerPassword(
  db: Queries,
  accountId: string,
  { from, to, currentTokenHash }: { readonly from: string; readonly to: string; readonly currentTokenHash: string },
  nowMs: number,
): Promise<boolean> {
  if (!(await tryLockAccount(db, accountId))) {
    return false;
  }
  const changed = await db
    .updateTable("owners")
    .set({ password_hash: to, changed_at_ms: nowMs })
    .where("account_id", "=", accountId)
    .where("password_hash", "=", from)
    .returning("account_id")
    .executeTakeFirst();
  if (changed === undefined) {
    return false;
  }
  await db.deleteFrom("owner_sessions").where("account_id", "=", accountId).where("token_hash", "!=", currentTokenHash).execute();
  await endLinks(db, accountId);
  return true;
}

/** An account's address before and after it was changed. */
export interface ChangedEmail {
  readonly accountId: string;
  readonly from: string;
  readonly to: string;
}

/**
 * Changes an account's address, and ends all links and all sessions but one: a stolen link or session must not give access to the account
 * under its new address. StoreConflict as for `setOwnerEmail`.
 */
async function changeOwnerEmail(
  db: Queries,
  accountId: string,
  { to, currentTokenHash }: { readonly to: string; readonly currentTokenHash: string },
  nowMs: number,
): Promise<ChangedEmail> {
  const changed = await setOwnerEmail(db, accountId, { to, verifiedAtMs: null }, nowMs);
  await endOtherSessions(db, accountId, currentTokenHash, nowMs);
  await endLinks(db, accountId);
  return changed;
}

/**
 * Sets the address of an account and its owner, without ending links or sessions. StoreConflict if it has no owner, the address is taken,
 * or another account of its mailbox has a free plan that this one has too.
 */
export async function setOwnerEmail(
  db: Queries,
  accountId: string,
  { to, verifiedAtMs }: { readonly to: string; readonly verifiedAtMs: number | null },
  nowMs: number,
): Promise<ChangedEmail> {
  await lockAccount(db, accountId);
  const owner = await findOwnerOf(db, accountId);
  if (owner === undefined) {
    throw new StoreConflict(`Nobody can sign in to the account with the ID ${accountId}.`);
  }
  // In the same order everywhere, so that two accounts that change to each other's mailbox cannot deadlock.
  for (const email of [owner.email, to].sort()) {
    await lockEmail(db, email);
  }
  await requireUniqueEmail(db, accountId, to);
  await leaveAddress(db, accountId, owner.email, nowMs);
  await takeAddress(db, accountId, to, nowMs);
  await db.updateTable("owners").set({ email: to }).where("account_id", "=", accountId).execute();
  await db
    .updateTable("accounts")
    .set({ email: to, mailbox: mailboxOf(to), email_verified_at_ms: verifiedAtMs })
    .where("id", "=", accountId)
    .execute();
  await requireFreeMonths(db, accountId, nowMs);
  return { accountId, from: owner.email, to };
}

async function insertOwner(db: Queries, { accountId, email, passwordHash }: Owner, nowMs: number): Promise<void> {
  const owner = await db
    .insertInto("owners")
    .values({ account_id: accountId, email, password_hash: passwordHash, created_at_ms: nowMs, changed_at_ms: nowMs })
    .onConflict((conflict) => conflict.column("email").doNothing())
    .returning("account_id")
    .executeTakeFirst();
  if (owner === undefined) {
    throw addressTaken(email);
  }
}

const addressTaken = (email: string): StoreConflict => new StoreConflict(`The e-mail address ${email} already has an account.`);

const toOwner = (row: Selectable<Tables["owners"]> | undefined): Owner | undefined =>
  row && { accountId: row.account_id, email: row.email, passwordHash: row.password_hash };

export const changedEmailNote = ({ accountId, from, to }: ChangedEmail): AccountNote => ({
  action: "account.change_email",
  accountId,
  details: { from, to },
});

/** The store's methods for owners, their passwords and addresses. What ends sessions is announced to their open streams. */
export const ownerMethods = {
  createOwnedAccount: auditedAt(createOwnedAccount, ({ id, name }) => ({
    action: "account.sign_up",
    accountId: id,
    details: { name },
  })),
  findOwner: read(findOwner),
  findOwnerOf: read(findOwnerOf),
  setOwnerPassword: changingAt(setOwnerPassword, (_, accountId) => ({ action: "account.draw_password", accountId })),
  changeOwnerPassword: changingAt(changeOwnerPassword, (isChanged, accountId) =>
    isChanged ? { action: "account.change_password", accountId } : undefined,
  ),
  changeOwnerEmail: changingAt(changeOwnerEmail, changedEmailNote),
};
