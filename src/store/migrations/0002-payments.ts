// The tables of payments by card. What columns mean is said in `../schema.ts`.
import { type Kysely, sql } from "kysely";

const TABLES = [
  `create table payment_customers (
    account_id text primary key references accounts (id), customer_id text not null unique, created_at_ms bigint not null
  )`,
  `create table payment_subscriptions (
    id text primary key, account_id text not null references accounts (id), service text not null, plan_id text references plans (id),
    subscription_id text, status text not null, is_granted integer not null check (is_granted in (0, 1)),
    is_paused integer not null check (is_paused in (0, 1)), entitled_until_ms bigint not null, unpaid_since_ms bigint,
    cancels_at_ms bigint, ended_because text, invoice_url text, created_at_ms bigint not null, read_at_ms bigint not null,
    version bigint not null
  )`,
  "create index payment_subscriptions_by_account on payment_subscriptions (account_id, service)",
  "create unique index payment_subscriptions_granted on payment_subscriptions (account_id, service) where is_granted = 1",
  "create index payment_subscriptions_due on payment_subscriptions (entitled_until_ms) where is_granted = 1",
  `create table payment_events (
    id text primary key, type text not null, received_at_ms bigint not null, handled_at_ms bigint
  )`,
  "create index payment_events_by_time on payment_events (received_at_ms)",
];

/** Creates the tables. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of TABLES) {
    await sql.raw(statement).execute(db);
  }
}
