// Who owns an account: how they sign in, and the sessions in which they have. The library for passwords and sessions writes these rows,
// times as ISO 8601 text among them; the columns are those that it uses. With them comes what the older tables lack for owners who
// look after their accounts: how long a life a key was given, and an index for the list of an account's subscriptions.
import { type Kysely, sql } from "kysely";

/** Makes the tables. An owner has the id of the account. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable("owners")
    .addColumn("id", "text", (column) => column.primaryKey().references("accounts.id"))
    .addColumn("email", "text", (column) => column.notNull().unique())
    .addColumn("email_verified", "integer", (column) => column.notNull().check(sql`email_verified in (0, 1)`))
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("image", "text")
    .addColumn("created_at", "text", (column) => column.notNull())
    .addColumn("updated_at", "text", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("owner_credentials")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("owner_id", "text", (column) => column.notNull().references("owners.id"))
    .addColumn("provider_id", "text", (column) => column.notNull())
    .addColumn("provider_account_id", "text", (column) => column.notNull())
    .addColumn("password", "text")
    .addColumn("created_at", "text", (column) => column.notNull())
    .addColumn("updated_at", "text", (column) => column.notNull())
    .addUniqueConstraint("owner_credentials_one_a_provider", ["owner_id", "provider_id"])
    .execute();
  await db.schema
    .createTable("owner_sessions")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("owner_id", "text", (column) => column.notNull().references("owners.id"))
    .addColumn("token_hash", "text", (column) => column.notNull().unique())
    .addColumn("expires_at", "text", (column) => column.notNull())
    .addColumn("ip_address", "text")
    .addColumn("user_agent", "text")
    .addColumn("created_at", "text", (column) => column.notNull())
    .addColumn("updated_at", "text", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("owner_sessions_by_owner").on("owner_sessions").column("owner_id").execute();
  await completeFirstTables(db);
}

async function completeFirstTables(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable("api_keys").addColumn("lifetime_ms", "bigint").execute();
  // What a key that has been rotated was given is not known any more; what it was left with is taken for it.
  await sql`update api_keys set lifetime_ms = expires_at_ms - created_at_ms`.execute(db);
  await db.schema.createIndex("subscriptions_by_account").on("subscriptions").column("account_id").execute();
}
