// The tables as the queries see them. They use only types that both SQLite and PostgreSQL have: text, and whole numbers for times (Unix
// milliseconds) and booleans (0 or 1). The migrations create these tables.
import type { Kysely } from "kysely";
import type {
  AccountsTable,
  AlertPreferencesTable,
  ApiKeysTable,
  FormerAccountsTable,
  KeyRequestsTable,
  ParameterLogsTable,
  SubscriptionsTable,
} from "./schema/account-tables.ts";
import type { AlertChecksTable, AlertDeliveriesTable, AlertsTable, RecentCallsTable } from "./schema/alert-tables.ts";
import type { IncidentsTable, IncidentUpdatesTable } from "./schema/incident-tables.ts";
import type { InvitationsTable, MembersTable } from "./schema/member-tables.ts";
import type {
  MailTokensTable,
  OwnerSessionsTable,
  OwnersTable,
  PasskeyChallengesTable,
  PasskeysTable,
  RecoveryCodesTable,
  SignInChallengesTable,
  TwoFactorsTable,
} from "./schema/owner-tables.ts";
import type {
  AppliedMigrationsTable,
  AuditEntriesTable,
  ChangeCounterTable,
  ChangesTable,
  NodesTable,
} from "./schema/server-tables.ts";
import type {
  CountBatchesTable,
  CountBucketsTable,
  CountWritersTable,
  HealthHoursTable,
  KeyUsesTable,
  LatencyDaysTable,
  LatencyHoursTable,
  LoggedCallsTable,
  MonthLeasesTable,
  QuotaRaisesTable,
  RefusalCountsTable,
  RefusalHoursTable,
  UsageCountsTable,
  UsageHoursTable,
} from "./schema/usage-tables.ts";
import type { WebhookAttemptsTable, WebhookEndpointsTable } from "./schema/webhook-tables.ts";

/** Table name → its columns. */
export interface Tables {
  readonly accounts: AccountsTable;
  readonly api_keys: ApiKeysTable;
  readonly key_requests: KeyRequestsTable;
  readonly subscriptions: SubscriptionsTable;
  readonly month_leases: MonthLeasesTable;
  readonly quota_raises: QuotaRaisesTable;
  readonly former_accounts: FormerAccountsTable;
  readonly usage_counts: UsageCountsTable;
  readonly usage_hours: UsageHoursTable;
  readonly refusal_counts: RefusalCountsTable;
  readonly refusal_hours: RefusalHoursTable;
  readonly count_batches: CountBatchesTable;
  readonly count_writers: CountWritersTable;
  readonly count_buckets: CountBucketsTable;
  readonly health_hours: HealthHoursTable;
  readonly latency_hours: LatencyHoursTable;
  readonly latency_days: LatencyDaysTable;
  readonly key_uses: KeyUsesTable;
  readonly logged_calls: LoggedCallsTable;
  readonly parameter_logs: ParameterLogsTable;
  readonly members: MembersTable;
  readonly invitations: InvitationsTable;
  readonly owners: OwnersTable;
  readonly owner_sessions: OwnerSessionsTable;
  readonly mail_tokens: MailTokensTable;
  readonly two_factors: TwoFactorsTable;
  readonly recovery_codes: RecoveryCodesTable;
  readonly sign_in_challenges: SignInChallengesTable;
  readonly passkeys: PasskeysTable;
  readonly passkey_challenges: PasskeyChallengesTable;
  readonly nodes: NodesTable;
  readonly change_counter: ChangeCounterTable;
  readonly changes: ChangesTable;
  readonly audit_entries: AuditEntriesTable;
  readonly alert_checks: AlertChecksTable;
  readonly recent_calls: RecentCallsTable;
  readonly alerts: AlertsTable;
  readonly alert_deliveries: AlertDeliveriesTable;
  readonly alert_preferences: AlertPreferencesTable;
  readonly webhook_endpoints: WebhookEndpointsTable;
  readonly webhook_attempts: WebhookAttemptsTable;
  readonly incidents: IncidentsTable;
  readonly incident_updates: IncidentUpdatesTable;
  readonly quintet_migrations: AppliedMigrationsTable;
}

/** Runs queries: a database or a transaction. */
export type Queries = Kysely<Tables>;
