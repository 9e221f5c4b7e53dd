// One row of the table: real servers over PostgreSQL and Redis, and many callers. Measures what a call costs each of them.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { createClient } from "redis";
import { planFile } from "../../test/fixtures/plan-file.ts";
import type { PostgresServer } from "../../test/fixtures/servers/postgres.ts";
import type { RedisServer } from "../../test/fixtures/servers/redis.ts";
import { familyUs, parentOf, processUs } from "./cpu-time.ts";
import { insertCustomers } from "./customers.ts";
import { type LoadReport, runLoad } from "./paced-load.ts";
import { type BenchServer, startServer } from "./server.ts";

export interface Case {
  readonly keys: number;
  readonly servers: number;
  /** On all servers together. */
  readonly callsPerSecond: number;
  /** Threads of each server. */
  readonly workers: number;
}

interface CaseOptions {
  readonly postgres: PostgresServer;
  readonly redis: RedisServer;
  /** An empty database with the schema. */
  readonly template: string;
  /** How long calls are made before anything is measured, or longer, until each customer has called each server. */
  readonly warmSeconds: number;
  readonly seconds: number;
  /** Where the servers write CPU profiles. */
  readonly profileTo?: string | undefined;
  /** Receives PostgreSQL's most expensive statements. */
  readonly onStatements?: ((rows: readonly object[]) => void) | undefined;
}

/** What a call cost, in microseconds of CPU time, and what callers saw. */
export interface Cost {
  readonly serverUs: number;
  /** The part of it that the servers' main threads took. */
  readonly mainThreadUs: number;
  readonly redisUs: number;
  readonly postgresUs: number;
  /** Scripts that Redis ran for each call. */
  readonly scripts: number;
  readonly residentMib: number;
  /** The first calls of all customers, and the calls that were measured. */
  readonly cold: LoadReport;
  readonly warm: LoadReport;
}

// A free plan whose rate no caller in the long tail reaches. If one caller makes all calls, it needs a larger one.
const FEW_CALLS = { name: "free", callsPerMonth: 7460, requestsPerSecond: 20 };
const MANY_CALLS = { name: "mega", callsPerMonth: 100_000_000, requestsPerSecond: 100_000, priceMinor: 100 };
const FEW_KEYS = 100;

/** Measures it. */
export async function measureCase(
  { keys, servers, callsPerSecond, workers }: Case,
  { postgres, redis, template, warmSeconds, seconds, profileTo, onStatements }: CaseOptions,
): Promise<Cost> {
  const directory = mkdtempSync(join(tmpdir(), "quintet-callers-"));
  const url = await postgres.createDatabase(template);
  const plan = keys < FEW_KEYS ? MANY_CALLS : FEW_CALLS;
  const keysPath = join(directory, "keys");
  writeFileSync(keysPath, (await insertCustomers(url, keys, plan.name)).join("\n"));
  const plansPath = join(directory, "plans.json");
  writeFileSync(plansPath, planFile({ farkle: [FEW_CALLS, MANY_CALLS] }));
  const variables = {
    QUINTET_DATABASE_URL: url,
    QUINTET_REDIS_URL: redis.url,
    QUINTET_PLANS: plansPath,
    QUINTET_WORKERS: String(workers),
  };
  const database = new pg.Client(url);
  await database.connect();
  const cache = await createClient({ url: redis.url }).connect();
  const running: BenchServer[] = [];
  try {
    for (let started = 0; started < servers; started += 1) {
      running.push(await startServer(variables, profileTo));
    }
    const ports = running.map(({ port }) => port);
    const { rows } = await database.query("select pg_backend_pid() as pid");
    const postgresPid = parentOf(rows[0].pid);
    const redisPid = Number(/process_id:(\d+)/.exec(String(await cache.info("server")))?.[1]);
    const scripts = async (): Promise<number> =>
      [...String(await cache.info("commandstats")).matchAll(/cmdstat_(?:evalsha|eval|fcall):calls=(\d+)/g)].reduce(
        (sum, [, calls]) => sum + Number(calls),
        0,
      );
    const cpuUs = async () => ({
      server: running.reduce((sum, server) => sum + server.cpuUs().all, 0),
      mainThread: running.reduce((sum, server) => sum + server.cpuUs().mainThread, 0),
      redis: processUs(redisPid),
      postgres: familyUs(postgresPid),
      scripts: await scripts(),
    });
    // Each customer's first call at each server; with few customers, enough calls to warm the servers up. Which thread serves a call is
    // random, so there are more calls until nearly all threads know all customers.
    const rounds = workers === 1 ? 1 : 2 * workers;
    const coldSeconds = Math.max(warmSeconds, Math.ceil((keys * servers * rounds) / callsPerSecond));
    const cold = await runLoad({ ports, keysPath, callsPerSecond, seconds: coldSeconds, isOneAfterAnother: true });
    if (onStatements !== undefined) {
      await database.query("create extension if not exists pg_stat_statements");
      await database.query("select pg_stat_statements_reset()");
    }
    const before = await cpuUs();
    const warm = await runLoad({ ports, keysPath, callsPerSecond, seconds });
    const after = await cpuUs();
    if (onStatements !== undefined) {
      const text = `select calls, rows, round(total_exec_time::numeric) as ms, round(total_plan_time::numeric) as plan_ms,
        round((1000 * (total_exec_time + total_plan_time) / ${warm.calls})::numeric, 2) as us_a_call, left(query, 180) as query
        from pg_stat_statements order by total_exec_time + total_plan_time desc limit 15`;
      onStatements((await database.query(text)).rows);
    }
    const each = (figure: keyof typeof before): number => (after[figure] - before[figure]) / warm.calls;
    return {
      serverUs: each("server"),
      mainThreadUs: each("mainThread"),
      redisUs: each("redis"),
      postgresUs: each("postgres"),
      scripts: each("scripts"),
      residentMib: Math.max(...running.map((server) => server.residentMib())),
      cold,
      warm,
    };
  } finally {
    for (const server of running) {
      await server.stop();
    }
    cache.destroy();
    await database.end();
    await postgres.dropDatabase(url);
    rmSync(directory, { recursive: true, force: true });
  }
}
