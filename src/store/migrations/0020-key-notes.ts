// A customer's notes about a key, and the key that replaced it.
import type { Kysely } from "kysely";

export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .alterTable("api_keys")
    .addColumn("notes", "text", (column) => column.notNull().defaultTo(""))
    .execute();
  // No foreign key: the newer key may be deleted first.
  await db.schema.alterTable("api_keys").addColumn("replaced_by", "text").execute();
}
