// Calls in the last few days by hour, and refused calls by reason.
import type { Kysely } from "kysely";

export async function up(db: Kysely<never>): Promise<void> {
  // No foreign keys: rows are written in batches, and a row whose account was deleted must not fail the whole batch.
  await db.schema
    .createTable("usage_hours")
    .addColumn("account_id", "text", (column) => column.notNull())
    .addColumn("key_id", "text", (column) => column.notNull())
    .addColumn("service", "text", (column) => column.notNull())
    .addColumn("method", "text", (column) => column.notNull())
    .addColumn("hour", "text", (column) => column.notNull())
    .addColumn("outcome", "text", (column) => column.notNull())
    .addColumn("calls", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("usage_hours_key", ["account_id", "hour", "service", "method", "key_id", "outcome"])
    .execute();
  // Used to find expired rows.
  await db.schema.createIndex("usage_hours_by_hour").on("usage_hours").column("hour").execute();
  await db.schema
    .createTable("refusal_counts")
    .addColumn("account_id", "text", (column) => column.notNull())
    .addColumn("key_id", "text", (column) => column.notNull())
    .addColumn("service", "text", (column) => column.notNull())
    .addColumn("day", "text", (column) => column.notNull())
    .addColumn("reason", "text", (column) => column.notNull())
    .addColumn("calls", "bigint", (column) => column.notNull())
    .addColumn("rate_needed", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("refusal_counts_key", ["account_id", "day", "service", "reason", "key_id"])
    .execute();
  await db.schema.createIndex("refusal_counts_by_day").on("refusal_counts").column("day").execute();
}
