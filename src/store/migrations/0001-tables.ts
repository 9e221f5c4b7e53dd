// The tables of the first release, for both databases. Column types are those that both accept; `bigint` holds counts and Unix
// milliseconds. What columns mean is said in `../schema.ts`.
import { type Kysely, sql } from "kysely";
import { isPostgres as isOnPostgres } from "../repositories/dialect.ts";

const COUNT_BUCKETS = 64;

/** Creates the tables. */
export async function up(db: Kysely<never>): Promise<void> {
  const isPostgres = isOnPostgres(db);
  for (const statement of [...tables(isPostgres), ...(isPostgres ? ON_POSTGRES : [])]) {
    await sql.raw(statement).execute(db);
  }
}

// Of a distribution: how many were in each range.
const buckets = (count: number): string => Array.from({ length: count }, (_, index) => `took_${index} bigint not null`).join(", ");

function tables(isPostgres: boolean): readonly string[] {
  // The number of digits, times ten, plus the first digit: it changes only a few times in a month, so that the many updates of a row hardly
  // ever touch its index.
  const magnitude = isPostgres
    ? "length(leased::text) * 10 + substr(leased::text, 1, 1)::integer"
    : "length(leased) * 10 + substr(leased, 1, 1)";
  return [
    // Accounts, their owners and how these sign in.
    `create table accounts (
      id text primary key, name text not null unique, email text, suspended integer not null check (suspended in (0, 1)),
      created_at_ms bigint not null, operator integer default 0 not null check (operator in (0, 1)), deleted_at_ms bigint,
      email_verified_at_ms bigint, mailbox text
    )`,
    "create index accounts_by_creation on accounts (created_at_ms desc, id) where deleted_at_ms is null",
    "create index accounts_by_deletion on accounts (deleted_at_ms) where deleted_at_ms is not null",
    "create index accounts_by_email on accounts (lower(email))",
    "create index accounts_by_mailbox on accounts (mailbox)",
    "create index accounts_counted on accounts (operator) where deleted_at_ms is null",
    "create index accounts_of_operators on accounts (created_at_ms desc, id) where operator = 1 and deleted_at_ms is null",
    "create index accounts_suspended on accounts (created_at_ms desc, id) where suspended = 1 and deleted_at_ms is null",
    `create table owners (
      account_id text primary key references accounts (id), email text not null unique, password_hash text not null,
      created_at_ms bigint not null, changed_at_ms bigint not null
    )`,
    `create table owner_sessions (
      token_hash text primary key, account_id text not null references owners (account_id), begun_at_ms bigint not null,
      expires_at_ms bigint not null, last_used_at_ms bigint, address text, user_agent text
    )`,
    "create index owner_sessions_by_account on owner_sessions (account_id)",
    "create index owner_sessions_by_expiry on owner_sessions (expires_at_ms)",
    `create table mail_tokens (
      token_hash text primary key, purpose text not null, email text not null, account_id text, password_hash text,
      created_at_ms bigint not null, expires_at_ms bigint not null
    )`,
    "create index mail_tokens_by_account on mail_tokens (account_id)",
    "create index mail_tokens_by_email on mail_tokens (email, purpose)",
    "create index mail_tokens_by_expiry on mail_tokens (expires_at_ms)",
    `create table two_factors (
      account_id text primary key references owners (account_id), secret text not null, on_since_ms bigint, last_step bigint not null,
      failures integer not null, wait_until_ms bigint not null
    )`,
    `create table recovery_codes (
      account_id text not null references owners (account_id), code_hash text not null,
      constraint recovery_codes_key primary key (account_id, code_hash)
    )`,
    `create table sign_in_challenges (
      token_hash text primary key, account_id text not null references owners (account_id), created_at_ms bigint not null,
      expires_at_ms bigint not null
    )`,
    "create index sign_in_challenges_by_account on sign_in_challenges (account_id)",
    "create index sign_in_challenges_by_expiry on sign_in_challenges (expires_at_ms)",
    `create table passkeys (
      id text primary key, account_id text not null references owners (account_id), credential_id text not null unique,
      public_key text not null, counter bigint not null, transports text not null, name text not null, created_at_ms bigint not null,
      last_used_at_ms bigint
    )`,
    "create index passkeys_by_account on passkeys (account_id)",
    `create table passkey_challenges (
      challenge_hash text primary key, account_id text, expires_at_ms bigint not null
    )`,
    "create index passkey_challenges_by_account on passkey_challenges (account_id)",
    "create index passkey_challenges_by_expiry on passkey_challenges (expires_at_ms)",
    `create table former_accounts (
      email_hash text primary key, account_id text not null references accounts (id), month text not null
    )`,
    "create index former_accounts_by_account on former_accounts (account_id)",
    "create index former_accounts_by_month on former_accounts (month)",
    `create table members (
      account_id text not null, member_account_id text not null, role text not null, created_at_ms bigint not null,
      constraint members_key primary key (account_id, member_account_id)
    )`,
    "create index members_by_member on members (member_account_id)",
    `create table invitations (
      id text primary key, account_id text not null, email text not null, role text not null, token_hash text not null unique,
      invited_by text not null, created_at_ms bigint not null, expires_at_ms bigint not null, ended_at_ms bigint
    )`,
    "create index invitations_by_account on invitations (account_id, created_at_ms)",
    "create index invitations_by_email on invitations (email)",
    "create index invitations_by_end on invitations (expires_at_ms)",
    // Keys and subscriptions, and the calls of each month. A cap's calls are counted with `key:` and its id in place of a service.
    `create table api_keys (
      id text primary key, account_id text not null references accounts (id), name text not null, hash text not null unique,
      prefix text not null, last_four text not null, services text, created_at_ms bigint not null, expires_at_ms bigint,
      disabled integer not null check (disabled in (0, 1)), revoked_at_ms bigint, lifetime_ms bigint, notes text default '' not null,
      replaced_by text, allowed_addresses text, allowed_origins text, calls_per_month bigint, requests_per_second integer, cap_id text
    )`,
    "create index api_keys_by_account on api_keys (account_id)",
    "create index api_keys_by_expiry on api_keys (expires_at_ms) where expires_at_ms is not null and revoked_at_ms is null",
    "create index api_keys_by_last_four on api_keys (last_four)",
    "create index api_keys_capped on api_keys (account_id) where calls_per_month is not null",
    `create table key_requests (
      account_id text not null, request_id text not null, asked text not null,
      key_id text not null references api_keys (id) on delete cascade, made_at_ms bigint not null,
      constraint key_requests_key primary key (account_id, request_id)
    )`,
    "create index key_requests_by_key on key_requests (key_id)",
    "create index key_requests_by_time on key_requests (made_at_ms)",
    `create table plans (
      id text primary key, service text not null, name text not null, version integer not null,
      price_minor bigint not null check (price_minor >= 0), currency text not null,
      billing_interval text not null check (billing_interval = 'month'), calls_per_month bigint not null,
      requests_per_second integer not null, entitlements text not null, position integer, created_at_ms bigint not null,
      constraint plans_versions unique (service, name, version)
    )`,
    "create unique index plans_offered on plans (service, name) where position is not null",
    `create table subscriptions (
      id text primary key, account_id text not null references accounts (id), service text not null,
      plan_id text not null references plans (id), agreed_at_ms bigint not null,
      requested_plan_id text references plans (id), requested_at_ms bigint,
      moves_to_plan_id text references plans (id), moves_at_ms bigint,
      state text not null check (state in ('requested', 'active', 'cancelled')), created_at_ms bigint not null
    )`,
    "create index subscriptions_by_account on subscriptions (account_id)",
    "create index subscriptions_by_plan on subscriptions (plan_id, id) where state <> 'cancelled'",
    "create index subscriptions_moving on subscriptions (moves_at_ms) where moves_at_ms is not null",
    "create index subscriptions_counted on subscriptions (state)",
    `create index subscriptions_waiting on subscriptions (account_id) where state = 'requested' or (state = 'active' and requested_plan_id is not null)`,
    "create unique index subscriptions_one_in_force on subscriptions (account_id, service) where state <> 'cancelled'",
    // No foreign key to the subscription, of which cancelled ones are deleted.
    `create table paid_periods (
      subscription_id text not null, account_id text not null, service text not null, plan_id text not null references plans (id),
      began_at_ms bigint not null, ended_at_ms bigint
    )`,
    "create unique index paid_periods_current on paid_periods (subscription_id) where ended_at_ms is null",
    "create index paid_periods_by_end on paid_periods (ended_at_ms, began_at_ms)",
    "create index paid_periods_by_account on paid_periods (account_id)",
    `create table month_leases (
      account_id text not null references accounts (id), service text not null, month text not null,
      leased bigint not null check (leased >= 0), credited bigint default 0 not null, raised bigint default 0 not null,
      closed integer default 0 not null check (closed in (0, 1)),
      magnitude integer generated always as (case when leased < 1000 then 0 else ${magnitude} end) ${isPostgres ? "stored" : "virtual"},
      constraint month_leases_key primary key (account_id, service, month)
    )`,
    "create index month_leases_by_magnitude on month_leases (month, magnitude)",
    `create table quota_raises (
      id text primary key, month text not null, seconds bigint not null, percent bigint not null, made_at_ms bigint not null
    )`,
    // What was called. No foreign keys: rows are written in batches, and one whose account was deleted must not fail the whole batch.
    `create table count_batches (
      bucket integer not null, writer text not null, number bigint not null, kind text not null, written_at_ms bigint not null,
      size integer not null, counts text not null, constraint count_batches_key primary key (bucket, writer, number)
    )`,
    `create table count_writers (
      writer text primary key, number bigint not null, written_at_ms bigint not null
    )`,
    "create index count_writers_by_time on count_writers (written_at_ms)",
    `create table count_buckets (
      bucket integer primary key, added_up_at_ms bigint not null
    )`,
    `create table usage_counts (
      account_id text not null, key_id text not null, service text not null, method text not null, day text not null,
      outcome text not null, calls bigint not null,
      constraint usage_counts_key primary key (account_id, day, service, method, key_id, outcome)
    )`,
    "create index usage_counts_by_day on usage_counts (day)",
    `create table usage_hours (
      account_id text not null, key_id text not null, service text not null, method text not null, hour text not null,
      outcome text not null, calls bigint not null,
      constraint usage_hours_key primary key (account_id, hour, service, method, key_id, outcome)
    )`,
    "create index usage_hours_by_hour on usage_hours (hour)",
    `create table refusal_counts (
      account_id text not null, key_id text not null, service text not null, day text not null, reason text not null,
      calls bigint not null, rate_needed bigint not null,
      constraint refusal_counts_key primary key (account_id, day, service, reason, key_id)
    )`,
    "create index refusal_counts_by_day on refusal_counts (day)",
    `create table refusal_hours (
      account_id text not null, key_id text not null, service text not null, hour text not null, reason text not null,
      calls bigint not null, constraint refusal_hours_key primary key (account_id, hour, service, reason, key_id)
    )`,
    "create index refusal_hours_by_hour on refusal_hours (hour)",
    `create table latency_days (
      account_id text not null, day text not null, service text not null, ${buckets(19)},
      constraint latency_days_key primary key (account_id, day, service)
    )`,
    "create index latency_days_by_day on latency_days (day)",
    `create table latency_hours (
      account_id text not null, hour text not null, service text not null, ${buckets(19)},
      constraint latency_hours_key primary key (account_id, hour, service)
    )`,
    "create index latency_hours_by_hour on latency_hours (hour)",
    `create table key_uses (
      key_id text primary key, account_id text not null, last_used_at_ms bigint not null
    )`,
    "create index key_uses_by_account on key_uses (account_id)",
    `create table logged_calls (
      account_id text not null, started_at_ms bigint not null, id text not null, service text not null, method text not null,
      protocol text not null, http_status integer not null, outcome text not null, refused integer not null, dry_run integer not null,
      duration_us bigint not null, request_bytes bigint not null, response_bytes bigint not null, request_id text not null,
      key_id text not null, key_last_four text not null, left_out bigint not null, parameters text,
      constraint logged_calls_key primary key (account_id, started_at_ms, id)
    )`,
    "create index logged_calls_by_request on logged_calls (account_id, request_id)",
    "create index logged_calls_by_time on logged_calls (started_at_ms)",
    `create table parameter_logs (
      account_id text primary key
    )`,
    `create table recent_calls (
      account_id text not null, service text not null, since_ms bigint not null, calls bigint not null, failed bigint not null,
      constraint recent_calls_key primary key (account_id, service, since_ms)
    )`,
    "create index recent_calls_by_time on recent_calls (since_ms)",
    "create index recent_calls_failing on recent_calls (account_id, service) where failed > 0",
    `create table health_hours (
      hour text not null, service text not null, part text not null, calls bigint not null, failed bigint not null,
      refused bigint not null, ${buckets(13)}, constraint health_hours_key primary key (hour, service, part)
    )`,
    // Alerts, webhooks, incidents and the audit trail, whose entries are kept for longer than their account.
    `create table alert_checks (
      account_id text not null, service text not null, month text not null, noted_at_ms bigint not null,
      constraint alert_checks_key primary key (account_id, service, month)
    )`,
    "create index alert_checks_by_time on alert_checks (noted_at_ms)",
    `create table alerts (
      id text primary key, account_id text not null, type text not null, subject text not null, period text not null,
      level integer not null, created_at_ms bigint not null, details text not null,
      constraint alerts_once unique (account_id, type, subject, period, level)
    )`,
    "create index alerts_by_account on alerts (account_id, created_at_ms)",
    "create index alerts_by_time on alerts (created_at_ms)",
    `create table alert_deliveries (
      id text primary key, alert_id text not null references alerts (id) on delete cascade, account_id text not null, endpoint_id text,
      state text not null, created_at_ms bigint not null, attempts integer not null, due_at_ms bigint not null,
      last_attempt_at_ms bigint, last_result text
    )`,
    "create index alert_deliveries_by_account on alert_deliveries (account_id, created_at_ms)",
    "create index alert_deliveries_by_alert on alert_deliveries (alert_id)",
    "create index alert_deliveries_by_endpoint on alert_deliveries (endpoint_id, created_at_ms) where endpoint_id is not null",
    "create index alert_deliveries_due on alert_deliveries (due_at_ms) where state = 'waiting'",
    `create table alert_preferences (
      account_id text primary key, muted text not null
    )`,
    `create table webhook_endpoints (
      id text primary key, account_id text not null, url text not null, description text not null, alert_types text not null,
      secret text not null, previous_secret text, previous_until_ms bigint, disabled_by text, failing_since_ms bigint,
      created_at_ms bigint not null
    )`,
    "create index webhook_endpoints_by_account on webhook_endpoints (account_id)",
    `create table webhook_attempts (
      delivery_id text not null, attempt integer not null, account_id text not null, endpoint_id text not null, at_ms bigint not null,
      duration_ms bigint not null, http_status integer, response text not null, error text,
      constraint webhook_attempts_key primary key (delivery_id, attempt)
    )`,
    "create index webhook_attempts_by_account on webhook_attempts (account_id)",
    "create index webhook_attempts_by_endpoint on webhook_attempts (endpoint_id)",
    "create index webhook_attempts_by_time on webhook_attempts (at_ms)",
    `create table incidents (
      id text primary key, title text not null, impact text not null, services text not null, begins_at_ms bigint not null,
      ends_at_ms bigint, created_at_ms bigint not null
    )`,
    `create table incident_updates (
      incident_id text not null references incidents (id) on delete cascade, number integer not null, at_ms bigint not null,
      state text not null, text text not null, constraint incident_updates_key primary key (incident_id, number)
    )`,
    `create table audit_entries (
      number ${isPostgres ? "bigint primary key generated always as identity" : "integer primary key autoincrement"},
      at_ms bigint not null, actor_kind text not null, actor text not null, origin text not null, action text not null,
      account_id text, subject text, details text not null, is_routine integer default 0 not null
    )`,
    "create index audit_entries_by_account on audit_entries (account_id, number)",
    "create index audit_entries_by_action on audit_entries (action, number)",
    "create index audit_entries_by_actor on audit_entries (actor, number)",
    "create index audit_entries_by_kind on audit_entries (actor_kind, number)",
    "create index audit_entries_by_time on audit_entries (at_ms)",
    "create index audit_entries_routine on audit_entries (account_id, number) where is_routine = 1",
    `insert into count_buckets (bucket, added_up_at_ms) values ${Array.from({ length: COUNT_BUCKETS }, (_, bucket) => `(${bucket}, 0)`).join(", ")}`,
  ];
}

const setOptions = (options: string, ...names: readonly string[]): readonly string[] =>
  names.map((name) => `alter table ${name} set (${options})`);

const ON_POSTGRES: readonly string[] = [
  // The servers that share the database, and the changes that they announce to each other. A change adds a row to `pending_changes` in its
  // own transaction, and waits for no other change. The process that announces it moves all rows into one numbered batch. Its random id
  // tells it from a batch of the same number that a standby has made which took over without the last changes.
  "create table nodes (id text primary key, change_number bigint not null, expires_at_ms bigint not null, protocol integer not null)",
  `create table change_counter (
    number bigint not null, change_id text not null, previous_id text not null, announced_at_ms bigint not null default 0,
    alive_nodes integer not null default 0, counted_at_ms bigint not null default 0
  )`,
  "insert into change_counter (number, change_id, previous_id) values (0, '', '')",
  "create table changes (number bigint primary key, change_id text not null, previous_id text not null, account_ids text[] not null)",
  "create table pending_changes (id bigint primary key generated always as identity, account_id text not null)",
  // Rows that live for seconds, or are updated several times a second: space is kept free in each page, so that an update touches no index,
  // and dead rows are removed soon.
  ...setOptions(
    "fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000",
    ...["nodes", "count_batches", "count_writers", "count_buckets"],
  ),
  ...setOptions(
    "fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000",
    ...["alert_checks", "recent_calls"],
  ),
  ...setOptions(
    "fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02",
    ...["key_uses", "month_leases", "refusal_counts", "refusal_hours", "usage_counts", "usage_hours"],
  ),
  ...setOptions("autovacuum_vacuum_scale_factor = 0.05", ...["logged_calls"]),
  ...setOptions("autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000", ...["pending_changes"]),
  // A batch lives for a minute or two: compressing it costs more than writing it.
  "alter table count_batches alter column counts set storage external",
  // Finds accounts by part of their name or address. The extension comes with PostgreSQL, but may not be installed, or not be permitted:
  // then a search reads all accounts.
  `do $$ begin
    create extension if not exists pg_trgm;
    create index accounts_by_text on accounts using gin (name gin_trgm_ops, lower(email) gin_trgm_ops) where deleted_at_ms is null;
  exception when undefined_file or insufficient_privilege or feature_not_supported or undefined_object then
    raise notice 'pg_trgm is not available';
  end $$`,
];
