// The part of the store that sign-in uses: the owner of an account, the hash of their password, and their sessions. Every method is one
// transaction and rejects like the methods in store.ts.
import type { PasskeyStore } from "./passkey-store.ts";
import type { Account, SessionOrigin } from "./records.ts";
import type { TwoFactorStore } from "./two-factor-store.ts";

/** The owner of an account, who signs in to it. An account has at most one. */
export interface Owner {
  readonly accountId: string;
  /** In lower case. No other owner has it. */
  readonly email: string;
  readonly passwordHash: string;
}

/** A session that has not ended. */
export interface StoredSession {
  readonly accountId: string;
  readonly expiresAtMs: number;
}

/** A session that has not ended, as the list of an owner's sessions shows it. */
export interface ListedSession extends StoredSession, SessionOrigin {
  readonly tokenHash: string;
  readonly createdAtMs: number;
  readonly lastUsedAtMs: number;
}

/** The purpose of a mailed link. */
export type MailPurpose = "reset" | "verify" | "sign_up" | "change_email";

/** The token of a mailed link. */
export interface MailToken {
  readonly purpose: MailPurpose;
  /** The address to which it was sent, in lower case. */
  readonly email: string;
  /** Null if the link creates the account. */
  readonly accountId: string | null;
}

/** The account that the link of a sign-up creates. */
export interface CreatedBySignUp {
  readonly id: string;
  readonly name: string;
  readonly passwordHash: string;
}

export interface NewMailToken extends MailToken {
  readonly tokenHash: string;
  readonly expiresAtMs: number;
}

export interface SessionUse {
  readonly tokenHash: string;
  readonly usedAtMs: number;
}

/** What sign-in needs from the store. */
export interface OwnerStore extends TwoFactorStore, PasskeyStore {
  /**
   * Creates an account, its owner and their password. `email` is in lower case. StoreConflict if the name is taken, or another account has
   * the address.
   */
  createOwnedAccount(account: { id: string; name: string; email: string }, passwordHash: string): Promise<Account>;
  /** Finds an owner by their e-mail address, given in lower case. */
  findOwner(email: string): Promise<Owner | undefined>;
  findOwnerOf(accountId: string): Promise<Owner | undefined>;
  /**
   * Sets an owner's password, and ends all their sessions and mailed links. If the account has no owner, creates one with the account's
   * e-mail address. StoreConflict if there is no such account, it has no address, or the address has another owner.
   */
  setOwnerPassword(accountId: string, passwordHash: string): Promise<{ readonly email: string }>;
  /**
   * Changes a password, and ends all mailed links and all sessions but one. False, with nothing changed, if the stored hash is no longer
   * `from`.
   */
  changeOwnerPassword(accountId: string, change: { from: string; to: string; currentTokenHash: string }): Promise<boolean>;

  /**
   * Stores the token of a mailed link. Only the newest three for one address and purpose are kept. StoreConflict if its account has been
   * deleted.
   */
  addMailToken(token: NewMailToken): Promise<void>;
  /** The token with this SHA-256; undefined if there is none, or it has expired. */
  findMailToken(tokenHash: string): Promise<MailToken | undefined>;
  /**
   * Sets a password and consumes the token, ends all sessions and links of the account's owner, and verifies the address. False if the
   * token is not valid for this. StoreConflict as for `setOwnerPassword`.
   */
  resetPassword(tokenHash: string, passwordHash: string): Promise<boolean>;
  /**
   * Verifies an address and consumes the token. Only the token of a sign-up needs `created`, the account to create. False if the token is
   * not valid for that. StoreConflict if the address has an account by now.
   */
  verifyEmail(tokenHash: string, created: CreatedBySignUp | undefined): Promise<boolean>;

  /**
   * Changes the address of an account and its owner, and ends all mailed links and all sessions but one. The new address is not verified.
   * `to` is in lower case. StoreConflict if there is no such owner, or another account has the address.
   */
  changeOwnerEmail(accountId: string, change: { to: string; currentTokenHash: string }): Promise<void>;
  /**
   * Changes the address with the token of a link that was sent to the new address, which is thereby verified. Ends all sessions. Returns
   * the former address; undefined if the token is not valid for that. StoreConflict as above.
   */
  changeEmailByLink(tokenHash: string): Promise<string | undefined>;

  /**
   * Begins a session. Deletes the owner's ended sessions, and the oldest beyond 50. False, and no session begins, if the stored password
   * hash is no longer the given one, because the password was changed during the sign-in, or if signing in requires a code.
   */
  beginSession(
    session: SessionOrigin & { tokenHash: string; accountId: string; passwordHash: string; expiresAtMs: number },
  ): Promise<boolean>;
  /** The session whose token has this SHA-256; undefined if there is none, or it has ended. */
  findSession(tokenHash: string): Promise<StoredSession | undefined>;
  /** The sessions of an account's owner that have not ended, newest first. There are never more than 50. */
  listSessions(accountId: string): Promise<readonly ListedSession[]>;
  /** Records when sessions were last used. The time of a session never goes back. */
  recordSessionUses(uses: readonly SessionUse[]): Promise<void>;
  prolongSession(tokenHash: string, expiresAtMs: number): Promise<void>;
  /** Ends a session, if there is one. */
  endSession(tokenHash: string): Promise<void>;
  /** Ends all sessions of an account's owner except one, and returns how many it ended. */
  endOtherSessions(accountId: string, currentTokenHash: string): Promise<number>;
}
