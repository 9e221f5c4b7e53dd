// Checks the database, and Redis if there is one: reachable, intact, up to date, fast enough, with enough space.
import { inspectRedis } from "../../guard/rate/redis/inspect-redis.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Config } from "../../server-config.ts";
import { type EmbeddedFacts, inspectEmbedded, inspectPostgres, type PostgresFacts } from "../../store/inspect.ts";
import { grouped } from "../output.ts";
import type { ClockDifference } from "./clock-check.ts";
import { type Finding, fail, ok, reasonOf, warn } from "./finding.ts";

const MIB = 1_048_576;
const FREE_WARN_BYTES = 1024 * MIB;
const FREE_FAIL_BYTES = 64 * MIB;
const LATENCY_WARN_MS = 20;
// Connections for commands and migrations, in addition to those of the servers.
const SPARE_CONNECTIONS = 10;

/** The findings, and the stores' clocks. */
export interface StoreReport {
  readonly findings: readonly Finding[];
  readonly clocks: readonly ClockDifference[];
}

interface StoreConfig extends Pick<Config, "dataDir" | "database" | "redisUrl"> {
  /** Whether QUINTET_DATA_DIR names the data directory. */
  readonly isNamed: boolean;
}

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
        ? fail("data directory", message, "Check QUINTET_DATA_DIR, or create it with `quintet migrate --init`.")
        : warn(
            "data directory",
            message,
            "The first start creates it. If there should be one, change to its parent directory, or set QUINTET_DATA_DIR.",
          ),
    ];
  }
  const permissions = facts.isWritableByOthers
    ? fail(
        "data directory",
        `users other than its owner may write to ${dataDir}`,
        `Run \`chmod go-w ${dataDir} ${dataDir}/quintet.db\`.`,
      )
    : ok("data directory", `only its owner may write to ${dataDir}`);
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
    "Free some space: on a full disk no calls can be leased, and calls are refused.",
  );
}

function databaseFinding(dataDir: string, database: EmbeddedFacts["database"]): Finding {
  if (database === undefined) {
    return warn(
      "database",
      `${dataDir} has no database yet`,
      "`quintet serve` or `quintet migrate` creates it. If there should be one, check QUINTET_DATA_DIR.",
    );
  }
  const { bytes, sqliteVersion, fault } = database;
  return fault === undefined
    ? ok("database", `SQLite ${sqliteVersion}, ${grouped(Math.ceil(bytes / MIB))} MiB, checked and intact`)
    : fail("database", `it cannot be read: ${fault}`, "Stop the server, and restore a backup with `quintet restore`.");
}

async function checkPostgres(database: NonNullable<Config["database"]>, clock: Clock): Promise<StoreReport> {
  try {
    const facts = await inspectPostgres(database, clock);
    const { version, latencyMs, aheadMs, schemaFault, connectionsMax } = facts;
    const needed = database.connectionsMax + 1 + SPARE_CONNECTIONS;
    const findings = [
      latencyMs > LATENCY_WARN_MS
        ? warn(
            "database",
            `PostgreSQL ${version} responds in ${latencyMs.toFixed(1)} ms`,
            "Move it closer: a key's first calls wait for it.",
          )
        : ok("database", `PostgreSQL ${version} responds in ${latencyMs.toFixed(1)} ms`),
      schemaFault === undefined ? ok("schema", "matches this version") : fail("schema", "does not match this version", schemaFault),
      connectionsMax < needed
        ? warn(
            "connections",
            `PostgreSQL accepts ${connectionsMax}, and one server opens up to ${database.connectionsMax + 1}`,
            "Raise max_connections, or lower QUINTET_DATABASE_CONNECTIONS.",
          )
        : ok("connections", `PostgreSQL accepts ${connectionsMax}, and each server opens up to ${database.connectionsMax + 1}`),
      ...rightsFindings(facts),
      ...(facts.isPooledByTransaction
        ? [
            fail(
              "pooler",
              "a pooler in front of PostgreSQL lends each transaction another session",
              "Use its session mode, or connect to PostgreSQL itself: servers prepare statements and listen for changes, which stay in a session.",
            ),
          ]
        : []),
    ];
    return { findings, clocks: [{ whose: "PostgreSQL", aheadMs, uncertaintyMs: latencyMs }] };
  } catch (error) {
    const advice = "Check that it runs and can be reached from here, and what QUINTET_DATABASE_URL says.";
    return { findings: [fail("database", `PostgreSQL cannot be used: ${reasonOf(error)}`, advice)], clocks: [] };
  }
}

const RIGHTS_SHOWN_MAX = 3;

function rightsFindings({ role, missingRights, schemaFault }: PostgresFacts): readonly Finding[] {
  const [first] = missingRights;
  if (first === undefined) {
    return [];
  }
  const more = missingRights.length - RIGHTS_SHOWN_MAX;
  const shown = missingRights.slice(0, RIGHTS_SHOWN_MAX).join("; ") + (more > 0 ? `; and ${more} more` : "");
  // Only migrations create tables, and another role may run them.
  const isForMigrations = missingRights.length === 1 && first.startsWith("CREATE") && schemaFault === undefined;
  return [
    (isForMigrations ? warn : fail)(
      "rights",
      `the role ${role} lacks ${shown}`,
      isForMigrations
        ? "Run `quintet migrate` as a role that has it, or grant it."
        : `Grant it as the owner of the database, for example with \`GRANT ${first.replace(" on the schema ", " ON SCHEMA ").replace(" on ", " ON ")} TO ${role}\`.`,
    ),
  ];
}

async function checkRedis(url: string, clock: Clock): Promise<StoreReport> {
  try {
    const { version, latencyMs, aheadMs, evictionPolicy } = await inspectRedis(url, clock);
    const message = `Redis ${version} runs the rate limit in ${latencyMs.toFixed(1)} ms`;
    const finding =
      latencyMs > LATENCY_WARN_MS ? warn("redis", message, "Move it closer: every call waits for it.") : ok("redis", message);
    return {
      findings: [finding, policyFinding(evictionPolicy)],
      clocks: aheadMs === undefined ? [] : [{ whose: "Redis", aheadMs, uncertaintyMs: latencyMs }],
    };
  } catch (error) {
    const advice = `${redisAdvice(reasonOf(error))} Until then each server admits its share of each rate limit.`;
    return { findings: [fail("redis", `cannot be used: ${reasonOf(error)}`, advice)], clocks: [] };
  }
}

const redisAdvice = (reason: string): string => {
  const code = reason.includes("can't run this command") ? "NOPERM" : (reason.split(" ", 1)[0] as string);
  const known: Readonly<Record<string, string>> = {
    NOPERM: "Give the user the rights that docs/operate/network.md lists.",
    NOAUTH: "Name a user and password in QUINTET_REDIS_URL.",
    WRONGPASS: "Correct the user and password in QUINTET_REDIS_URL.",
    READONLY: "The address leads to a replica: let QUINTET_REDIS_URL name the primary, or its Sentinels.",
    MOVED: "It is part of a cluster: let QUINTET_REDIS_URL begin with redis-cluster.",
    OOM: "It is out of memory: give it more.",
  };
  return known[code] ?? "Check that it runs and can be reached, and what QUINTET_REDIS_URL says.";
};

function policyFinding(policy: string | undefined): Finding {
  if (policy === undefined) {
    const advice = "Check that its maxmemory-policy is noeviction, or let QUINTET_REDIS_URL's user run INFO.";
    return warn("redis memory", "does not say whether it evicts keys when it runs out of memory", advice);
  }
  return policy === "noeviction"
    ? ok("redis memory", "evicts no keys")
    : fail(
        "redis memory",
        `evicts keys when it runs out of memory: maxmemory-policy is ${policy}`,
        "Set it to noeviction: no server starts with this policy.",
      );
}
