// Ends pending invitations. An ended invitation is kept, without its address, until it would have expired, because it counts against the
// daily limit. Each function runs in the given transaction.
import type { Expression, ExpressionBuilder, SqlBool } from "kysely";
import type { MemberRole } from "../member-records.ts";
import type { Queries, Tables } from "../schema.ts";

type Which = (row: ExpressionBuilder<Tables, "invitations">) => Expression<SqlBool>;

/** Ends the pending invitations that `which` selects, and returns their roles. */
export function endInvitations(db: Queries, nowMs: number, which: Which): Promise<{ readonly role: MemberRole }[]> {
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
export async function endInvitationsOf(db: Queries, accountId: string, invitedBy: string, nowMs: number): Promise<void> {
  await endInvitations(db, nowMs, (row) => row.and([row("account_id", "=", accountId), row("invited_by", "=", invitedBy)]));
}
