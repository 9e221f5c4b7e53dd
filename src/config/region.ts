// Reads which region this server is in, and the database from which the region's servers lease calls of the month.
import type { Environment } from "./environment.ts";
import { type DatabaseConfig, postgresFault } from "./many-nodes.ts";

/** A region's database. */
export interface RegionConfig extends Pick<DatabaseConfig, "url" | "connectionsMax"> {
  /** The region's name. */
  readonly name: string;
}

const NAME = /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/;

/** Reads QUINTET_REGION and QUINTET_REGION_DATABASE_URL; undefined if servers lease from the home database. */
export function readRegionConfig(environment: Environment, database: DatabaseConfig | undefined): RegionConfig | undefined {
  const name = environment.optionalText(
    "QUINTET_REGION",
    "The name of this server's region, such as `eu-west`, if the region has a database of its own. Set QUINTET_REGION_DATABASE_URL too.",
  );
  const url = environment.optionalText(
    "QUINTET_REGION_DATABASE_URL",
    "The region's own PostgreSQL database: `postgres://user:password@host/name`. It holds part of each monthly quota, and the region's " +
      "servers lease calls from it instead of QUINTET_DATABASE_URL. It must never be restored from a backup.",
  );
  if (name === undefined && url === undefined) {
    return undefined;
  }
  if (name === undefined) {
    environment.fault("QUINTET_REGION", "is missing: QUINTET_REGION_DATABASE_URL is set");
  } else if (!NAME.test(name)) {
    environment.fault("QUINTET_REGION", "must be at most 32 lower-case letters, digits and hyphens, such as eu-west");
  }
  if (url === undefined) {
    environment.fault("QUINTET_REGION_DATABASE_URL", "is missing: QUINTET_REGION is set");
    return undefined;
  }
  const fault = postgresFault(url);
  if (fault !== undefined) {
    environment.fault("QUINTET_REGION_DATABASE_URL", fault);
  }
  if (database === undefined) {
    environment.fault("QUINTET_REGION_DATABASE_URL", "needs QUINTET_DATABASE_URL, the home database");
    return undefined;
  }
  if (url === database.url) {
    environment.fault("QUINTET_REGION_DATABASE_URL", "must name a different database from QUINTET_DATABASE_URL");
  }
  return name === undefined ? undefined : { name, url, connectionsMax: database.connectionsMax };
}
