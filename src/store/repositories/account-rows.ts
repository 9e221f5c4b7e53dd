// The records of accounts from their rows, and from rows of joins with them.
import type { Selectable } from "kysely";
import type { Account } from "../records.ts";
import type { Tables } from "../schema.ts";

/** The columns that are read. Joins leave out the time at which the address was verified, because only the owner sees it. */
type AccountRow = Omit<Selectable<Tables["accounts"]>, "deleted_at_ms" | "email_verified_at_ms" | "mailbox"> & {
  readonly email_verified_at_ms?: number | null;
};

/** Converts a row to the record that the store returns. */
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

/** The columns of an account that a join with `accounts` selects: `accounts.name as account_name` and so on. */
export const ACCOUNT_COLUMNS = [
  "accounts.name as account_name",
  "accounts.email as account_email",
  "accounts.suspended as account_suspended",
  "accounts.created_at_ms as account_created_at_ms",
  "accounts.operator as account_operator",
] as const;

type JoinedColumns = Omit<Selectable<Tables["accounts"]>, "id" | "deleted_at_ms" | "email_verified_at_ms" | "mailbox">;

/** A row of a join that selects these columns. */
export type JoinedAccount = { readonly [Column in keyof JoinedColumns | "id" as `account_${Column}`]: AccountRow[Column] };

/** The account in such a row. */
export const accountOf = (row: JoinedAccount): Account =>
  toAccount({
    id: row.account_id,
    name: row.account_name,
    email: row.account_email,
    suspended: row.account_suspended,
    created_at_ms: row.account_created_at_ms,
    operator: row.account_operator,
  });
