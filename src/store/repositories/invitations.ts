// Invitations to become a member of an account. Only the SHA-256 of a link's token is stored, and each link works once. An invitation that
// was accepted or withdrawn is kept, without its address, until it would have expired, because it counts against the daily limit. Each
// function runs in the given transaction.
import type { Selectable } from "kysely";
import {
  INVITATIONS_A_DAY_MAX,
  type Invitation,
  type Invited,
  MEMBERS_MAX,
  MEMBERSHIPS_MAX,
  type Membership,
  type NewInvitation,
  OPEN_INVITATIONS_MAX,
} from "../member-records.ts";
import type { Queries, Tables } from "../schema.ts";
import { StoreConflict } from "../store-errors.ts";
import { lockAccount } from "./accounts.ts";
import { endInvitations } from "./ended-invitations.ts";
import type { DatedTable } from "./expired-counts.ts";
import { listMembers, listMemberships } from "./members.ts";

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

/** The pending invitations, newest first. */
export async function listInvitations(db: Queries, accountId: string, nowMs: number): Promise<readonly Invitation[]> {
  const rows = await openInvitations(db, accountId, nowMs).orderBy("created_at_ms", "desc").orderBy("id").execute();
  return rows.map(toInvitation);
}

/** Stores an invitation, and ends an open one to the same address. Stores nothing if the account has sent too many within a day. */
export async function inviteMember(db: Queries, invitation: NewInvitation, nowMs: number): Promise<Invited> {
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
export async function withdrawInvitation(
  db: Queries,
  accountId: string,
  id: string,
  nowMs: number,
): Promise<{ readonly role: string } | undefined> {
  const [ended] = await endInvitations(db, nowMs, (row) => row.and([row("account_id", "=", accountId), row("id", "=", id)]));
  return ended;
}

/** Accepts an invitation for the person whose own account is given. Undefined if the token is not that of a pending invitation. */
export async function acceptInvitation(
  db: Queries,
  tokenHash: string,
  memberId: string,
  nowMs: number,
): Promise<Membership | undefined> {
  const found = await db
    .selectFrom("invitations")
    .select(["id", "account_id", "email"])
    .where("token_hash", "=", tokenHash)
    .where("ended_at_ms", "is", null)
    .where("expires_at_ms", ">", nowMs)
    .executeTakeFirst();
  if (found === undefined) {
    return undefined;
  }
  const accountId = found.account_id;
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
