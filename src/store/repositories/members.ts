// The members of accounts, and invitations. Each function runs in the given transaction, and locks the account before it changes members,
// so that two changes at once take turns. Only the SHA-256 of an invitation's token is stored, and each link works once. An invitation that
// was accepted or withdrawn is kept, without its address, until it would have expired, because it counts against the daily limit.
import type { Expression, ExpressionBuilder, Selectable, SqlBool } from "kysely";
import {
  type FoundInvitation,
  INVITATIONS_A_DAY_MAX,
  type Invitation,
  type Invited,
  MEMBERS_MAX,
  MEMBERSHIPS_MAX,
  type Member,
  type MemberRole,
  type Membership,
  type NewInvitation,
  OPEN_INVITATIONS_MAX,
} from "../owner-records.ts";
import type { Queries, Tables } from "../schema.ts";
import { StoreConflict } from "../store-errors.ts";
import { auditedAt, changingAt, read, readAt, type Transactions } from "../transactions.ts";
import { lockAccount } from "./accounts.ts";
import type { DatedTable } from "./expired-counts.ts";

/** The role of a person, given by the id of their own account, in another person's account. Undefined if they are not a member. */
async function findMemberRole(db: Queries, accountId: string, memberId: string): Promise<MemberRole | undefined> {
  const row = await db
    .selectFrom("members")
    .select("role")
    .where("account_id", "=", accountId)
    .where("member_account_id", "=", memberId)
    .executeTakeFirst();
  return row?.role;
}

/** The primary owner, if the account has one, and the members in the order in which they joined. */
async function listMembers(db: Queries, accountId: string): Promise<readonly Member[]> {
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
async function listMemberships(db: Queries, memberId: string, accountId?: string): Promise<readonly Membership[]> {
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
async function changeMemberRole(
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
async function removeMember(db: Queries, accountId: string, memberId: string, nowMs: number): Promise<void> {
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

const DAY_MS = 86_400_000;

/** The table, for deleting expired rows. */
export const INVITATIONS: DatedTable = { table: "invitations", key: ["id"], time: "expires_at_ms" };

type Row = Selectable<Tables["invitations"]>;

const toInvitation = ({ id, email, role, created_at_ms, expires_at_ms }: Row): Invitation => ({
  ...{ id, email, role, createdAtMs: created_at_ms, expiresAtMs: expires_at_ms },
});

const openInvitations = (db: Queries, accountId: string, nowMs: number) =>
  db
    .selectFrom("invitations")
    .selectAll()
    .where("account_id", "=", accountId)
    .where("ended_at_ms", "is", null)
    .where("expires_at_ms", ">", nowMs);

/** The pending invitations, newest first. There are never more than 20. */
async function listInvitations(db: Queries, accountId: string, nowMs: number): Promise<readonly Invitation[]> {
  const rows = await openInvitations(db, accountId, nowMs).orderBy("created_at_ms", "desc").orderBy("id").execute();
  return rows.map(toInvitation);
}

/**
 * Stores an invitation, and withdraws an open one to the same address. StoreConflict if the person is a member, the account has too many
 * members or pending invitations, or there is no such account.
 */
async function inviteMember(db: Queries, invitation: NewInvitation, nowMs: number): Promise<Invited> {
  const { id, accountId, email, role, tokenHash, invitedBy, expiresAtMs } = invitation;
  await lockAccount(db, accountId);
  const account = await db.selectFrom("accounts").select("email").where("id", "=", accountId).executeTakeFirst();
  const members = await listMembers(db, accountId);
  if ([account, ...members].some((person) => person?.email?.toLowerCase() === email)) {
    throw new StoreConflict("A person with this address is already a member.");
  }
  requireRoom(members.filter(({ isPrimaryOwner }) => !isPrimaryOwner).length);
  const sent = await db
    .selectFrom("invitations")
    .select("created_at_ms")
    .where("account_id", "=", accountId)
    .where("created_at_ms", ">", nowMs - DAY_MS)
    .orderBy("created_at_ms")
    .execute();
  const [first] = sent;
  if (first !== undefined && sent.length >= INVITATIONS_A_DAY_MAX) {
    return { waitMs: first.created_at_ms + DAY_MS - nowMs };
  }
  await endInvitations(db, nowMs, (row) => row.and([row("account_id", "=", accountId), row("email", "=", email)]));
  if ((await listInvitations(db, accountId, nowMs)).length >= OPEN_INVITATIONS_MAX) {
    throw new StoreConflict(
      `The account has ${OPEN_INVITATIONS_MAX} pending invitations, which is the maximum. Withdraw one first.`,
    );
  }
  const row = await db
    .insertInto("invitations")
    .values({
      ...{ id, account_id: accountId, email, role, token_hash: tokenHash, invited_by: invitedBy },
      ...{ created_at_ms: nowMs, expires_at_ms: expiresAtMs, ended_at_ms: null },
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return { invitation: toInvitation(row) };
}

/** Ends a pending invitation. Undefined if the account has none with this id. */
async function withdrawInvitation(
  db: Queries,
  accountId: string,
  id: string,
  nowMs: number,
): Promise<{ readonly role: string } | undefined> {
  const [ended] = await endInvitations(db, nowMs, (row) => row.and([row("account_id", "=", accountId), row("id", "=", id)]));
  return ended;
}

/** The open invitation whose token has this SHA-256. */
export async function findInvitation(db: Queries, tokenHash: string, nowMs: number): Promise<FoundInvitation | undefined> {
  const row = await db
    .selectFrom("invitations")
    .select(["id", "account_id", "email", "role", "invited_by"])
    .where("token_hash", "=", tokenHash)
    .where("ended_at_ms", "is", null)
    .where("expires_at_ms", ">", nowMs)
    .executeTakeFirst();
  return row && { id: row.id, accountId: row.account_id, email: row.email, role: row.role, invitedBy: row.invited_by };
}

/**
 * Accepts the invitation whose token has this SHA-256, for the person whose own account is given. Undefined if there is none, or it is
 * not open. StoreConflict if it was sent to another address, the account or the person has too many memberships, or they are a member.
 */
async function acceptInvitation(db: Queries, tokenHash: string, memberId: string, nowMs: number): Promise<Membership | undefined> {
  const found = await findInvitation(db, tokenHash, nowMs);
  if (found === undefined) {
    return undefined;
  }
  const { accountId } = found;
  // Every transaction locks accounts in this order, so that two people who accept each other's invitations cannot deadlock.
  for (const id of [accountId, memberId].toSorted()) {
    await lockAccount(db, id);
  }
  const person = await db.selectFrom("accounts").select("email").where("id", "=", memberId).executeTakeFirst();
  if (person?.email?.toLowerCase() !== found.email) {
    throw new StoreConflict("The invitation was sent to another address. Sign in with the address that it was sent to.");
  }
  const [ended] = await endInvitations(db, nowMs, (row) => row("id", "=", found.id));
  if (ended === undefined) {
    return undefined;
  }
  const others = (await listMembers(db, accountId)).filter(({ isPrimaryOwner }) => !isPrimaryOwner);
  if (accountId === memberId || others.some(({ id }) => id === memberId)) {
    throw new StoreConflict("You are already a member of this account.");
  }
  requireRoom(others.length);
  if ((await listMemberships(db, memberId)).length >= MEMBERSHIPS_MAX) {
    throw new StoreConflict(`You are a member of ${MEMBERSHIPS_MAX} accounts, which is the maximum. Leave one first.`);
  }
  await db
    .insertInto("members")
    .values({ account_id: accountId, member_account_id: memberId, role: ended.role, created_at_ms: nowMs })
    .execute();
  const [membership] = await listMemberships(db, memberId, accountId);
  return membership;
}

function requireRoom(members: number): void {
  if (members >= MEMBERS_MAX) {
    throw new StoreConflict(`The account has ${MEMBERS_MAX} members, which is the maximum. Remove one first.`);
  }
}

type Which = (row: ExpressionBuilder<Tables, "invitations">) => Expression<SqlBool>;

/** Ends the pending invitations that `which` selects, and returns their roles. */
function endInvitations(db: Queries, nowMs: number, which: Which): Promise<{ readonly role: MemberRole }[]> {
  return db
    .updateTable("invitations")
    .set({ ended_at_ms: nowMs, email: "" })
    .where("ended_at_ms", "is", null)
    .where("expires_at_ms", ">", nowMs)
    .where(which)
    .returning("role")
    .execute();
}

/** Ends the pending invitations that a person has sent for an account. */
async function endInvitationsOf(db: Queries, accountId: string, invitedBy: string, nowMs: number): Promise<void> {
  await endInvitations(db, nowMs, (row) => row.and([row("account_id", "=", accountId), row("invited_by", "=", invitedBy)]));
}

/** The store's methods for the members of accounts. A change that ends or reduces access is announced, so that open streams are checked. */
export const memberMethods = {
  findMemberRole: read(findMemberRole),
  listMembers: read(listMembers),
  listMemberships: read((db: Queries, memberId: string) => listMemberships(db, memberId)),
  changeMemberRole: changingAt(changeMemberRole, (_, accountId, memberId, role) => ({
    ...{ action: "member.change_role", accountId, subject: memberId },
    details: { role },
  })),
  removeMember: (transactions: Transactions) => (accountId: string, memberId: string) =>
    transactions.change(
      (db) => removeMember(db, accountId, memberId, transactions.nowMs),
      () => ({
        ...{ action: transactions.actor.name === memberId ? "member.leave" : "member.remove", accountId, subject: memberId },
      }),
    ),
  inviteMember: auditedAt(inviteMember, (invited, { accountId, id, role }) =>
    "invitation" in invited ? { action: "member.invite", accountId, subject: id, details: { role } } : undefined,
  ),
  listInvitations: readAt(listInvitations),
  findInvitation: readAt(findInvitation),
  /** Withdraws an invitation. False if the account has no pending invitation with this id. */
  withdrawInvitation: (transactions: Transactions) => async (accountId: string, id: string) => {
    const withdrawn = await transactions.writeAudited(
      (db) => withdrawInvitation(db, accountId, id, transactions.nowMs),
      (ended) => ended && { action: "member.withdraw_invitation", accountId, subject: id, details: { role: ended.role } },
    );
    return withdrawn !== undefined;
  },
  acceptInvitation: auditedAt(
    acceptInvitation,
    (joined, _, memberId) =>
      joined && { action: "member.join", accountId: joined.accountId, subject: memberId, details: { role: joined.role } },
  ),
};
