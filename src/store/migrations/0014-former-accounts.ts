// Deleted accounts whose monthly usage continues in the next account with the same e-mail address, and indexes that find expired rows.
import { type Kysely, sql } from "kysely";

/**
 * Creates the table and the indexes, and adds the column. Older versions do not keep the monthly usage of a deleted account, and do not
 * delete expired rows.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable("former_accounts")
    // A hash of the deleted account's e-mail address and of the month.
    .addColumn("email_hash", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
    .addColumn("month", "text", (column) => column.notNull())
    .execute();
  await db.schema
    .alterTable("month_leases")
    .addColumn("closed", "integer", (column) => column.notNull().defaultTo(0).check(sql`closed in (0, 1)`))
    .execute();
  await db.schema.createIndex("former_accounts_by_month").on("former_accounts").column("month").execute();
  await db.schema.createIndex("usage_counts_by_day").on("usage_counts").column("day").execute();
  await db.schema.createIndex("owner_sessions_by_expiry").on("owner_sessions").column("expires_at_ms").execute();
}
