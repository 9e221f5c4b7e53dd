// The accounts table. Each function runs in the given transaction.
import { type SqlBool, sql, type Updateable } from "kysely";
import { mailboxOf } from "../../runtime/email.ts";
import type { Backend } from "../backend.ts";
import type { Account, AccountPage, AccountQuery } from "../records.ts";
import type { Queries, Tables } from "../schema.ts";
import { StoreConflict } from "../store-errors.ts";
import { changing, changingAt, read, type Transactions } from "../transactions.ts";
import { toAccount } from "./account-rows.ts";
import { lockEmail, takeAddress } from "./mailboxes.ts";
import { lockOwner, signOutEverywhere } from "./sessions.ts";

/**
 * Inserts an account, which continues the monthly usage of the last account with its address. StoreConflict if the name or the e-mail
 * address, in any case, is taken.
 */
export async function createAccount(
  db: Queries,
  account: { readonly id: string; readonly name: string; readonly email: string | null },
  nowMs: number,
): Promise<Account> {
  const row = await db
    .insertInto("accounts")
    .values({
      id: account.id,
      name: account.name,
      email: account.email,
      mailbox: account.email && mailboxOf(account.email.toLowerCase()),
      suspended: 0,
      created_at_ms: nowMs,
    })
    .onConflict((conflict) => conflict.column("name").doNothing())
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) {
    throw new StoreConflict(`There is already an account called ${account.name}.`);
  }
  if (account.email !== null) {
    const email = account.email.toLowerCase();
    await requireUniqueEmail(db, account.id, email);
    await takeAddress(db, account.id, email, nowMs);
  }
  return toAccount(row);
}

/** Locks an address in lower case. StoreConflict if another account has it. */
export async function requireUniqueEmail(db: Queries, accountId: string, email: string): Promise<void> {
  await lockEmail(db, email);
  const taken = await db
    .selectFrom("accounts")
    .select("id")
    .where((row) => row(row.fn<string>("lower", ["email"]), "=", email))
    .where("id", "!=", accountId)
    .limit(1)
    .executeTakeFirst();
  if (taken !== undefined) {
    throw new StoreConflict(`The e-mail address ${email} already has an account.`);
  }
}

/** Accounts in the order of their names, starting after the given one; "" for the first. */
async function accountsAfter(db: Queries, name: string, limit: number): Promise<readonly Account[]> {
  const rows = await db
    .selectFrom("accounts")
    .selectAll()
    .where("deleted_at_ms", "is", null)
    .where("name", ">", name)
    .orderBy("name")
    .limit(limit)
    .execute();
  return rows.map(toAccount);
}

/** The account with this id, else the one with this name. A string with an `@`, which no name contains, is an e-mail address. */
async function findAccount(db: Queries, idOrName: string): Promise<Account | undefined> {
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

/** Suspends or resumes an account, if that has not already been done. StoreConflict if there is no such account. */
const setSuspended = (db: Queries, accountId: string, suspended: boolean): Promise<Account> =>
  update(db, accountId, { suspended: suspended ? 1 : 0 });

/**
 * Sets whether an account's owner is an operator. A new operator has to sign in again, so that a session stolen from a customer never
 * becomes an operator's. StoreConflict if there is no such account.
 */
async function setOperator(db: Queries, accountId: string, isOperator: boolean): Promise<Account> {
  await lockAccount(db, accountId);
  const { operator } = await db.selectFrom("accounts").select("operator").where("id", "=", accountId).executeTakeFirstOrThrow();
  if (isOperator && operator === 0) {
    await lockOwner(db, accountId);
    await signOutEverywhere(db, accountId);
  }
  return update(db, accountId, { operator: isOperator ? 1 : 0 });
}

async function update(db: Queries, accountId: string, values: Updateable<Tables["accounts"]>): Promise<Account> {
  const row = await db
    .updateTable("accounts")
    .set(values)
    .where("id", "=", accountId)
    .where("deleted_at_ms", "is", null)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) {
    throw new StoreConflict(`There is no account with the ID ${accountId}.`);
  }
  return toAccount(row);
}

/**
 * Locks the account, if the database can lock rows, with an update that changes nothing: what is read afterwards is still true when the
 * caller writes. False if there is no such account.
 */
export async function tryLockAccount(db: Queries, accountId: string): Promise<boolean> {
  const row = await db
    .updateTable("accounts")
    .set({ id: accountId })
    .where("id", "=", accountId)
    .where("deleted_at_ms", "is", null)
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Locks the account in the same way. StoreConflict if there is no such account: its message is clearer than that of a failed foreign key.
 */
export async function lockAccount(db: Queries, accountId: string): Promise<void> {
  if (!(await tryLockAccount(db, accountId))) {
    throw new StoreConflict(`There is no account with the ID ${accountId}.`);
  }
}

/** A page, newest first. Runs two statements, so an account that is created between them may be missing from one of the two results. */
async function accountPage({ db, readRows }: Pick<Backend, "db" | "readRows">, query: AccountQuery): Promise<AccountPage> {
  // PostgreSQL refuses a string with a null character, and no account's name has one.
  if (query.search.includes("\0")) {
    return { total: 0, accounts: [] };
  }
  const [counted] = await readRows(
    matching(db, query)
      .select((row) => row.cast<number>(row.fn.countAll(), "bigint").as("total"))
      .compile(),
  );
  // The rows before the page are skipped using only the index.
  const ids = matching(db, query)
    .select("id")
    .orderBy("created_at_ms", "desc")
    .orderBy("id")
    .limit(query.limit)
    .offset(query.offset);
  const rows = await readRows(
    db.selectFrom("accounts").selectAll().where("id", "in", ids).orderBy("created_at_ms", "desc").orderBy("id").compile(),
  );
  return { total: counted?.total ?? 0, accounts: rows.map(toAccount) };
}

const matching = (db: Queries, { search, onlySuspended, onlyOperators }: AccountQuery) =>
  db
    .selectFrom("accounts")
    .where("deleted_at_ms", "is", null)
    .$if(onlySuspended, (select) => select.where("suspended", "=", 1))
    .$if(onlyOperators, (select) => select.where("operator", "=", 1))
    .$if(search !== "", (select) => {
      const text = search.toLowerCase();
      // Escaped, so that no character is a wildcard. The databases differ in how they compare case, so both sides are in lower case.
      const pattern = `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
      return select.where(
        sql<SqlBool>`(id = ${text} or name like ${pattern} escape '\\' or lower(email) like ${pattern} escape '\\')`,
      );
    });

/** The store's methods for accounts. */
export const accountMethods = {
  createAccount: changingAt(createAccount, ({ id, name }) => ({ action: "account.create", accountId: id, details: { name } })),
  accountsAfter: read(accountsAfter),
  accountPage: (transactions: Transactions) => (query: AccountQuery) =>
    transactions.report((backend) => accountPage(backend, query)),
  findAccount: read(findAccount),
  setSuspended: changing(setSuspended, (_, accountId, suspended) => ({
    action: suspended ? "account.suspend" : "account.resume",
    accountId,
  })),
  setOperator: changing(setOperator, (_, accountId, isOperator) => ({
    action: isOperator ? "account.appoint_operator" : "account.dismiss_operator",
    accountId,
  })),
};
