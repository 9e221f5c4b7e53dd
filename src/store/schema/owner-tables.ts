// The tables of owners: how they sign in, and the links that are mailed to them.
import type { Generated } from "kysely";
import type { MailPurpose } from "../owner-records.ts";

/** The owner of an account, who signs in to it. */
export interface OwnersTable {
  readonly account_id: string;
  /** In lower case. */
  readonly email: string;
  /** The scrypt hash, with its salt and its cost. */
  readonly password_hash: string;
  readonly created_at_ms: number;
  /** When the password was set. */
  readonly changed_at_ms: number;
}

export interface OwnerSessionsTable {
  /** The SHA-256 of the token, lower-case hex. */
  readonly token_hash: string;
  readonly account_id: string;
  readonly begun_at_ms: number;
  readonly expires_at_ms: number;
  /** Null if it was not used after it started. */
  readonly last_used_at_ms: Generated<number | null>;
  /** Where it started, and in which program; null if unknown. */
  readonly address: Generated<string | null>;
  readonly user_agent: Generated<string | null>;
}

/** Mailed links. The column `password_hash` is no longer used: servers of an older version, which write it, may still run. */
export interface MailTokensTable {
  /** The SHA-256 of the token, lower-case hex. */
  readonly token_hash: string;
  readonly purpose: MailPurpose;
  /** In lower case. */
  readonly email: string;
  readonly account_id: string | null;
  readonly created_at_ms: number;
  readonly expires_at_ms: number;
}

/** The second factor of an owner. */
export interface TwoFactorsTable {
  readonly account_id: string;
  /** The secret of the authenticator app, in base32. */
  readonly secret: string;
  /** Null until the owner has confirmed the secret. */
  readonly on_since_ms: number | null;
  /** The time step of the last code that was used. Only codes of later steps count. */
  readonly last_step: number;
  /** Wrong codes since the last right one. */
  readonly failures: number;
  /** No code is checked before this time. */
  readonly wait_until_ms: number;
}

export interface RecoveryCodesTable {
  readonly account_id: string;
  /** The SHA-256 of the code, lower-case hex. */
  readonly code_hash: string;
}

/** Sign-ins that still need a code. */
export interface SignInChallengesTable {
  /** The SHA-256 of the token, lower-case hex. */
  readonly token_hash: string;
  readonly account_id: string;
  readonly created_at_ms: number;
  readonly expires_at_ms: number;
}

/** Public keys of owners' authenticators. */
export interface PasskeysTable {
  /** A UUID. */
  readonly id: string;
  readonly account_id: string;
  /** The id that the authenticator gave it, in base64url. */
  readonly credential_id: string;
  /** A COSE key, in base64url. */
  readonly public_key: string;
  /** How many signatures the authenticator says that it has made; 0 if it does not count. */
  readonly counter: number;
  /** A JSON array. */
  readonly transports: string;
  readonly name: string;
  readonly created_at_ms: number;
  readonly last_used_at_ms: number | null;
}

/** Challenges that an authenticator has not signed yet. */
export interface PasskeyChallengesTable {
  /** The SHA-256 of the challenge, lower-case hex. */
  readonly challenge_hash: string;
  /** The account that is adding a passkey; null for a sign-in. */
  readonly account_id: string | null;
  readonly expires_at_ms: number;
}
