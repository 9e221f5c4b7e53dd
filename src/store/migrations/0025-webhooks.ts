// Webhooks: the endpoints to which customers have alerts sent, and how each attempt ended.
import { type Kysely, sql } from "kysely";

/** Creates the tables. Older versions create no deliveries to endpoints, and leave existing ones to newer versions. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable("webhook_endpoints")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull())
    .addColumn("url", "text", (column) => column.notNull())
    .addColumn("description", "text", (column) => column.notNull())
    // A JSON array: the types of alerts that it receives; all if the array is empty.
    .addColumn("alert_types", "text", (column) => column.notNull())
    // Requests are signed with it, so it is not hashed. For some time after a rotation, they are also signed with the previous secret.
    .addColumn("secret", "text", (column) => column.notNull())
    .addColumn("previous_secret", "text")
    .addColumn("previous_until_ms", "bigint")
    // `owner`, `failures` or `gone`; null if it is enabled.
    .addColumn("disabled_by", "text")
    // When the current run of failures began.
    .addColumn("failing_since_ms", "bigint")
    .addColumn("created_at_ms", "bigint", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("webhook_endpoints_by_account").on("webhook_endpoints").column("account_id").execute();
  await db.schema
    .createTable("webhook_attempts")
    .addColumn("delivery_id", "text", (column) => column.notNull())
    .addColumn("attempt", "integer", (column) => column.notNull())
    .addColumn("account_id", "text", (column) => column.notNull())
    .addColumn("endpoint_id", "text", (column) => column.notNull())
    .addColumn("at_ms", "bigint", (column) => column.notNull())
    .addColumn("duration_ms", "bigint", (column) => column.notNull())
    // Null if no response came.
    .addColumn("http_status", "integer")
    // The beginning of the response's body.
    .addColumn("response", "text", (column) => column.notNull())
    // Null if it was delivered.
    .addColumn("error", "text")
    .addPrimaryKeyConstraint("webhook_attempts_key", ["delivery_id", "attempt"])
    .execute();
  await db.schema.createIndex("webhook_attempts_by_time").on("webhook_attempts").column("at_ms").execute();
  await db.schema.createIndex("webhook_attempts_by_account").on("webhook_attempts").column("account_id").execute();
  await db.schema.createIndex("webhook_attempts_by_endpoint").on("webhook_attempts").column("endpoint_id").execute();
  await sql`
    create index alert_deliveries_by_endpoint on alert_deliveries (endpoint_id, created_at_ms) where endpoint_id is not null
  `.execute(db);
}
