// The calls that `quota raise` and `restore` count as used because the database has lost its counts. Stored so that they
// count for a subscription that begins later in the month too.
import { type Kysely, sql } from "kysely";

/** Creates the table and adds the column. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable("quota_raises")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("month", "text", (column) => column.notNull())
    .addColumn("seconds", "bigint", (column) => column.notNull())
    .addColumn("percent", "bigint", (column) => column.notNull())
    .addColumn("made_at_ms", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .alterTable("month_leases")
    .addColumn("raised", "bigint", (column) => column.notNull().defaultTo(sql`0`))
    .execute();
}
