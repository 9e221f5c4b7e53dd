// Two-factor authentication: the secrets of authenticator apps, recovery codes, and sign-ins that still need a code.
import type { Kysely } from "kysely";

/** Creates the tables. An older server, which does not know them, still begins a session with the password alone. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable("two_factors")
    .addColumn("account_id", "text", (column) => column.primaryKey().references("owners.account_id"))
    .addColumn("secret", "text", (column) => column.notNull())
    .addColumn("on_since_ms", "bigint")
    .addColumn("last_step", "bigint", (column) => column.notNull())
    .addColumn("failures", "integer", (column) => column.notNull())
    .addColumn("wait_until_ms", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("recovery_codes")
    .addColumn("account_id", "text", (column) => column.notNull().references("owners.account_id"))
    .addColumn("code_hash", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("recovery_codes_key", ["account_id", "code_hash"])
    .execute();
  await db.schema
    .createTable("sign_in_challenges")
    .addColumn("token_hash", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull().references("owners.account_id"))
    .addColumn("created_at_ms", "bigint", (column) => column.notNull())
    .addColumn("expires_at_ms", "bigint", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("sign_in_challenges_by_account").on("sign_in_challenges").column("account_id").execute();
  await db.schema.createIndex("sign_in_challenges_by_expiry").on("sign_in_challenges").column("expires_at_ms").execute();
}
