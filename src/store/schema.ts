// The tables as the queries see them: generated from the migrations, with narrower types where SQL has none. They use only types that both
// SQLite and PostgreSQL have: text, and whole numbers for times (Unix milliseconds) and booleans (0 or 1).
import type { Generated, Kysely } from "kysely";
import type { StoreTables } from "../../gen/store-tables.ts";
import type { DeliveryState, DisabledBy } from "./alert-records.ts";
import type { IncidentImpact, IncidentState } from "./incident-records.ts";
import type { MailPurpose, MemberRole } from "./owner-records.ts";

/** 1 for yes, 0 for no. */
type Flag = 0 | 1;

/** The columns `took_0`, `took_1` and so on count calls by latency bucket. */
interface Buckets {
  readonly [took: `took_${number}`]: number;
}

interface Narrower {
  readonly alert_deliveries: { readonly state: DeliveryState };
  readonly audit_entries: { readonly is_routine: Generated<Flag> };
  readonly count_batches: { readonly kind: "usage" | "refusals" };
  readonly health_hours: Buckets;
  readonly incident_updates: { readonly state: IncidentState };
  readonly incidents: { readonly impact: IncidentImpact };
  readonly invitations: { readonly role: MemberRole };
  readonly latency_days: Buckets;
  readonly latency_hours: Buckets;
  readonly logged_calls: { readonly refused: Flag; readonly dry_run: Flag };
  readonly mail_tokens: { readonly purpose: MailPurpose };
  readonly members: { readonly role: MemberRole };
  readonly webhook_endpoints: { readonly disabled_by: DisabledBy | null };
}

/** Table name → its columns. */
export type Tables = {
  readonly [Name in keyof StoreTables]: Name extends keyof Narrower
    ? Omit<StoreTables[Name], keyof Narrower[Name]> & Narrower[Name]
    : StoreTables[Name];
} & {
  /** Created by `migrate.ts`. */
  readonly quintet_migrations: {
    readonly name: string;
    readonly applied_at_ms: number;
    /** Whether older versions can work with it. */
    readonly additive: Generated<Flag>;
  };
};

/** Runs queries: a database or a transaction. */
export type Queries = Kysely<Tables>;
