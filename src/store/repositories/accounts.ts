// The accounts table. Each function runs in the transaction that it is given.
import { PostgresAdapter, type Selectable, sql, type Updateable } from "kysely";
import type { Account } from "../records.ts";
import type { Queries, Tables } from "../schema.ts";
import { StoreConflict } from "../store-errors.ts";

// The number of an advisory lock.
const EMAIL_LOCK = 1_701_667_177;

/** What is read of a row. Joins leave out when the address was verified, which only the owner sees. */
type AccountRow = Omit<Selectable<Tables["accounts"]>, "deleted_at_ms" | "email_verified_at_ms"> & {
  readonly email_verified_at_ms?: number | null;
};

/** A row as the rest of the program sees it. */
export function toAccount(row: AccountRow): Account {
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    suspended: row.suspended === 1,
    isOperator: row.operator === 1,
    createdAtMs: row.created_at_ms,
    ...(row.email_verified_at_ms && { emailVerifiedAtMs: row.email_verified_at_ms }),
  };
}

/** Inserts an account. StoreConflict when the name is taken, or the e-mail address is, in upper or lower case. */
export async function createAccount(
  db: Queries,
  account: { readonly id: string; readonly name: string; readonly email: string | null },
  nowMs: number,
): Promise<Account> {
  const row = await db
    .insertInto("accounts")
    .values({ id: account.id, name: account.name, email: account.email, suspended: 0, created_at_ms: nowMs })
    .onConflict((conflict) => conflict.column("name").doNothing())
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) {
    throw new StoreConflict(`There is an account called ${account.name} already.`);
  }
  if (account.email !== null) {
    await requireSoleEmail(db, account.id, account.email.toLowerCase());
  }
  return toAccount(row);
}

// Two who ask for the same address at once wait for each other. Without a lock PostgreSQL would show neither of them the other's row.
async function requireSoleEmail(db: Queries, accountId: string, email: string): Promise<void> {
  if (db.getExecutor().adapter instanceof PostgresAdapter) {
    await sql`select pg_advisory_xact_lock(${EMAIL_LOCK}, hashtext(${email}))`.execute(db);
  }
  const taken = await db
    .selectFrom("accounts")
    .select("id")
    .where((row) => row(row.fn<string>("lower", ["email"]), "=", email))
    .where("id", "!=", accountId)
    .limit(1)
    .executeTakeFirst();
  if (taken !== undefined) {
    throw new StoreConflict(`The e-mail address ${email} has an account already.`);
  }
}

/** All accounts, by name. */
export async function listAccounts(db: Queries): Promise<Account[]> {
  const rows = await db.selectFrom("accounts").selectAll().where("deleted_at_ms", "is", null).orderBy("name").execute();
  return rows.map(toAccount);
}

/** The account with this id, else the one with this name; with an `@`, which no name has, the one with this e-mail address. */
export async function findAccount(db: Queries, idOrName: string): Promise<Account | undefined> {
  if (idOrName.includes("@")) {
    const row = await db
      .selectFrom("accounts")
      .selectAll()
      .where((each) => each(each.fn<string>("lower", ["email"]), "=", idOrName.toLowerCase()))
      .limit(1)
      .executeTakeFirst();
    return row === undefined ? undefined : toAccount(row);
  }
  const rows = await db
    .selectFrom("accounts")
    .selectAll()
    .where((row) => row.or([row("id", "=", idOrName), row("name", "=", idOrName)]))
    .where("deleted_at_ms", "is", null)
    .execute();
  const row = rows.find(({ id }) => id === idOrName) ?? rows[0];
  return row === undefined ? undefined : toAccount(row);
}

/** Suspends or resumes an account; does nothing where it is so already. StoreConflict when there is no such account. */
export const setSuspended = (db: Queries, accountId: string, suspended: boolean): Promise<Account> =>
  update(db, accountId, { suspended: suspended ? 1 : 0 });

/** Makes an account's owner an operator, or no longer; does nothing where it is so already. StoreConflict when there is no such account. */
export const setOperator = (db: Queries, accountId: string, isOperator: boolean): Promise<Account> =>
  update(db, accountId, { operator: isOperator ? 1 : 0 });

async function update(db: Queries, accountId: string, values: Updateable<Tables["accounts"]>): Promise<Account> {
  const row = await db
    .updateTable("accounts")
    .set(values)
    .where("id", "=", accountId)
    .where("deleted_at_ms", "is", null)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) {
    throw new StoreConflict(`There is no account with the id ${accountId}.`);
  }
  return toAccount(row);
}

/**
 * Locks the account, where rows can be locked, by an update that changes nothing: what is read after it still holds when the caller writes.
 * StoreConflict when there is no such account, with a message that a failing foreign key would not have.
 */
export async function lockAccount(db: Queries, accountId: string): Promise<void> {
  const row = await db
    .updateTable("accounts")
    .set({ id: accountId })
    .where("id", "=", accountId)
    .where("deleted_at_ms", "is", null)
    .returning("id")
    .executeTakeFirst();
  if (row === undefined) {
    throw new StoreConflict(`There is no account with the id ${accountId}.`);
  }
}
