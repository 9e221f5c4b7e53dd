// The calls that the home database has granted to the databases of regions, which lease them to their servers.
import type { Kysely } from "kysely";

/** Creates the table. Only servers in regions use it. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable("region_leases")
    .addColumn("region_id", "text", (column) => column.notNull())
    .addColumn("subject", "text", (column) => column.notNull())
    .addColumn("month", "text", (column) => column.notNull())
    .addColumn("granted", "bigint", (column) => column.notNull())
    .addColumn("returned", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("region_leases_key", ["region_id", "subject", "month"] as never)
    .execute();
  // For deleting the rows of an account's keys along with the account.
  await db.schema.createIndex("region_leases_by_subject").on("region_leases").column("subject").execute();
  await db.schema.createIndex("region_leases_by_month").on("region_leases").column("month").execute();
}
