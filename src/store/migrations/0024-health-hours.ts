// What servers measure about services and their sources by hour, for the status page.
import type { Kysely } from "kysely";

const BUCKETS = 13;

/** Creates the table. Older versions measure nothing. */
export async function up(db: Kysely<never>): Promise<void> {
  const sums = ["calls", "failed", "refused", ...Array.from({ length: BUCKETS }, (_, index) => `took_${index}`)];
  const table = db.schema
    .createTable("health_hours")
    .addColumn("hour", "text", (column) => column.notNull())
    .addColumn("service", "text", (column) => column.notNull())
    // `calls`, or `source`.
    .addColumn("part", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("health_hours_key", ["hour", "service", "part"]);
  await sums.reduce((made, name) => made.addColumn(name, "bigint", (column) => column.notNull()), table).execute();
}
