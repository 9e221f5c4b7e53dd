// The part of the store that sign-in with passkeys uses: the public keys of owners' authenticators, and challenges, each of which works
// once. Every method is one transaction and rejects like the methods in store.ts.
import type { SessionOrigin } from "./records.ts";

/** A passkey of an account's owner. */
export interface Passkey {
  /** A UUID. */
  readonly id: string;
  readonly accountId: string;
  /** The id that the authenticator gave it, in base64url. */
  readonly credentialId: string;
  /** A COSE key, in base64url. */
  readonly publicKey: string;
  /** How many signatures the authenticator says that it has made; 0 if it does not count. */
  readonly counter: number;
  /** How browsers reach the authenticator, such as `internal` or `usb`. */
  readonly transports: readonly string[];
  readonly name: string;
  readonly createdAtMs: number;
  readonly lastUsedAtMs: number | undefined;
}

export type NewPasskey = Omit<Passkey, "createdAtMs" | "lastUsedAtMs">;

/** A challenge that has not been signed yet. */
export interface PasskeyChallenge {
  /** The SHA-256 of the challenge, lower-case hex. */
  readonly challengeHash: string;
  /** The account that is adding a passkey; null for a sign-in. */
  readonly accountId: string | null;
  readonly expiresAtMs: number;
}

/** A session that begins with a passkey. */
export interface PasskeySession extends SessionOrigin {
  readonly tokenHash: string;
  readonly expiresAtMs: number;
}

export interface PasskeyStore {
  /** The account's passkeys, oldest first. There are never more than 10. */
  passkeysOf(accountId: string): Promise<readonly Passkey[]>;
  findPasskey(credentialId: string): Promise<Passkey | undefined>;
  /** Stores a passkey. StoreConflict if the account has 10, the credential is already registered, or there is no such owner. */
  addPasskey(passkey: NewPasskey): Promise<Passkey>;
  /** Renames a passkey. StoreConflict if the account has none with this id. */
  renamePasskey(accountId: string, id: string, name: string): Promise<Passkey>;
  /** Removes a passkey, and returns its name. StoreConflict if the account has none with this id. */
  removePasskey(accountId: string, id: string): Promise<string>;
  addPasskeyChallenge(challenge: PasskeyChallenge): Promise<void>;
  /** Consumes a challenge, which works once, and returns it. Undefined if there is no such challenge, or it has expired. */
  takePasskeyChallenge(challengeHash: string): Promise<Pick<PasskeyChallenge, "accountId"> | undefined>;
  /**
   * Begins a session of the passkey's owner, and stores the authenticator's new count. False, with nothing changed, if the passkey was
   * removed or used in the meantime.
   */
  beginPasskeySession(passkey: Passkey, counter: number, session: PasskeySession): Promise<boolean>;
}
