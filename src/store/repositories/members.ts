// The members of accounts. Each function runs in the given transaction. A function that changes members locks the account first, so that
// two changes at once take turns.
import type { Member, MemberRole, Membership } from "../member-records.ts";
import type { Queries } from "../schema.ts";
import { StoreConflict } from "../store-errors.ts";
import { lockAccount } from "./accounts.ts";
import { endInvitations, endInvitationsOf } from "./ended-invitations.ts";

export async function findMemberRole(db: Queries, accountId: string, memberId: string): Promise<MemberRole | undefined> {
  const row = await db
    .selectFrom("members")
    .select("role")
    .where("account_id", "=", accountId)
    .where("member_account_id", "=", memberId)
    .executeTakeFirst();
  return row?.role;
}

/** The primary owner, if the account has one, and the members in the order in which they joined. */
export async function listMembers(db: Queries, accountId: string): Promise<readonly Member[]> {
  const primary = await db
    .selectFrom("owners")
    .innerJoin("accounts", "accounts.id", "owners.account_id")
    .select(["accounts.id", "accounts.email", "accounts.created_at_ms"])
    .where("owners.account_id", "=", accountId)
    .executeTakeFirst();
  const rows = await db
    .selectFrom("members")
    .innerJoin("accounts", "accounts.id", "members.member_account_id")
    .select(["accounts.id", "accounts.email", "members.role", "members.created_at_ms"])
    .where("members.account_id", "=", accountId)
    .orderBy("members.created_at_ms")
    .orderBy("members.member_account_id")
    .execute();
  const members = rows.map(({ id, email, role, created_at_ms }) => ({
    ...{ id, email, role, isPrimaryOwner: false, joinedAtMs: created_at_ms },
  }));
  if (primary === undefined) {
    return members;
  }
  const { id, email, created_at_ms } = primary;
  return [{ id, email, role: "owner", isPrimaryOwner: true, joinedAtMs: created_at_ms }, ...members];
}

/**
 * The accounts of other people that a person may use, in the order in which the person joined them. With `accountId`, only that account.
 */
export async function listMemberships(db: Queries, memberId: string, accountId?: string): Promise<readonly Membership[]> {
  const rows = await db
    .selectFrom("members")
    .innerJoin("accounts", "accounts.id", "members.account_id")
    .select(["members.account_id", "accounts.name", "accounts.email", "members.role", "members.created_at_ms"])
    .where("members.member_account_id", "=", memberId)
    .$if(accountId !== undefined, (select) => select.where("members.account_id", "=", accountId as string))
    .orderBy("members.created_at_ms")
    .orderBy("members.account_id")
    .execute();
  return rows.map(({ account_id, name, email, role, created_at_ms }) => ({
    ...{ accountId: account_id, name, email, role, joinedAtMs: created_at_ms },
  }));
}

/**
 * Changes a member's role, and ends the invitations of a person who is no longer an owner. StoreConflict if they are the primary owner, or
 * not a member.
 */
export async function changeMemberRole(
  db: Queries,
  accountId: string,
  memberId: string,
  role: MemberRole,
  nowMs: number,
): Promise<Member> {
  requireNotPrimary(accountId, memberId, "always stays an owner");
  await lockAccount(db, accountId);
  await db
    .updateTable("members")
    .set({ role })
    .where("account_id", "=", accountId)
    .where("member_account_id", "=", memberId)
    .execute();
  const member = (await listMembers(db, accountId)).find(({ id }) => id === memberId);
  if (member === undefined) {
    throw notMember(memberId);
  }
  if (role !== "owner") {
    await endInvitationsOf(db, accountId, memberId, nowMs);
  }
  return member;
}

/** Removes a member, and ends their invitations. StoreConflict if they are the primary owner, or not a member. */
export async function removeMember(db: Queries, accountId: string, memberId: string, nowMs: number): Promise<void> {
  requireNotPrimary(accountId, memberId, "cannot leave it or be removed; they can delete the account");
  await lockAccount(db, accountId);
  const removed = await db
    .deleteFrom("members")
    .where("account_id", "=", accountId)
    .where("member_account_id", "=", memberId)
    .returning("role")
    .executeTakeFirst();
  if (removed === undefined) {
    throw notMember(memberId);
  }
  await endInvitationsOf(db, accountId, memberId, nowMs);
}

/** Removes all members of an account, except its primary owner, and ends its invitations. */
export async function removeAllMembers(db: Queries, accountId: string, nowMs: number): Promise<void> {
  await db.deleteFrom("members").where("account_id", "=", accountId).execute();
  await endInvitations(db, nowMs, (row) => row("account_id", "=", accountId));
}

/**
 * Deletes an account's members and invitations, and the memberships of the person whose own account it is. Ends the invitations that this
 * person has sent for other accounts, and those that were sent to their address.
 */
export async function deleteMembers(db: Queries, accountId: string, email: string | null, nowMs: number): Promise<void> {
  const joined = db.selectFrom("members").select("account_id").where("member_account_id", "=", accountId);
  await endInvitations(db, nowMs, (row) => row.and([row("account_id", "in", joined), row("invited_by", "=", accountId)]));
  await db.deleteFrom("members").where("account_id", "=", accountId).execute();
  await db.deleteFrom("members").where("member_account_id", "=", accountId).execute();
  await db.deleteFrom("invitations").where("account_id", "=", accountId).execute();
  if (email !== null) {
    await endInvitations(db, nowMs, (row) => row("email", "=", email.toLowerCase()));
  }
}

function requireNotPrimary(accountId: string, memberId: string, what: string): void {
  if (accountId === memberId) {
    throw new StoreConflict(`The primary owner, whose own account this is, ${what}.`);
  }
}

const notMember = (memberId: string): StoreConflict => new StoreConflict(`The account has no member with the ID ${memberId}.`);
