// Lets PostgreSQL update more rows in place, and store batches of counts without compressing them.
import { type Kysely, PostgresAdapter, sql } from "kysely";

/**
 * On a small plan, nearly every lease changed `magnitude`, and with it two indexes. Now `magnitude` is 0 below 1,000 leased calls, and the
 * same as before from 1,000 on. Adding the column again rewrites the table, which takes a few seconds for a million rows.
 */
export async function up(db: Kysely<never>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  for (const statement of [
    "drop index month_leases_by_magnitude",
    "alter table month_leases drop column magnitude",
    `alter table month_leases add column magnitude integer generated always as (
      case when leased < 1000 then 0 else ${isPostgres ? MAGNITUDE_ON_POSTGRES : MAGNITUDE_ON_SQLITE} end
    ) ${isPostgres ? "stored" : "virtual"}`,
    "create index month_leases_by_magnitude on month_leases (month, magnitude)",
    // A batch lives for a minute or two: compressing it costs more than writing it.
    ...(isPostgres ? ["alter table count_batches alter column counts set storage external"] : []),
  ]) {
    await sql.raw(statement).execute(db);
  }
}

// The number of digits, times ten, plus the first digit.
const MAGNITUDE_ON_POSTGRES = "length(leased::text) * 10 + substr(leased::text, 1, 1)::integer";
const MAGNITUDE_ON_SQLITE = "length(leased) * 10 + substr(leased, 1, 1)";
