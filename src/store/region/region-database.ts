// The connection to a region's database.
import { Kysely, PostgresDialect } from "kysely";
import type { RegionConfig } from "../../config/region.ts";
import type { Clock } from "../../runtime/clock.ts";
import { createPool, TIMEOUTS } from "../postgres/postgres-pool.ts";
import type { Queries, Tables } from "../schema.ts";
import { StoreRefused } from "../store-errors.ts";

/** The database. Its tables are not the ones that `Queries` declares, so all statements on it are written in SQL. */
export interface RegionDatabase {
  readonly db: Queries;
  close(): Promise<void>;
}

/** Opens the database. The first query connects. */
export function openRegionDatabase(region: RegionConfig, role: "server" | "command", clock: Clock): RegionDatabase {
  const pool = createPool({ database: region, timeouts: TIMEOUTS[role], clock, onLost: () => {} });
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  return { db, close: () => db.destroy() };
}

/** Why the database cannot be used, and what to do. */
export function regionRefusal(error: unknown): StoreRefused {
  if (error instanceof StoreRefused) {
    return error;
  }
  const { message = "", code = "" } = error as { message?: string; code?: string };
  const reason = message || code || String(error);
  return new StoreRefused(
    `The database that QUINTET_REGION_DATABASE_URL names cannot be used: ${reason}. Check that it is running and that the URL is correct.`,
    { cause: error },
  );
}
