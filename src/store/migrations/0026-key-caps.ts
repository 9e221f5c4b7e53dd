// The limits of individual keys. The leased calls of a key's cap are counted in `month_leases`, like those of a subscription's monthly
// quota, with `key:` and the cap's id in place of a service.
import { type Kysely, sql } from "kysely";

/** Adds the columns. A server that does not know them would not enforce the limits, so no such server may use the database from then on. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable("api_keys").addColumn("calls_per_month", "bigint").execute();
  await db.schema.alterTable("api_keys").addColumn("requests_per_second", "integer").execute();
  // A key and its successors by rotation share their limits, which are identified by the id of the first. Null: the key's own id.
  await db.schema.alterTable("api_keys").addColumn("cap_id", "text").execute();
  // Used to count calls against the caps after a restore, without reading the keys that have none.
  await sql`create index api_keys_capped on api_keys (account_id) where calls_per_month is not null`.execute(db);
}
