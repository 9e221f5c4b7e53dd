// The recent requests for keys, so that a repeated request does not create a second key.
import type { Kysely } from "kysely";

/** Creates the table. Older versions do not record requests: each request creates a new key. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable("key_requests")
    .addColumn("account_id", "text", (column) => column.notNull())
    // The id that the caller generated.
    .addColumn("request_id", "text", (column) => column.notNull())
    // A SHA-256 of the request.
    .addColumn("asked", "text", (column) => column.notNull())
    // Deleted with the key, so that there are never more requests than keys.
    .addColumn("key_id", "text", (column) => column.notNull().references("api_keys.id").onDelete("cascade"))
    .addColumn("made_at_ms", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("key_requests_key", ["account_id", "request_id"])
    .execute();
  await db.schema.createIndex("key_requests_by_key").on("key_requests").column("key_id").execute();
  await db.schema.createIndex("key_requests_by_time").on("key_requests").column("made_at_ms").execute();
}
