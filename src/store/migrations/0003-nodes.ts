// The servers that share the database, and the changes that they announce to each other. Only servers on PostgreSQL use these tables.
import type { Kysely } from "kysely";

export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable("nodes")
    .addColumn("id", "text", (column) => column.primaryKey())
    // The last change that the node has applied.
    .addColumn("change_number", "bigint", (column) => column.notNull())
    // Until this time, by the database's clock, the node may be serving.
    .addColumn("expires_at_ms", "bigint", (column) => column.notNull())
    .execute();
  // One row. A change locks it last, so that numbers follow the order of commits without gaps.
  await db.schema
    .createTable("change_counter")
    .addColumn("number", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("changes")
    .addColumn("number", "bigint", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull())
    .execute();
  await (db as unknown as Kysely<{ change_counter: { number: number } }>)
    .insertInto("change_counter")
    .values({ number: 0 })
    .execute();
}
