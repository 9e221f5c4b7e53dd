// Indexes for databases with a million accounts, so that no list, report or deletion reads a whole table.
import { type Kysely, sql } from "kysely";
import { isPostgres } from "../repositories/dialect.ts";

/** Creates the indexes, and the column that is used to find the busiest subscriptions. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of [
    "create index accounts_by_creation on accounts (created_at_ms desc, id) where deleted_at_ms is null",
    "create index accounts_suspended on accounts (created_at_ms desc, id) where suspended = 1 and deleted_at_ms is null",
    "create index accounts_of_operators on accounts (created_at_ms desc, id) where operator = 1 and deleted_at_ms is null",
    // Small indexes, for counting alone.
    "create index accounts_counted on accounts (operator) where deleted_at_ms is null",
    "create index subscriptions_counted on subscriptions (state)",
    "create index subscriptions_by_plan on subscriptions (service, plan, id) where state = 'active'",
    `create index subscriptions_waiting on subscriptions (account_id)
      where state = 'requested' or (state = 'active' and requested_plan is not null)`,
    "create index mail_tokens_by_account on mail_tokens (account_id)",
    "create index former_accounts_by_account on former_accounts (account_id)",
    "create index audit_entries_by_actor on audit_entries (actor, number)",
    "create index audit_entries_by_kind on audit_entries (actor_kind, number)",
    "create index audit_entries_by_action on audit_entries (action, number)",
    isPostgres(db) ? MAGNITUDE_ON_POSTGRES : MAGNITUDE_ON_SQLITE,
    "create index month_leases_by_magnitude on month_leases (month, magnitude)",
    "drop index month_leases_by_month",
    ...(isPostgres(db) ? [TEXT_ON_POSTGRES] : []),
  ]) {
    await sql.raw(statement).execute(db);
  }
}

// The number of digits and the first digit of the leased calls. It changes only a few times in a month, so that the many updates of a row
// hardly ever touch the index, as they would if the number of leased calls itself were indexed.
const MAGNITUDE_ON_POSTGRES = `alter table month_leases add column magnitude integer
  generated always as (length(leased::text) * 10 + substr(leased::text, 1, 1)::integer) stored`;
const MAGNITUDE_ON_SQLITE = `alter table month_leases add column magnitude integer
  generated always as (length(leased) * 10 + substr(leased, 1, 1)) virtual`;

// Finds accounts by part of their name or address. The extension comes with PostgreSQL, but may not be installed, or not be permitted: then
// a search reads all accounts.
const TEXT_ON_POSTGRES = `do $$ begin
  create extension if not exists pg_trgm;
  create index accounts_by_text on accounts using gin (name gin_trgm_ops, lower(email) gin_trgm_ops) where deleted_at_ms is null;
exception when undefined_file or insufficient_privilege or feature_not_supported or undefined_object then
  raise notice 'pg_trgm is not available';
end $$`;
