// Alerts to customers, what they are based on, and their deliveries. An alert and its deliveries are written in one transaction, so that no
// alert is lost, and none is sent that was not stored.
import { type Kysely, sql } from "kysely";
import { isPostgres } from "../repositories/dialect.ts";

/** Creates the tables. Calls that an older version adds up are checked when a newer version next adds up calls by the same account. */
export async function up(db: Kysely<never>): Promise<void> {
  // The accounts whose calls have been added up since they were last checked.
  await db.schema
    .createTable("alert_checks")
    .addColumn("account_id", "text", (column) => column.notNull())
    .addColumn("service", "text", (column) => column.notNull())
    .addColumn("month", "text", (column) => column.notNull())
    .addColumn("noted_at_ms", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("alert_checks_key", ["account_id", "service", "month"])
    .execute();
  await db.schema.createIndex("alert_checks_by_time").on("alert_checks").column("noted_at_ms").execute();
  // The calls in the last few hours, in spans of five minutes.
  await db.schema
    .createTable("recent_calls")
    .addColumn("account_id", "text", (column) => column.notNull())
    .addColumn("service", "text", (column) => column.notNull())
    .addColumn("since_ms", "bigint", (column) => column.notNull())
    .addColumn("calls", "bigint", (column) => column.notNull())
    .addColumn("failed", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("recent_calls_key", ["account_id", "service", "since_ms"])
    .execute();
  await db.schema.createIndex("recent_calls_by_time").on("recent_calls").column("since_ms").execute();
  await db.schema
    .createTable("alerts")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull())
    .addColumn("type", "text", (column) => column.notNull())
    // The subject, such as a service; the period; and the level, such as a percentage. Each alert of an account and type differs in one of
    // them.
    .addColumn("subject", "text", (column) => column.notNull())
    .addColumn("period", "text", (column) => column.notNull())
    .addColumn("level", "integer", (column) => column.notNull())
    .addColumn("created_at_ms", "bigint", (column) => column.notNull())
    // A JSON object.
    .addColumn("details", "text", (column) => column.notNull())
    .addUniqueConstraint("alerts_once", ["account_id", "type", "subject", "period", "level"])
    .execute();
  await db.schema.createIndex("alerts_by_account").on("alerts").columns(["account_id", "created_at_ms"]).execute();
  await db.schema.createIndex("alerts_by_time").on("alerts").column("created_at_ms").execute();
  await db.schema
    .createTable("alert_deliveries")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("alert_id", "text", (column) => column.notNull().references("alerts.id").onDelete("cascade"))
    .addColumn("account_id", "text", (column) => column.notNull())
    // The webhook endpoint; null for an e-mail to the owner.
    .addColumn("endpoint_id", "text")
    // `waiting`, `delivered` or `failed`.
    .addColumn("state", "text", (column) => column.notNull())
    .addColumn("created_at_ms", "bigint", (column) => column.notNull())
    // How many times a server has started to send it.
    .addColumn("attempts", "integer", (column) => column.notNull())
    // When a server may next send it. While a server sends it, when another server may take over.
    .addColumn("due_at_ms", "bigint", (column) => column.notNull())
    .addColumn("last_attempt_at_ms", "bigint")
    // How the last attempt ended: an HTTP status, or a word such as `SENT`.
    .addColumn("last_result", "text")
    .execute();
  await db.schema.createIndex("alert_deliveries_by_alert").on("alert_deliveries").column("alert_id").execute();
  await db.schema
    .createIndex("alert_deliveries_by_account")
    .on("alert_deliveries")
    .columns(["account_id", "created_at_ms"])
    .execute();
  await sql`create index alert_deliveries_due on alert_deliveries (due_at_ms) where state = 'waiting'`.execute(db);
  // Without a row, an account gets all e-mails.
  await db.schema
    .createTable("alert_preferences")
    .addColumn("account_id", "text", (column) => column.primaryKey())
    // A JSON array: the types of alerts that are not mailed.
    .addColumn("muted", "text", (column) => column.notNull())
    .execute();
  await sql`
    create index api_keys_by_expiry on api_keys (expires_at_ms) where expires_at_ms is not null and revoked_at_ms is null
  `.execute(db);
  if (isPostgres(db)) {
    // Rows live for seconds, or are updated often.
    for (const table of ["alert_checks", "recent_calls"]) {
      await sql`
        alter table ${sql.table(table)} set (fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)
      `.execute(db);
    }
  }
}
