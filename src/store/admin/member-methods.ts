// The store's methods for the members of accounts. A change that ends or reduces access is announced, so that open streams are checked.
import type { MemberStore } from "../member-store.ts";
import * as invitations from "../repositories/invitations.ts";
import * as members from "../repositories/members.ts";
import type { AuditedChanges } from "./audited-changes.ts";

export function memberMethods({ nowMs, actor, read, writeAudited, change }: AuditedChanges) {
  return {
    findMemberRole: (accountId, memberId) => read((db) => members.findMemberRole(db, accountId, memberId)),
    listMembers: (accountId) => read((db) => members.listMembers(db, accountId)),
    listMemberships: (memberId) => read((db) => members.listMemberships(db, memberId)),
    changeMemberRole: (accountId, memberId, role) =>
      change(
        (db) => members.changeMemberRole(db, accountId, memberId, role, nowMs()),
        () => ({ action: "member.change_role", accountId, subject: memberId, details: { role } }),
      ),
    removeMember: (accountId, memberId) =>
      change(
        (db) => members.removeMember(db, accountId, memberId, nowMs()),
        () => ({ action: actor.name === memberId ? "member.leave" : "member.remove", accountId, subject: memberId }),
      ),
    inviteMember: (invitation) =>
      writeAudited(
        (db) => invitations.inviteMember(db, invitation, nowMs()),
        (invited) =>
          "invitation" in invited
            ? {
                ...{ action: "member.invite", accountId: invitation.accountId, subject: invitation.id },
                details: { role: invitation.role },
              }
            : undefined,
      ),
    listInvitations: (accountId) => read((db) => invitations.listInvitations(db, accountId, nowMs())),
    async withdrawInvitation(accountId, id) {
      const withdrawn = await writeAudited(
        (db) => invitations.withdrawInvitation(db, accountId, id, nowMs()),
        (ended) => ended && { action: "member.withdraw_invitation", accountId, subject: id, details: { role: ended.role } },
      );
      return withdrawn !== undefined;
    },
    acceptInvitation: (tokenHash, memberId) =>
      writeAudited(
        (db) => invitations.acceptInvitation(db, tokenHash, memberId, nowMs()),
        (joined) =>
          joined && { action: "member.join", accountId: joined.accountId, subject: memberId, details: { role: joined.role } },
      ),
  } satisfies MemberStore;
}
