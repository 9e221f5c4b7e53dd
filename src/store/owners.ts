// Owners, as wholes: an account with its owner and their password, which are made together or not at all. Each function runs in the
// transaction that it is handed.
import { createAccount, toAccount } from "./accounts.ts";
import type { Queries } from "./schema.ts";
import { type Account, StoreConflict } from "./store.ts";

// What the library for passwords calls a password among the ways to sign in.
const PASSWORD = "credential";

/** Makes an account, its owner and their password. */
export async function createOwnedAccount(
  db: Queries,
  account: { readonly id: string; readonly name: string; readonly email: string },
  passwordHash: string,
  nowMs: number,
): Promise<Account> {
  const made = await createAccount(db, account, nowMs);
  await insertOwner(db, account, passwordHash, nowMs);
  return made;
}

/** Sets a password, and makes the owner where there is none. */
export async function setOwnerPassword(
  db: Queries,
  accountId: string,
  passwordHash: string,
  nowMs: number,
): Promise<{ readonly email: string }> {
  const row = await db.selectFrom("accounts").selectAll().where("id", "=", accountId).executeTakeFirst();
  const owner = await db.selectFrom("owners").select("email").where("id", "=", accountId).executeTakeFirst();
  if (row === undefined) {
    throw new StoreConflict(`There is no account with the id ${accountId}.`);
  }
  const { id, name, email: address } = toAccount(row);
  const email = owner?.email ?? address?.toLowerCase();
  if (email === undefined) {
    throw new StoreConflict(`The account ${name} has no e-mail address to sign in with.`);
  }
  if (owner === undefined) {
    await insertOwner(db, { id, name, email }, passwordHash, nowMs);
    return { email };
  }
  await db.deleteFrom("owner_sessions").where("owner_id", "=", id).execute();
  await db
    .updateTable("owner_credentials")
    .set({ password: passwordHash, updated_at: new Date(nowMs).toISOString() })
    .where("owner_id", "=", id)
    .where("provider_id", "=", PASSWORD)
    .execute();
  return { email };
}

/** Ends all sessions of an owner but the one whose token has this SHA-256. */
export async function endOtherSessions(db: Queries, accountId: string, tokenHash: string): Promise<void> {
  await db.deleteFrom("owner_sessions").where("owner_id", "=", accountId).where("token_hash", "!=", tokenHash).execute();
}

async function insertOwner(
  db: Queries,
  { id, name, email }: { readonly id: string; readonly name: string; readonly email: string },
  passwordHash: string,
  nowMs: number,
): Promise<void> {
  const now = new Date(nowMs).toISOString();
  const owner = await db
    .insertInto("owners")
    .values({ id, name, email, email_verified: 0, image: null, created_at: now, updated_at: now })
    .onConflict((conflict) => conflict.column("email").doNothing())
    .returning("id")
    .executeTakeFirst();
  if (owner === undefined) {
    throw new StoreConflict(`The e-mail address ${email} has an account already.`);
  }
  await db
    .insertInto("owner_credentials")
    .values({
      id,
      owner_id: id,
      provider_id: PASSWORD,
      provider_account_id: id,
      password: passwordHash,
      created_at: now,
      updated_at: now,
    })
    .execute();
}
