// The tokens of links that are sent by mail, and when an address was verified.
import type { Kysely } from "kysely";

/** Creates the table and adds the column. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable("mail_tokens")
    .addColumn("token_hash", "text", (column) => column.primaryKey())
    .addColumn("purpose", "text", (column) => column.notNull())
    .addColumn("email", "text", (column) => column.notNull())
    // Null if the link creates the account. No foreign key: a link may outlive its account.
    .addColumn("account_id", "text")
    // The scrypt hash of the chosen password, if the link creates the account.
    .addColumn("password_hash", "text")
    .addColumn("created_at_ms", "bigint", (column) => column.notNull())
    .addColumn("expires_at_ms", "bigint", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("mail_tokens_by_email").on("mail_tokens").columns(["email", "purpose"]).execute();
  await db.schema.createIndex("mail_tokens_by_expiry").on("mail_tokens").column("expires_at_ms").execute();
  await db.schema.alterTable("accounts").addColumn("email_verified_at_ms", "bigint").execute();
}
