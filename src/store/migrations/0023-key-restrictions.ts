// Where calls with a key may come from.
import type { Kysely } from "kysely";

/**
 * Adds the columns. A server that does not know them would admit calls from anywhere, so no such server may use the database from then on.
 */
export async function up(db: Kysely<never>): Promise<void> {
  // JSON arrays; null if there is no such restriction.
  await db.schema.alterTable("api_keys").addColumn("allowed_addresses", "text").execute();
  await db.schema.alterTable("api_keys").addColumn("allowed_origins", "text").execute();
}
