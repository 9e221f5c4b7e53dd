// Frequent entries of the audit trail: sign-ins, and changes to keys that work for an hour at most.
import { type Kysely, sql } from "kysely";

/** Adds the column, and an index of only these entries. Older versions do not record sign-ins or mark entries. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .alterTable("audit_entries")
    .addColumn("is_routine", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
  await sql`create index audit_entries_routine on audit_entries (account_id, number) where is_routine = 1`.execute(db);
}
