// When each key was last used.
import type { Kysely } from "kysely";

export async function up(db: Kysely<never>): Promise<void> {
  // No foreign keys: rows are written in batches, and a row whose key was deleted must not fail the whole batch.
  await db.schema
    .createTable("key_uses")
    .addColumn("key_id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull())
    .addColumn("last_used_at_ms", "bigint", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("key_uses_by_account").on("key_uses").column("account_id").execute();
}
