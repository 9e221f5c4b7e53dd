// The database, and the Redis where there is one: reached, whole, up to date, fast enough, with room.
import { inspectRedis } from "../../guard/rate/redis/inspect-redis.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Config } from "../../server-config.ts";
import { type EmbeddedFacts, inspectEmbedded, inspectPostgres } from "../../store/inspect.ts";
import { grouped } from "../output.ts";
import type { ClockDifference } from "./clock-check.ts";
import { type Finding, fail, ok, reasonOf, warn } from "./finding.ts";

const MIB = 1_048_576;
const FREE_WARN_BYTES = 1024 * MIB;
const FREE_FAIL_BYTES = 64 * MIB;
const LATENCY_WARN_MS = 20;
// Read by commands and migrations beside the servers' own.
const SPARE_CONNECTIONS = 10;

/** What was found, and the stores' clocks. */
export interface StoreReport {
  readonly findings: readonly Finding[];
  readonly clocks: readonly ClockDifference[];
}

interface StoreConfig extends Pick<Config, "dataDir" | "database" | "redisUrl"> {
  /** Whether QUINTET_DATA_DIR names the data directory. */
  readonly isNamed: boolean;
}

/** Looks at them. */
export async function checkStores(config: StoreConfig, clock: Clock): Promise<StoreReport> {
  const database =
    config.database === undefined
      ? { findings: checkEmbedded(config, inspectEmbedded(config.dataDir)), clocks: [] }
      : await checkPostgres(config.database, clock);
  const redis = config.redisUrl === undefined ? { findings: [], clocks: [] } : await checkRedis(config.redisUrl, clock);
  return { findings: [...database.findings, ...redis.findings], clocks: [...database.clocks, ...redis.clocks] };
}

function checkEmbedded({ dataDir, isNamed }: StoreConfig, facts: EmbeddedFacts): readonly Finding[] {
  const { isDirectory, freeBytes = 0, database } = facts;
  if (!isDirectory) {
    const message = `there is no directory ${dataDir}`;
    return [
      isNamed
        ? fail("data directory", message, "Check QUINTET_DATA_DIR, or make it with `quintet migrate --init`.")
        : warn(
            "data directory",
            message,
            "The first start makes it. If there should be one, go where it is, or set QUINTET_DATA_DIR.",
          ),
    ];
  }
  const permissions = facts.isWritableByOthers
    ? fail(
        "data directory",
        `others than its owner may write to ${dataDir}`,
        `Run \`chmod go-w ${dataDir} ${dataDir}/quintet.db\`.`,
      )
    : ok("data directory", `${dataDir} is its owner's alone to write to`);
  return [permissions, freeSpace(freeBytes), databaseFinding(dataDir, database)];
}

function freeSpace(bytes: number): Finding {
  const message = `${grouped(Math.floor(bytes / MIB))} MiB are free`;
  if (bytes >= FREE_WARN_BYTES) {
    return ok("disk", message);
  }
  return (bytes < FREE_FAIL_BYTES ? fail : warn)(
    "disk",
    message,
    "Make room: on a full disk no call can be leased, and calls are refused.",
  );
}

function databaseFinding(dataDir: string, database: EmbeddedFacts["database"]): Finding {
  if (database === undefined) {
    return warn(
      "database",
      `${dataDir} has no database yet`,
      "`quintet serve` or `quintet migrate` makes it. If there should be one, check QUINTET_DATA_DIR.",
    );
  }
  const { bytes, sqliteVersion, fault } = database;
  return fault === undefined
    ? ok("database", `SQLite ${sqliteVersion}, ${grouped(Math.ceil(bytes / MIB))} MiB, read through and whole`)
    : fail("database", `it cannot be read: ${fault}`, "Stop the server, and restore a backup with `quintet restore`.");
}

async function checkPostgres(database: NonNullable<Config["database"]>, clock: Clock): Promise<StoreReport> {
  try {
    const { version, latencyMs, aheadMs, schemaFault, connectionsMax } = await inspectPostgres(database, clock);
    const needed = database.connectionsMax + 1 + SPARE_CONNECTIONS;
    const findings = [
      latencyMs > LATENCY_WARN_MS
        ? warn(
            "database",
            `PostgreSQL ${version} answers in ${latencyMs.toFixed(1)} ms`,
            "Put it nearer: first calls of a key wait for it.",
          )
        : ok("database", `PostgreSQL ${version} answers in ${latencyMs.toFixed(1)} ms`),
      schemaFault === undefined ? ok("schema", "is this version's") : fail("schema", "is not this version's", schemaFault),
      connectionsMax < needed
        ? warn(
            "connections",
            `PostgreSQL takes ${connectionsMax}, and one server opens up to ${database.connectionsMax + 1}`,
            "Raise max_connections, or lower QUINTET_DATABASE_CONNECTIONS.",
          )
        : ok("connections", `PostgreSQL takes ${connectionsMax}, and each server opens up to ${database.connectionsMax + 1}`),
    ];
    return { findings, clocks: [{ whose: "PostgreSQL", aheadMs, inexactMs: latencyMs }] };
  } catch (error) {
    const advice = "Check that it runs and can be reached from here, and what QUINTET_DATABASE_URL says.";
    return { findings: [fail("database", `PostgreSQL cannot be used: ${reasonOf(error)}`, advice)], clocks: [] };
  }
}

async function checkRedis(url: string, clock: Clock): Promise<StoreReport> {
  try {
    const { version, latencyMs, aheadMs } = await inspectRedis(url, clock);
    const message = `Redis ${version} answers in ${latencyMs.toFixed(1)} ms`;
    const finding =
      latencyMs > LATENCY_WARN_MS ? warn("redis", message, "Put it nearer: every call waits for it.") : ok("redis", message);
    return { findings: [finding], clocks: [{ whose: "Redis", aheadMs, inexactMs: latencyMs }] };
  } catch (error) {
    const advice =
      "Check that it runs and can be reached, and what QUINTET_REDIS_URL says. Until then each server admits its share of each rate.";
    return { findings: [fail("redis", `cannot be used: ${reasonOf(error)}`, advice)], clocks: [] };
  }
}
