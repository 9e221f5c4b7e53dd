// The store as sign-in sees it: whoever owns an account, their password's hash and their sessions. Every method is one transaction and
// fails as those of store.ts do.
import type { Account } from "./records.ts";

/** Whoever signs in to an account. There is at most one for each. */
export interface Owner {
  readonly accountId: string;
  /** In small letters. No other owner has it. */
  readonly email: string;
  readonly passwordHash: string;
}

/** A session that lasts. */
export interface StoredSession {
  readonly accountId: string;
  readonly expiresAtMs: number;
}

/** Sign-in's side of the store. */
export interface OwnerStore {
  /**
   * Makes an account, its owner and their password. `email` is in small letters. StoreConflict when the name is taken, or an account is
   * reached at the address.
   */
  createOwnedAccount(account: { id: string; name: string; email: string }, passwordHash: string): Promise<Account>;
  /** By their e-mail address in small letters. */
  findOwner(email: string): Promise<Owner | undefined>;
  findOwnerOf(accountId: string): Promise<Owner | undefined>;
  /**
   * Sets an owner's password and ends all their sessions; makes the owner, with the account's own e-mail address, where the account
   * has none. StoreConflict when there is no such account, it has no address, or the address has another owner.
   */
  setOwnerPassword(accountId: string, passwordHash: string): Promise<{ readonly email: string }>;
  /** Changes a password and ends all sessions but one. False, and nothing is changed, when the stored hash is not `from` any more. */
  changeOwnerPassword(accountId: string, change: { from: string; to: string; keptTokenHash: string }): Promise<boolean>;

  /**
   * Begins a session, and forgets those of the owner that are over, and the oldest beyond 50. False, and none is begun, when the stored
   * hash of the password is not the given one any more: whoever signs in with a password that is being changed is too late.
   */
  beginSession(session: { tokenHash: string; accountId: string; passwordHash: string; expiresAtMs: number }): Promise<boolean>;
  /** The session whose token has this SHA-256; undefined when there is none, or it is over. */
  findSession(tokenHash: string): Promise<StoredSession | undefined>;
  /** Moves the end of a session. */
  prolongSession(tokenHash: string, expiresAtMs: number): Promise<void>;
  /** Ends a session, where there is one. */
  endSession(tokenHash: string): Promise<void>;
}
