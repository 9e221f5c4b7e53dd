// Drops the tables of databases in regions, which servers no longer use.
import type { Kysely } from "kysely";

/** Drops the tables. What regions held stays leased until the month ends. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.dropTable("region_leases").execute();
  await db.schema.dropTable("region_checks").execute();
}
