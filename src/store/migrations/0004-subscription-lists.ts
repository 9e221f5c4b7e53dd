// Indexes for lists of subscriptions, and a column that says which migrations older versions can work with.
import type { Kysely } from "kysely";

/** Creates the indexes and adds the column. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.createIndex("month_leases_by_month").on("month_leases").column("month").execute();
  // 1 if a version that does not know the migration can still use the database.
  await db.schema
    .alterTable("quintet_migrations")
    .addColumn("additive", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
}
