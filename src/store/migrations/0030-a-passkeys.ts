// Passkeys: the public keys of owners' authenticators, and challenges that have not been signed yet.
import type { Kysely } from "kysely";

/** Creates the tables. Older servers, which do not know them, still let owners sign in with the password. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable("passkeys")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull().references("owners.account_id"))
    .addColumn("credential_id", "text", (column) => column.notNull().unique())
    .addColumn("public_key", "text", (column) => column.notNull())
    .addColumn("counter", "bigint", (column) => column.notNull())
    .addColumn("transports", "text", (column) => column.notNull())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("created_at_ms", "bigint", (column) => column.notNull())
    .addColumn("last_used_at_ms", "bigint")
    .execute();
  await db.schema.createIndex("passkeys_by_account").on("passkeys").column("account_id").execute();
  await db.schema
    .createTable("passkey_challenges")
    .addColumn("challenge_hash", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text")
    .addColumn("expires_at_ms", "bigint", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("passkey_challenges_by_account").on("passkey_challenges").column("account_id").execute();
  await db.schema.createIndex("passkey_challenges_by_expiry").on("passkey_challenges").column("expires_at_ms").execute();
}
