// The owners table: an account's owner and their password. Each function runs in the transaction that it is given.
import type { Selectable } from "kysely";
import type { Owner } from "../owner-store.ts";
import type { Account } from "../records.ts";
import type { Queries, Tables } from "../schema.ts";
import { StoreConflict } from "../store-errors.ts";
import { createAccount, toAccount } from "./accounts.ts";

/** Makes an account, its owner and their password. StoreConflict when the name is taken, or another account has the address. */
export async function createOwnedAccount(
  db: Queries,
  account: { readonly id: string; readonly name: string; readonly email: string },
  passwordHash: string,
  nowMs: number,
): Promise<Account> {
  const { email } = account;
  const made = await createAccount(db, account, nowMs);
  await insertOwner(db, { accountId: account.id, email, passwordHash }, nowMs);
  return made;
}

/** By their e-mail address in lower case. */
export async function findOwner(db: Queries, email: string): Promise<Owner | undefined> {
  return toOwner(await db.selectFrom("owners").selectAll().where("email", "=", email).executeTakeFirst());
}

/** By their account. */
export async function findOwnerOf(db: Queries, accountId: string): Promise<Owner | undefined> {
  return toOwner(await db.selectFrom("owners").selectAll().where("account_id", "=", accountId).executeTakeFirst());
}

/** Sets a password and ends all sessions, and makes the owner where there is none. */
export async function setOwnerPassword(
  db: Queries,
  accountId: string,
  passwordHash: string,
  nowMs: number,
): Promise<{ readonly email: string }> {
  const changed = await db
    .updateTable("owners")
    .set({ password_hash: passwordHash, changed_at_ms: nowMs })
    .where("account_id", "=", accountId)
    .returning("email")
    .executeTakeFirst();
  if (changed !== undefined) {
    await db.deleteFrom("owner_sessions").where("account_id", "=", accountId).execute();
    return changed;
  }
  const row = await db
    .selectFrom("accounts")
    .selectAll()
    .where("id", "=", accountId)
    .where("deleted_at_ms", "is", null)
    .executeTakeFirst();
  if (row === undefined) {
    throw new StoreConflict(`There is no account with the id ${accountId}.`);
  }
  const { name, email } = toAccount(row);
  if (email === null) {
    throw new StoreConflict(`The account ${name} has no e-mail address to sign in with.`);
  }
  const owner = { accountId, email: email.toLowerCase(), passwordHash };
  await insertOwner(db, owner, nowMs);
  return { email: owner.email };
}

/** Changes a password from one hash to another and ends all sessions but one. False when the hash is another. */
export async function changeOwnerPassword(
  db: Queries,
  accountId: string,
  { from, to, keptTokenHash }: { readonly from: string; readonly to: string; readonly keptTokenHash: string },
  nowMs: number,
): Promise<boolean> {
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
  await db.deleteFrom("owner_sessions").where("account_id", "=", accountId).where("token_hash", "!=", keptTokenHash).execute();
  return true;
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

const addressTaken = (email: string): StoreConflict => new StoreConflict(`The e-mail address ${email} has an account already.`);

const toOwner = (row: Selectable<Tables["owners"]> | undefined): Owner | undefined =>
  row && { accountId: row.account_id, email: row.email, passwordHash: row.password_hash };
