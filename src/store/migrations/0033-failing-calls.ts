// An index that finds the accounts whose calls have failed recently, without reading the calls of all other accounts.
import { type Kysely, sql } from "kysely";

/** Creates the index. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`create index recent_calls_failing on recent_calls (account_id, service) where failed > 0`.execute(db);
}
