// The audit trail, the calls that an operator credits on top of a plan's quota, and an index that finds keys by their last four characters.
import type { Kysely } from "kysely";
import { isPostgres } from "../repositories/dialect.ts";

/**
 * Creates the table and the indexes, and adds the column. Older versions record nothing in the trail, and grant only the plan's calls.
 */
export async function up(db: Kysely<never>): Promise<void> {
  const audit = db.schema.createTable("audit_entries");
  const numbered = isPostgres(db)
    ? audit.addColumn("number", "bigint", (column) => column.primaryKey().generatedAlwaysAsIdentity())
    : audit.addColumn("number", "integer", (column) => column.primaryKey().autoIncrement());
  await numbered
    .addColumn("at_ms", "bigint", (column) => column.notNull())
    .addColumn("actor_kind", "text", (column) => column.notNull())
    .addColumn("actor", "text", (column) => column.notNull())
    .addColumn("origin", "text", (column) => column.notNull())
    .addColumn("action", "text", (column) => column.notNull())
    // No foreign key: entries are kept for longer than the account.
    .addColumn("account_id", "text")
    .addColumn("subject", "text")
    // A JSON object.
    .addColumn("details", "text", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("audit_entries_by_account").on("audit_entries").columns(["account_id", "number"]).execute();
  await db.schema.createIndex("audit_entries_by_time").on("audit_entries").column("at_ms").execute();
  await db.schema
    .alterTable("month_leases")
    .addColumn("credited", "bigint", (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.createIndex("api_keys_by_last_four").on("api_keys").column("last_four").execute();
}
