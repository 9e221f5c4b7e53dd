// The part of the store for the members of accounts. Every method is one transaction and rejects like those of store.ts.
import type { Invitation, Invited, Member, MemberRole, Membership, NewInvitation } from "./member-records.ts";

export interface MemberStore {
  /** The role of a person, given by the id of their own account, in another person's account. Undefined if they are not a member. */
  findMemberRole(accountId: string, memberId: string): Promise<MemberRole | undefined>;
  /** The primary owner, if the account has one, and the members in the order in which they joined. */
  listMembers(accountId: string): Promise<readonly Member[]>;
  /** Other people's accounts that a person may use, in the order in which they joined them. There are never more than 100. */
  listMemberships(memberId: string): Promise<readonly Membership[]>;
  /**
   * Changes a member's role. Withdraws their invitations if they are no longer an owner. StoreConflict if they are the primary owner, or
   * not a member.
   */
  changeMemberRole(accountId: string, memberId: string, role: MemberRole): Promise<Member>;
  /** Removes a member, and withdraws their invitations. StoreConflict in the same cases. */
  removeMember(accountId: string, memberId: string): Promise<void>;

  /**
   * Stores an invitation, and withdraws an open one to the same address. StoreConflict if the person is a member, the account has too many
   * members or pending invitations, or there is no such account.
   */
  inviteMember(invitation: NewInvitation): Promise<Invited>;
  /** The pending invitations, newest first. There are never more than 20. */
  listInvitations(accountId: string): Promise<readonly Invitation[]>;
  /** Withdraws an invitation. False if the account has no pending invitation with this id. */
  withdrawInvitation(accountId: string, id: string): Promise<boolean>;
  /**
   * Accepts the invitation whose token has this SHA-256, for the person whose own account is given. Undefined if there is none, or it is
   * not open. StoreConflict if it was sent to another address, the account or the person has too many memberships, or they are a member.
   */
  acceptInvitation(tokenHash: string, memberId: string): Promise<Membership | undefined>;
}
