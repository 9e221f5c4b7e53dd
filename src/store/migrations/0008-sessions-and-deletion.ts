// What owners can see about their sessions, and accounts that were deleted.
import { type Kysely, sql } from "kysely";

/** Adds columns that may be empty. An older version lists a deleted account as a suspended one without an address. */
export async function up(db: Kysely<never>): Promise<void> {
  const sessions = db.schema.alterTable("owner_sessions");
  await sessions.addColumn("last_used_at_ms", "bigint").execute();
  await sessions.addColumn("address", "text").execute();
  await sessions.addColumn("user_agent", "text").execute();
  await db.schema.alterTable("accounts").addColumn("deleted_at_ms", "bigint").execute();
  await db.schema
    .createIndex("accounts_by_deletion")
    .on("accounts")
    .column("deleted_at_ms")
    .where(sql<boolean>`deleted_at_ms is not null`)
    .execute();
}
