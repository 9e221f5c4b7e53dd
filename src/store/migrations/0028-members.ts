// Members of accounts, and invitations to become a member.
import type { Kysely } from "kysely";

/** Creates the tables. Older versions do not know members: on their servers, a session can only use its own account. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable("members")
    .addColumn("account_id", "text", (column) => column.notNull())
    .addColumn("member_account_id", "text", (column) => column.notNull())
    .addColumn("role", "text", (column) => column.notNull())
    .addColumn("created_at_ms", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("members_key", ["account_id", "member_account_id"])
    .execute();
  await db.schema.createIndex("members_by_member").on("members").column("member_account_id").execute();
  await db.schema
    .createTable("invitations")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull())
    .addColumn("email", "text", (column) => column.notNull())
    .addColumn("role", "text", (column) => column.notNull())
    .addColumn("token_hash", "text", (column) => column.notNull().unique())
    .addColumn("invited_by", "text", (column) => column.notNull())
    .addColumn("created_at_ms", "bigint", (column) => column.notNull())
    .addColumn("expires_at_ms", "bigint", (column) => column.notNull())
    .addColumn("ended_at_ms", "bigint")
    .execute();
  await db.schema.createIndex("invitations_by_account").on("invitations").columns(["account_id", "created_at_ms"]).execute();
  await db.schema.createIndex("invitations_by_email").on("invitations").column("email").execute();
  await db.schema.createIndex("invitations_by_end").on("invitations").column("expires_at_ms").execute();
}
