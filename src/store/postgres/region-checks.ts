// The home database's side of the check that a region's database is still the one that leased calls, and not an older state of it.
import { sql } from "kysely";
import type { RegionCheckIn } from "../region/region-records.ts";
import type { Queries } from "../schema.ts";

/**
 * Records the number of a check. Returns the number of the last check before it; undefined if the home database did not know the region.
 */
export async function checkInRegion(
  db: Queries,
  { regionId, name, number }: RegionCheckIn,
  nowMs: number,
): Promise<number | undefined> {
  // If another transaction changes the row in the meantime, the update runs again on the new row, and `before` is read from the new row.
  const { rows } = await sql<{ number: number }>`
    with before as materialized (
      select number from region_checks where region_id = ${regionId} for update
    ),
    written as (
      insert into region_checks as c (region_id, name, number, checked_at_ms) values (${regionId}, ${name}, ${number}, ${nowMs})
      on conflict (region_id) do update set
        name = excluded.name, number = greatest(c.number, excluded.number), checked_at_ms = excluded.checked_at_ms
    )
    select number from before
  `.execute(db);
  return rows[0]?.number;
}

/** The number of the region's last check; undefined if there was none. */
export async function lastRegionCheck(db: Queries, regionId: string): Promise<number | undefined> {
  const { rows } = await sql<{ number: number }>`select number from region_checks where region_id = ${regionId}`.execute(db);
  return rows[0]?.number;
}
