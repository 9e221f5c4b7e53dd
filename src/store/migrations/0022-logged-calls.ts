// The log of calls: single calls in the last few days, and which accounts also keep the parameters of their calls.
import { type Kysely, sql } from "kysely";
import { isPostgres } from "../repositories/dialect.ts";

/** Creates the tables. Older versions log no calls. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable("logged_calls")
    .addColumn("account_id", "text", (column) => column.notNull())
    .addColumn("started_at_ms", "bigint", (column) => column.notNull())
    .addColumn("id", "text", (column) => column.notNull())
    .addColumn("service", "text", (column) => column.notNull())
    .addColumn("method", "text", (column) => column.notNull())
    .addColumn("protocol", "text", (column) => column.notNull())
    .addColumn("http_status", "integer", (column) => column.notNull())
    .addColumn("outcome", "text", (column) => column.notNull())
    .addColumn("refused", "integer", (column) => column.notNull())
    .addColumn("dry_run", "integer", (column) => column.notNull())
    .addColumn("duration_us", "bigint", (column) => column.notNull())
    .addColumn("request_bytes", "bigint", (column) => column.notNull())
    .addColumn("response_bytes", "bigint", (column) => column.notNull())
    .addColumn("request_id", "text", (column) => column.notNull())
    .addColumn("key_id", "text", (column) => column.notNull())
    .addColumn("key_last_four", "text", (column) => column.notNull())
    // How many of the account's calls in the same second are not in the log.
    .addColumn("left_out", "bigint", (column) => column.notNull())
    // The request message in JSON; null if the account does not want it kept.
    .addColumn("parameters", "text")
    .addPrimaryKeyConstraint("logged_calls_key", ["account_id", "started_at_ms", "id"])
    .execute();
  await db.schema.createIndex("logged_calls_by_request").on("logged_calls").columns(["account_id", "request_id"]).execute();
  await db.schema.createIndex("logged_calls_by_time").on("logged_calls").column("started_at_ms").execute();
  await db.schema
    .createTable("parameter_logs")
    .addColumn("account_id", "text", (column) => column.primaryKey())
    .execute();
  if (isPostgres(db)) {
    // Rows are only inserted and, a week later, deleted.
    await sql`alter table logged_calls set (autovacuum_vacuum_scale_factor = 0.05)`.execute(db);
  }
}
