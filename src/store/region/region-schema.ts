// The tables of a region's database. It holds nothing but the calls of this month that the home database has granted to the region.
import { type Kysely, sql } from "kysely";
import type { Migration } from "../migrate.ts";

/** The table whose presence tells a region's database from a home database. */
export const REGION_QUOTAS = "region_quotas";

/** Never renamed, never reordered, and never changed once released, like the migrations of the home database. */
export const REGION_MIGRATIONS: readonly Migration[] = [
  { name: "region-0001-quotas", up: quotas },
  { name: "region-0002-checks", up: checks },
];

// The id is created with the database, so what was granted to a lost database is never granted again to its replacement.
async function quotas(db: Kysely<never>): Promise<void> {
  await sql`create table region (id text primary key, name text not null, is_single boolean not null default true unique check (is_single))`.execute(
    db,
  );
  // The constraint is the guarantee: servers never lease more than was granted and not returned.
  await sql`
    create table region_quotas (
      subject text not null,
      month text not null,
      account_id text,
      calls_per_month bigint not null,
      granted bigint not null,
      returned bigint not null,
      returned_at_home bigint not null,
      leased bigint not null check (leased >= 0),
      unleased bigint not null,
      reported_at_ms bigint not null,
      primary key (subject, month),
      check (returned + leased <= granted)
    )
  `.execute(db);
  await sql`create index region_quotas_by_report on region_quotas (month, reported_at_ms)`.execute(db);
}

// The number of checks against the home database so far, what the region holds, and when it last forfeited what it held.
async function checks(db: Kysely<never>): Promise<void> {
  for (const column of ["number", "held_calls", "held_quotas", "held_at_ms"]) {
    await sql`alter table region add column ${sql.ref(column)} bigint not null default 0`.execute(db);
  }
  await sql`alter table region add column forfeited_at_ms bigint`.execute(db);
}
