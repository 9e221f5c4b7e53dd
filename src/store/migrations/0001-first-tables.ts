// The first tables: accounts, their keys and subscriptions, the leases of each month and the usage history.
import { type Kysely, sql } from "kysely";

/** Creates the tables. Column types are those that both SQLite and PostgreSQL accept; `bigint` holds Unix milliseconds and counts. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable("accounts")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("name", "text", (column) => column.notNull().unique())
    .addColumn("email", "text")
    .addColumn("suspended", "integer", (column) => column.notNull().check(sql`suspended in (0, 1)`))
    .addColumn("created_at_ms", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("api_keys")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("hash", "text", (column) => column.notNull().unique())
    .addColumn("prefix", "text", (column) => column.notNull())
    .addColumn("last_four", "text", (column) => column.notNull())
    .addColumn("services", "text")
    .addColumn("created_at_ms", "bigint", (column) => column.notNull())
    .addColumn("expires_at_ms", "bigint")
    .addColumn("disabled", "integer", (column) => column.notNull().check(sql`disabled in (0, 1)`))
    .addColumn("revoked_at_ms", "bigint")
    .execute();
  await db.schema.createIndex("api_keys_by_account").on("api_keys").column("account_id").execute();
  await db.schema
    .createTable("subscriptions")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
    .addColumn("service", "text", (column) => column.notNull())
    .addColumn("plan", "text", (column) => column.notNull())
    .addColumn("requested_plan", "text")
    .addColumn("state", "text", (column) => column.notNull().check(sql`state in ('requested', 'active', 'cancelled')`))
    .addColumn("created_at_ms", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex("subscriptions_one_in_force")
    .unique()
    .on("subscriptions")
    .columns(["account_id", "service"])
    .where(sql<boolean>`state <> 'cancelled'`)
    .execute();
  await createCounters(db);
}

async function createCounters(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable("month_leases")
    .addColumn("account_id", "text", (column) => column.notNull().references("accounts.id"))
    .addColumn("service", "text", (column) => column.notNull())
    .addColumn("month", "text", (column) => column.notNull())
    .addColumn("leased", "bigint", (column) => column.notNull().check(sql`leased >= 0`))
    .addPrimaryKeyConstraint("month_leases_key", ["account_id", "service", "month"])
    .execute();
  // No foreign keys: history is written in batches, and a row whose account was deleted must not fail the whole batch.
  await db.schema
    .createTable("usage_counts")
    .addColumn("account_id", "text", (column) => column.notNull())
    .addColumn("key_id", "text", (column) => column.notNull())
    .addColumn("service", "text", (column) => column.notNull())
    .addColumn("method", "text", (column) => column.notNull())
    .addColumn("day", "text", (column) => column.notNull())
    .addColumn("outcome", "text", (column) => column.notNull())
    .addColumn("calls", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("usage_counts_key", ["account_id", "day", "service", "method", "key_id", "outcome"])
    .execute();
}
