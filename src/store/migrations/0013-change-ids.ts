// Adds a random id to each change to accounts, keys and subscriptions, in addition to its number. A standby that takes over without the
// last changes uses their numbers again. The ids let a server that applied the lost changes tell that the new ones are different.
import { type Kysely, sql } from "kysely";
import { isPostgres } from "../repositories/dialect.ts";

const COLUMNS = [
  // The ids of the last change and of the one before it; empty if there was none, or if an older version wrote it.
  ["change_counter", "change_id", "text", ""],
  ["change_counter", "previous_id", "text", ""],
  ["changes", "change_id", "text", ""],
  ["changes", "previous_id", "text", ""],
  // How the node receives changes and announces its own.
  ["nodes", "protocol", "integer", 1],
] as const;

/** Adds the columns on PostgreSQL only, because the embedded database does not use these tables. */
export async function up(db: Kysely<never>): Promise<void> {
  if (!isPostgres(db)) {
    return;
  }
  await sql`delete from nodes`.execute(db);
  for (const [table, name, type, before] of COLUMNS) {
    await db.schema
      .alterTable(table)
      .addColumn(name, type, (column) => column.notNull().defaultTo(before))
      .execute();
    // Servers of older versions would write no ids, so they must not write at all.
    await db.schema
      .alterTable(table)
      .alterColumn(name, (column) => column.dropDefault())
      .execute();
  }
}
