// Incidents and maintenance that operators describe for the status page.
import type { Kysely } from "kysely";

/** Creates the tables. Older versions show none. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable("incidents")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("title", "text", (column) => column.notNull())
    // `degraded`, `partial_outage`, `major_outage` or `maintenance`.
    .addColumn("impact", "text", (column) => column.notNull())
    // A JSON array of names; empty for all services.
    .addColumn("services", "text", (column) => column.notNull())
    .addColumn("begins_at_ms", "bigint", (column) => column.notNull())
    // When the incident ended, or when the maintenance will end or ended; null while an incident is open.
    .addColumn("ends_at_ms", "bigint")
    .addColumn("created_at_ms", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("incident_updates")
    .addColumn("incident_id", "text", (column) => column.notNull().references("incidents.id").onDelete("cascade"))
    .addColumn("number", "integer", (column) => column.notNull())
    .addColumn("at_ms", "bigint", (column) => column.notNull())
    .addColumn("state", "text", (column) => column.notNull())
    .addColumn("text", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("incident_updates_key", ["incident_id", "number"])
    .execute();
}
