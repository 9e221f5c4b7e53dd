// The tables of members and invitations.
import type { MemberRole } from "../member-records.ts";

/** Who may use an account besides the person whose own account it is. */
export interface MembersTable {
  readonly account_id: string;
  /** The person's own account. */
  readonly member_account_id: string;
  readonly role: MemberRole;
  readonly created_at_ms: number;
}

/** Invitations, including those that were accepted or withdrawn, because they count against the daily limit. */
export interface InvitationsTable {
  readonly id: string;
  readonly account_id: string;
  /** In lower case. Empty once the invitation has ended. */
  readonly email: string;
  readonly role: MemberRole;
  /** The SHA-256 of the link's token, lower-case hex. */
  readonly token_hash: string;
  /** The account of the owner who sent the invitation. */
  readonly invited_by: string;
  readonly created_at_ms: number;
  readonly expires_at_ms: number;
  /** When it was accepted or withdrawn; null while it is open. */
  readonly ended_at_ms: number | null;
}
