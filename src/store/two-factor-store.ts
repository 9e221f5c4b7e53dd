// The part of the store that two-factor authentication uses: the secret of an owner's authenticator app, the hashes of their recovery
// codes, how many codes were wrong, and sign-ins that still need a code. Every method is one transaction and rejects like the methods in
// store.ts.
import type { SessionOrigin } from "./records.ts";

/** The second factor of an account's owner. */
export interface TwoFactor {
  /** The secret of the authenticator app, in base32. */
  readonly secret: string;
  /** When two-factor authentication was turned on; undefined if the owner has not confirmed the secret yet. */
  readonly onSinceMs: number | undefined;
  readonly recoveryCodesLeft: number;
}

/**
 * A code that was found to be correct: the time step of an authenticator's code, or the SHA-256 of a recovery code. Each may be used once:
 * the step must be later than that of the last code.
 */
export type UsedCode = { readonly step: number } | { readonly recoveryHash: string };

/** A session that begins with a code. */
export interface CompletedSession extends SessionOrigin {
  readonly tokenHash: string;
  readonly expiresAtMs: number;
}

/** A sign-in with the right password that still needs a code. */
export interface Challenge {
  /** The SHA-256 of its token, lower-case hex. */
  readonly tokenHash: string;
  readonly accountId: string;
  readonly passwordHash: string;
  readonly expiresAtMs: number;
}

export interface TwoFactorStore {
  /** The owner's second factor, whether confirmed or not; undefined if there is none. */
  findTwoFactor(accountId: string): Promise<TwoFactor | undefined>;
  /** Stores a secret that the owner has to confirm. False, with nothing changed, if two-factor authentication is on. */
  prepareTwoFactor(accountId: string, secret: string): Promise<boolean>;
  /**
   * Turns two-factor authentication on, with the secret that was prepared, and ends all links and all sessions but one. False, with nothing
   * changed, if it is already on, or another secret was prepared last. `step`: the time step of the code that confirms the secret.
   */
  turnOnTwoFactor(
    accountId: string,
    change: { secret: string; step: number; recoveryHashes: readonly string[]; currentTokenHash: string },
  ): Promise<boolean>;
  /** Uses a code, and replaces the recovery codes. Changes nothing and returns false if the code was used, or there is no second factor. */
  replaceRecoveryCodes(accountId: string, code: UsedCode, recoveryHashes: readonly string[]): Promise<boolean>;
  /** Uses a code, turns two-factor authentication off, and ends all links and all sessions but one. False as above. */
  turnOffTwoFactor(accountId: string, code: UsedCode, currentTokenHash: string): Promise<boolean>;
  /**
   * Turns two-factor authentication off without a code, removes all passkeys, and ends all links and all sessions. False if it is off and
   * there is no passkey.
   */
  removeTwoFactor(accountId: string): Promise<boolean>;

  /**
   * Counts an attempt to enter a code, before the code is checked: the attempt counts as wrong until a code is used. Returns 0 if the
   * attempt was counted, or else how many milliseconds the account has to wait.
   */
  takeCodeAttempt(accountId: string): Promise<number>;
  /** Uses a code. Changes nothing and returns false if the code was used, or there is no second factor. */
  useTwoFactorCode(accountId: string, code: UsedCode): Promise<boolean>;
  /** Stores a challenge. Keeps the newest 10 of an account. False if the stored password hash is a different one. */
  addChallenge(challenge: Challenge): Promise<boolean>;
  /** The account of the challenge whose token has this SHA-256; undefined if there is none or it has expired. */
  findChallenge(tokenHash: string): Promise<string | undefined>;
  /** Uses the challenge and the code, and begins the session. False, with nothing changed, if either was used or has ended. */
  completeChallenge(challengeHash: string, code: UsedCode, session: CompletedSession): Promise<boolean>;
}
