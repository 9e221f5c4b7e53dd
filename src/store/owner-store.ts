// The store as sign-in sees it: the owner of an account, the hash of their password, and their sessions. Every method is one transaction and fails
// as those of store.ts do.
import type { Account } from "./records.ts";

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

/** Where a session began, and in which program, as far as it is known. */
export interface SessionOrigin {
  readonly address?: string | undefined;
  readonly userAgent?: string | undefined;
}

/** A session that has not ended, as its owner sees it in a list. */
export interface ListedSession extends StoredSession, SessionOrigin {
  readonly tokenHash: string;
  readonly begunAtMs: number;
  readonly lastUsedAtMs: number;
}

/** What a link that was sent by mail is for. */
export type MailPurpose = "reset" | "verify" | "sign_up";

/** The token of such a link. */
export interface MailToken {
  readonly purpose: MailPurpose;
  /** The address that it was sent to, in lower case. */
  readonly email: string;
  /** Null where the link makes the account. */
  readonly accountId: string | null;
}

/** The account that the link of a sign-up makes. */
export interface MadeBySignUp {
  readonly id: string;
  readonly name: string;
  readonly passwordHash: string;
}

/** A token to be stored. */
export interface NewMailToken extends MailToken {
  readonly tokenHash: string;
  readonly expiresAtMs: number;
}

/** A session that was used. */
export interface SessionUse {
  readonly tokenHash: string;
  readonly usedAtMs: number;
}

/** Sign-in's side of the store. */
export interface OwnerStore {
  /**
   * Makes an account, its owner and their password. `email` is in lower case. StoreConflict when the name is taken, or another account has
   * the address.
   */
  createOwnedAccount(account: { id: string; name: string; email: string }, passwordHash: string): Promise<Account>;
  /** By their e-mail address in lower case. */
  findOwner(email: string): Promise<Owner | undefined>;
  findOwnerOf(accountId: string): Promise<Owner | undefined>;
  /**
   * Sets an owner's password and ends all their sessions. Makes the owner, with the account's own e-mail address, where the account has
   * none. StoreConflict when there is no such account, it has no address, or the address has another owner.
   */
  setOwnerPassword(accountId: string, passwordHash: string): Promise<{ readonly email: string }>;
  /** Changes a password and ends all sessions but one. False, and nothing is changed, when the stored hash is no longer `from`. */
  changeOwnerPassword(accountId: string, change: { from: string; to: string; keptTokenHash: string }): Promise<boolean>;

  /**
   * Stores the token of a link that is sent by mail. Of one address and purpose the newest three are kept. StoreConflict when its account has been
   * deleted.
   */
  addMailToken(token: NewMailToken): Promise<void>;
  /** The token with this SHA-256; undefined when there is none, or it is too old. */
  findMailToken(tokenHash: string): Promise<MailToken | undefined>;
  /**
   * Uses a token up to set a password, ends all sessions of the account's owner, and verifies the address. False when the token is not one for
   * that. StoreConflict as for `setOwnerPassword`.
   */
  resetPassword(tokenHash: string, passwordHash: string): Promise<boolean>;
  /**
   * Uses a token up to verify an address; makes the account `made`, which is needed where the token is that of a sign-up, and there alone. False when
   * the token is not one for that. StoreConflict when the address has got an account since.
   */
  verifyEmail(tokenHash: string, made: MadeBySignUp | undefined): Promise<boolean>;

  /**
   * Begins a session. Deletes the owner's ended sessions, and the oldest beyond 50. False, and none begins, when the stored hash of the
   * password is no longer the given one: a sign-in with a password that is being changed comes too late.
   */
  beginSession(
    session: SessionOrigin & { tokenHash: string; accountId: string; passwordHash: string; expiresAtMs: number },
  ): Promise<boolean>;
  /** The session whose token has this SHA-256; undefined when there is none or it has ended. */
  findSession(tokenHash: string): Promise<StoredSession | undefined>;
  /** The sessions of an account's owner that have not ended, the one that began last first. There are never more than 50. */
  listSessions(accountId: string): Promise<readonly ListedSession[]>;
  /** Notes when sessions were last used. The time of a session never goes back. */
  noteSessionUses(uses: readonly SessionUse[]): Promise<void>;
  /** Prolongs a session. */
  prolongSession(tokenHash: string, expiresAtMs: number): Promise<void>;
  /** Ends a session, where there is one. */
  endSession(tokenHash: string): Promise<void>;
  /** Ends the sessions of an account's owner but one, and returns how many. */
  endOtherSessions(accountId: string, keptTokenHash: string): Promise<number>;
}
