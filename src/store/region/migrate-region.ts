// The schema of a region's database: how it is created, and what a server requires of it before it uses it.
import { sql } from "kysely";
import type { RegionConfig } from "../../config/region.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { SchemaView } from "../backend.ts";
import { migrate, requireMigrations } from "../migrate.ts";
import { SCHEMA_VIEW } from "../postgres/postgres.ts";
import type { Queries } from "../schema.ts";
import { StoreRefused } from "../store-errors.ts";
import { openRegionDatabase, regionRefusal } from "./region-database.ts";
import { REGION_MIGRATIONS } from "./region-schema.ts";

const REGION_VIEW: SchemaView = {
  ...SCHEMA_VIEW,
  incompatiblePeers: () => Promise.resolve([]),
  name: "The region's database",
  foreignTablesAdvice: "Point QUINTET_REGION_DATABASE_URL to a database of its own.",
  foreign: {
    table: "accounts",
    fault: "QUINTET_REGION_DATABASE_URL names a home database. A region needs a database of its own, which is empty at first.",
  },
};

/**
 * Creates or updates the schema, and names the region. Returns the names of the applied migrations. Rejects with StoreRefused, which says
 * what to do.
 */
export async function migrateRegion(region: RegionConfig, clock: Clock): Promise<readonly string[]> {
  const { db, close } = openRegionDatabase(region, "command", clock);
  try {
    const write = <Result>(work: (transaction: Queries) => Promise<Result>) => db.transaction().execute(work);
    const applied = await migrate({ write, schema: REGION_VIEW }, clock, REGION_MIGRATIONS);
    await sql`
      insert into region (id, name) values (gen_random_uuid()::text, ${region.name}) on conflict (is_single) do nothing
    `.execute(db);
    await requireRegion(db, region);
    return applied;
  } catch (error) {
    throw regionRefusal(error);
  } finally {
    await close();
  }
}

/**
 * Returns the database's id. Rejects with StoreRefused, which says what to do, if the database belongs to another region, or its schema to
 * another version.
 */
export async function requireRegion(db: Queries, { name }: RegionConfig): Promise<string> {
  await requireMigrations(db, REGION_VIEW, REGION_MIGRATIONS);
  const { rows } = await sql<{ id: string; name: string }>`select id, name from region`.execute(db);
  const [found] = rows;
  if (found === undefined) {
    throw new StoreRefused("The region's database has no name yet. Run `quintet migrate` once, then start again.");
  }
  if (found.name !== name) {
    throw new StoreRefused(
      `The database that QUINTET_REGION_DATABASE_URL names belongs to the region ${found.name}, and QUINTET_REGION is ${name}. ` +
        "Each region has a database of its own.",
    );
  }
  return found.id;
}
