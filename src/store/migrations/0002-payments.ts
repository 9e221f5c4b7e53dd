// The tables of payments by card.
import { type Kysely, sql } from "kysely";

/** In this order. The types of the tables are generated from them. */
export const statements = (): readonly string[] => [
  // Who pays for an account at Stripe.
  `create table payment_customers (
    account_id text primary key references accounts (id),
    customer_id text not null unique, -- cus_...
    created_at_ms bigint not null
  )`,
  // What was last read of a subscription at Stripe, and whether the account has its plan.
  `create table payment_subscriptions (
    id text primary key, -- sub_...
    account_id text not null references accounts (id), service text not null,
    plan_id text references plans (id), -- The version of the plan that is paid; null if what is paid is no plan of the service
    subscription_id text, -- The subscription that it pays for; null if it never has
    status text not null, -- As Stripe names it
    is_granted integer not null check (is_granted in (0, 1)), -- Whether the subscription has the plan because of it
    is_paused integer not null check (is_paused in (0, 1)), -- Whether Stripe collects nothing for the time being
    entitled_until_ms bigint not null, -- The end of what is paid and of the grace after it; 0 if nothing is
    unpaid_since_ms bigint, -- Since when an invoice is open; null if none is
    cancels_at_ms bigint, -- When Stripe will cancel it; null if it continues
    ended_because text, -- dispute or refund; null if neither ended it
    invoice_url text, -- Stripe's page of the last invoice
    created_at_ms bigint not null, read_at_ms bigint not null,
    version bigint not null -- Counts the changes of the row
  )`,
  "create index payment_subscriptions_by_account on payment_subscriptions (account_id, service)",
  "create unique index payment_subscriptions_granted on payment_subscriptions (account_id, service) where is_granted = 1",
  "create index payment_subscriptions_due on payment_subscriptions (entitled_until_ms) where is_granted = 1",
  // Events that Stripe has sent.
  `create table payment_events (
    id text primary key, -- evt_...
    type text not null, received_at_ms bigint not null,
    handled_at_ms bigint -- Null until what it is about has been read from Stripe
  )`,
  "create index payment_events_by_time on payment_events (received_at_ms)",
];

/** Creates the tables. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements()) {
    await sql.raw(statement).execute(db);
  }
}
