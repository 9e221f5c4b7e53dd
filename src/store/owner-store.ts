// The store as sign-in sees it: whoever owns an account, their password's hash and their sessions. Every method is one transaction and
// fails as those of store.ts do.
import type { Account } from "./store.ts";

/** The tables that the library for passwords and sessions reads and writes row by row. */
export type SignInTable = "owners" | "owner_credentials" | "owner_sessions";

/** What a column holds. */
type SignInValue = string | number | null;

/** A row, by its columns. */
export type SignInRow = Readonly<Record<string, SignInValue>>;

/** A row has to meet all conditions that are asked for. */
export interface SignInCondition {
  readonly column: string;
  readonly operator: "=" | "!=" | "<" | "<=" | ">" | ">=" | "in";
  /** An array for `in` alone. */
  readonly value: SignInValue | readonly SignInValue[];
}

/** The first rows of those that meet the conditions. */
export interface SignInPage {
  readonly limit: number;
  readonly offset: number;
  readonly orderBy: { readonly column: string; readonly direction: "asc" | "desc" } | undefined;
}

/** Sign-in's side of the store. */
export interface OwnerStore {
  /**
   * Makes an account, its owner and their password. `email` is in small letters. StoreConflict when the name is taken, or the address
   * has an owner.
   */
  createOwnedAccount(account: { id: string; name: string; email: string }, passwordHash: string): Promise<Account>;
  /**
   * Sets an owner's password and ends all their sessions; makes the owner, with the account's own e-mail address, where the account
   * has none. StoreConflict when there is no such account, it has no address, or the address has another owner.
   */
  setOwnerPassword(accountId: string, passwordHash: string): Promise<{ readonly email: string }>;
  /** Ends all sessions of an owner but one. */
  endOtherSessions(accountId: string, tokenHash: string): Promise<void>;

  insertRow(table: SignInTable, row: SignInRow): Promise<SignInRow>;
  selectRows(table: SignInTable, conditions: readonly SignInCondition[], page: SignInPage): Promise<readonly SignInRow[]>;
  countRows(table: SignInTable, conditions: readonly SignInCondition[]): Promise<number>;
  /** Answers the rows as they are now. */
  updateRows(table: SignInTable, conditions: readonly SignInCondition[], changes: SignInRow): Promise<readonly SignInRow[]>;
  /** Answers how many there were. */
  deleteRows(table: SignInTable, conditions: readonly SignInCondition[]): Promise<number>;
}
