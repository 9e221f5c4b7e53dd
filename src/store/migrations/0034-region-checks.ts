// The number of the last check of each region's database against the home database.
import type { Kysely } from "kysely";

/** Creates the table. Only servers in regions use it. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable("region_checks")
    .addColumn("region_id", "text", (column) => column.primaryKey())
    .addColumn("name", "text", (column) => column.notNull())
    // The number of the last check. The region's database has counted at least as many, unless it was restored from a backup.
    .addColumn("number", "bigint", (column) => column.notNull())
    .addColumn("checked_at_ms", "bigint", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("region_checks_by_time").on("region_checks").column("checked_at_ms").execute();
}
