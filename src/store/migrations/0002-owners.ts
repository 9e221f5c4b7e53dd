// The owners of accounts, how they sign in, and their sessions. Also adds to the older tables what owners need for managing their accounts:
// a key's original lifetime, and an index for the list of an account's subscriptions.
import { type Kysely, sql } from "kysely";

/** Creates the tables. Column types are those that both SQLite and PostgreSQL accept; `bigint` holds Unix milliseconds. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.createIndex("accounts_by_email").on("accounts").expression(sql`lower(email)`).execute();
  await db.schema
    .createTable("owners")
    .addColumn("account_id", "text", (column) => column.primaryKey().references("accounts.id"))
    .addColumn("email", "text", (column) => column.notNull().unique())
    .addColumn("password_hash", "text", (column) => column.notNull())
    .addColumn("created_at_ms", "bigint", (column) => column.notNull())
    .addColumn("changed_at_ms", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("owner_sessions")
    .addColumn("token_hash", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull().references("owners.account_id"))
    .addColumn("begun_at_ms", "bigint", (column) => column.notNull())
    .addColumn("expires_at_ms", "bigint", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("owner_sessions_by_account").on("owner_sessions").column("account_id").execute();
  await addOwnerColumns(db);
}

async function addOwnerColumns(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable("api_keys").addColumn("lifetime_ms", "bigint").execute();
  // The original lifetime of a rotated key is no longer known. Its present lifetime is used instead.
  await sql`update api_keys set lifetime_ms = expires_at_ms - created_at_ms`.execute(db);
  await db.schema.createIndex("subscriptions_by_account").on("subscriptions").column("account_id").execute();
}
