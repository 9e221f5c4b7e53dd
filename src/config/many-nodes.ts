// Reads what several nodes share (a PostgreSQL database and a Redis server), and which cell this node belongs to. Connection strings
// contain passwords, so no fault repeats one.
import type { Environment } from "./environment.ts";
import { redisAddressOf } from "./redis-address.ts";

/** The database that all nodes share. */
export interface DatabaseConfig {
  /** A connection string, with its password. */
  readonly url: string;
  /** The most connections of one process, besides the one that listens for changes. */
  readonly connectionsMax: number;
  /** How long a server may use its cached keys and plans while the database does not respond. */
  readonly staleAfterMs: number;
}

// A character of the password that is not percent-encoded would end it, and the rest would be taken for the host or the database.
const POSTGRES_URL = /^postgres(?:ql)?:\/\/(?:[^@/?#]*@)?[^@/?#]*(?:\/[^@/?#]*)?(?:\?[^@#]*)?$/i;

// A key may be revoked in the meantime, so not for longer; a restart of PostgreSQL or a failover takes a few seconds.
const STALE_AFTER_MS = 10_000;

const SSL_MODES = ["disable", "require", "verify-ca", "verify-full"];

/**
 * Reads QUINTET_DATABASE_URL and QUINTET_DATABASE_CONNECTIONS; undefined for the embedded database, which a sandbox always has and
 * QUINTET_EMBEDDED_DATABASE can forbid all others.
 */
export function readDatabaseConfig(environment: Environment, isSandbox: boolean): DatabaseConfig | undefined {
  const name = "QUINTET_DATABASE_URL";
  const url = environment.optionalText(
    name,
    "The PostgreSQL database that several nodes share, in place of the embedded one: `postgres://user:password@host/name`. " +
      "The password is percent-encoded there, or as it is in `PGPASSWORD`. For TLS add `?sslmode=verify-full`, and `&sslrootcert=FILE` for your own certificate authority.",
  );
  const connectionsMax = environment.integer(
    "QUINTET_DATABASE_CONNECTIONS",
    10,
    { min: 1, max: 1000 },
    "The most connections to PostgreSQL that one node opens, besides the one on which it receives changes.",
  );
  const mayBeEmbedded = environment.choice(
    "QUINTET_EMBEDDED_DATABASE",
    "on",
    ["on", "off"],
    "Whether the embedded database is used if there is no QUINTET_DATABASE_URL: `on` or `off`. `off` in the image, where a server whose " +
      "URL is missing would otherwise start with an empty database, and lose it with its container.",
  );
  if (url === undefined) {
    if (mayBeEmbedded === "off" && !isSandbox) {
      environment.fault(
        name,
        "is not set, and QUINTET_EMBEDDED_DATABASE is off; set it to on for a single server whose data directory is kept",
      );
    }
    return undefined;
  }
  const fault = postgresFault(url);
  if (fault !== undefined) {
    environment.fault(name, fault);
  }
  return { url, connectionsMax, staleAfterMs: STALE_AFTER_MS };
}

/** What is wrong with a connection string, without repeating it; undefined if nothing is. */
function postgresFault(url: string): string | undefined {
  const parsed = URL.parse(url);
  if (parsed === null || !POSTGRES_URL.test(url) || /%(?![\da-f]{2})/i.test(url)) {
    return (
      "must be a connection string such as postgres://user:password@host:5432/name, in which the password is percent-encoded; " +
      "or leave the password out, and set PGPASSWORD"
    );
  }
  const sslMode = parsed.searchParams.get("sslmode");
  if (sslMode !== null && !SSL_MODES.includes(sslMode)) {
    return `must have one of ${SSL_MODES.join(", ")} as its sslmode`;
  }
  return sslMode === "verify-ca" && !parsed.searchParams.has("sslrootcert")
    ? "must name the certificate authority's file as its sslrootcert when its sslmode is verify-ca"
    : undefined;
}

/** Reads QUINTET_REDIS_URL; undefined if each node counts requests per second separately. */
export function readRedisUrl(environment: Environment): string | undefined {
  const name = "QUINTET_REDIS_URL";
  const url = environment.optionalText(
    name,
    "The Redis or Valkey server through which several nodes share the per-second rate limits: `redis://user:password@host:6379/0`, " +
      "`redis-cluster://user:password@host:6379,host:6379` for a cluster, or " +
      "`redis-sentinel://user:password@host:26379,host:26379/NAME` for the primary that Sentinels know by that name. With `rediss` in " +
      "place of `redis`, all connections use TLS. If Sentinels require a password, add `?sentinelPassword=PASSWORD`, and " +
      "`&sentinelUsername=NAME`. Losing Redis's data does no harm.",
  );
  if (url !== undefined && redisAddressOf(url) === undefined) {
    environment.fault(
      name,
      "must be a connection string such as redis://user:password@host:6379/0, redis-cluster://host:6379,host:6379 or " +
        "redis-sentinel://host:26379,host:26379/NAME",
    );
  }
  return url;
}

/** Reads QUINTET_CELL; undefined if all servers share one database. */
export function readCell(environment: Environment): string | undefined {
  const name = "QUINTET_CELL";
  const cell = environment.optionalText(
    name,
    "The two digits of this server's cell, such as `07`, if the customers are divided among several databases. New keys contain them, so that a proxy can tell from its key which cell a call belongs to. Without this setting, new keys contain no cell.",
  );
  if (cell !== undefined && !/^\d\d$/.test(cell)) {
    environment.fault(name, "must be two digits, such as 07");
  }
  return cell;
}
