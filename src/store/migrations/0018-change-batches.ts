// Numbers changes to accounts, keys and subscriptions in batches, so that many changes at about the same time wake each server once. A
// change adds a row to `pending_changes` in its own transaction, and does not wait for any other change. The process that announces the
// change then moves all rows into one numbered batch.
import { type Kysely, sql } from "kysely";
import { isPostgres } from "../repositories/dialect.ts";

/** Changes the tables on PostgreSQL. The embedded database does not use them. */
export async function up(db: Kysely<never>): Promise<void> {
  if (!isPostgres(db)) {
    return;
  }
  await sql`delete from nodes`.execute(db);
  await sql`delete from changes`.execute(db);
  await db.schema.alterTable("changes").dropColumn("account_id").execute();
  await db.schema
    .alterTable("changes")
    .addColumn("account_ids", sql`text[]`, (column) => column.notNull())
    .execute();
  // When the last batch was announced, how many nodes may be serving, and when they were last counted; by the database's clock.
  await db.schema
    .alterTable("change_counter")
    .addColumn("announced_at_ms", "bigint", (column) => column.notNull().defaultTo(0))
    .addColumn("alive_nodes", "integer", (column) => column.notNull().defaultTo(0))
    .addColumn("counted_at_ms", "bigint", (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createTable("pending_changes")
    .addColumn("id", "bigint", (column) => column.primaryKey().generatedAlwaysAsIdentity())
    .addColumn("account_id", "text", (column) => column.notNull())
    .execute();
  // Each server updates its row several times a second, and most pending changes live for a few milliseconds. These settings keep space
  // free in each page, so that an update touches no index, and remove dead rows soon.
  await sql`alter table nodes set (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)`.execute(
    db,
  );
  await sql`alter table pending_changes set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)`.execute(db);
}
