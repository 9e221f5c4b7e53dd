// How long customers' calls took, by hour for a week and by day for a year.
import type { Kysely } from "kysely";

const BUCKETS = 19;

/** Creates the tables. Older versions measure nothing. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const [name, time] of [
    ["latency_hours", "hour"],
    ["latency_days", "day"],
  ] as const) {
    const table = db.schema
      .createTable(name)
      .addColumn("account_id", "text", (column) => column.notNull())
      .addColumn(time, "text", (column) => column.notNull())
      .addColumn("service", "text", (column) => column.notNull())
      .addPrimaryKeyConstraint(`${name}_key`, ["account_id", time, "service"] as never);
    const buckets = Array.from({ length: BUCKETS }, (_, index) => `took_${index}`);
    await buckets.reduce((made, bucket) => made.addColumn(bucket, "bigint", (column) => column.notNull()), table).execute();
    await db.schema.createIndex(`${name}_by_${time}`).on(name).column(time).execute();
  }
}
