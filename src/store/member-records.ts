// The records of an account's members that the store keeps and returns.

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

/** An invitation, or how long the account has to wait before the next one. */
export type Invited = { readonly invitation: Invitation } | { readonly waitMs: number };
