// The owner of an account, how they sign in, and the members whom they invite.
import type { Account, SessionOrigin } from "./records.ts";

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

/** A session that has not ended, with the account that it is for. */
export interface FoundSession extends StoredSession {
  readonly account: Account;
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

/** What a member may do, from the least to the most. Each role includes the ones before it. */
export const MEMBER_ROLES = ["reader", "developer", "owner"] as const;

export type MemberRole = (typeof MEMBER_ROLES)[number];

/** The most members of an account, besides its primary owner. */
export const MEMBERS_MAX = 50;
/** The most accounts of other people that a person may use. */
export const MEMBERSHIPS_MAX = 100;
export const OPEN_INVITATIONS_MAX = 20;
/** The most invitations that an account may send in 24 hours. */
export const INVITATIONS_A_DAY_MAX = 30;

/** A person who may use an account. */
export interface Member {
  /** The id of the person's own account. */
  readonly id: string;
  readonly email: string | null;
  readonly role: MemberRole;
  /** Whether it is their own account. */
  readonly isPrimaryOwner: boolean;
  readonly joinedAtMs: number;
}

/** Another person's account that a person may use. */
export interface Membership {
  readonly accountId: string;
  readonly name: string;
  readonly email: string | null;
  readonly role: MemberRole;
  readonly joinedAtMs: number;
}

/** An invitation that has not been accepted yet. */
export interface Invitation {
  readonly id: string;
  /** In lower case. */
  readonly email: string;
  readonly role: MemberRole;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
}

export interface NewInvitation extends Omit<Invitation, "createdAtMs"> {
  readonly accountId: string;
  /** The SHA-256 of the link's token, lower-case hex. */
  readonly tokenHash: string;
  /** The id of the account of the owner who invites. */
  readonly invitedBy: string;
}

/** What an invitation's token leads to. */
export type FoundInvitation = Pick<NewInvitation, "id" | "accountId" | "email" | "role" | "invitedBy">;

/** An invitation, or how long the account has to wait before the next one. */
export type Invited = { readonly invitation: Invitation } | { readonly waitMs: number };
