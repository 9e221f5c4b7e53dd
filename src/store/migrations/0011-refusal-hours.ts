// Refused calls in the last few days by hour.
import type { Kysely } from "kysely";

export async function up(db: Kysely<never>): Promise<void> {
  // No foreign keys: rows are written in batches, and a row whose account was deleted must not fail the whole batch.
  await db.schema
    .createTable("refusal_hours")
    .addColumn("account_id", "text", (column) => column.notNull())
    .addColumn("key_id", "text", (column) => column.notNull())
    .addColumn("service", "text", (column) => column.notNull())
    .addColumn("hour", "text", (column) => column.notNull())
    .addColumn("reason", "text", (column) => column.notNull())
    .addColumn("calls", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("refusal_hours_key", ["account_id", "hour", "service", "reason", "key_id"])
    .execute();
  // Used to find expired rows.
  await db.schema.createIndex("refusal_hours_by_hour").on("refusal_hours").column("hour").execute();
}
