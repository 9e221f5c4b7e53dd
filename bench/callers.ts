// Measures what a call costs when there are many callers: real servers over one PostgreSQL and one Redis, and the CPU time of each by
// /proc. Writes bench/callers.md. Options: `--only KEYSxSERVERS`, `--rate N` for other calls a second, `--seconds N`, `--warm N`,
// `--workers N`, `--profile FOLDER` for CPU profiles of the servers, `--statements` for PostgreSQL's most expensive statements,
// `--no-write`. Needs Go 1.26, PostgreSQL and Redis.
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { systemClock as clock } from "../src/runtime/clock.ts";
import { migrateStore } from "../src/store/open.ts";
import { startPostgres } from "../test/fixtures/servers/postgres.ts";
import { startRedis } from "../test/fixtures/servers/redis.ts";
import { type Case, type Cost, measureCase } from "./callers/case.ts";
import { table } from "./table.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    rate: { type: "string" },
    seconds: { type: "string", default: "30" },
    warm: { type: "string", default: "30" },
    workers: { type: "string" },
    profile: { type: "string" },
    statements: { type: "boolean", default: false },
    "no-write": { type: "boolean", default: false },
  },
});

const CASES: readonly Case[] = [
  { keys: 1, servers: 1, callsPerSecond: 3000, workers: 1 },
  { keys: 1, servers: 4, callsPerSecond: 3000, workers: 1 },
  { keys: 1000, servers: 4, callsPerSecond: 3000, workers: 1 },
  { keys: 10_000, servers: 1, callsPerSecond: 3000, workers: 1 },
  { keys: 10_000, servers: 4, callsPerSecond: 3000, workers: 1 },
  { keys: 50_000, servers: 4, callsPerSecond: 3000, workers: 1 },
  { keys: 150_000, servers: 1, callsPerSecond: 2500, workers: 1 },
  { keys: 1, servers: 1, callsPerSecond: 3000, workers: 2 },
  { keys: 10_000, servers: 1, callsPerSecond: 3000, workers: 2 },
];

const nameOf = ({ keys, servers }: Case): string => `${keys}x${servers}`;
const cases = CASES.filter((one) => values.only === undefined || values.only.split(",").includes(nameOf(one)))
  .filter(({ workers }) => values.workers === undefined || String(workers) === values.workers)
  .map((one) => ({ ...one, callsPerSecond: Number(values.rate ?? one.callsPerSecond) }));

// A production server's settings. The bench measures that commits are flushed, not how long a disk takes for that.
const SETTINGS = {
  fsync: "on",
  full_page_writes: "on",
  shared_buffers: "256MB",
  max_wal_size: "1GB",
  shared_preload_libraries: values.statements ? "pg_stat_statements" : "",
  "pg_stat_statements.track_planning": "on",
};
const { "pg_stat_statements.track_planning": _, ...plainSettings } = SETTINGS;
const postgres = await startPostgres(undefined, values.statements ? SETTINGS : plainSettings);
const redis = await startRedis();
const template = await postgres.createDatabase();
await migrateStore({ dataDir: "/nonexistent", database: { url: template, connectionsMax: 2, staleAfterMs: 10_000 }, clock });

const fixed = (value: number): string => value.toFixed(value < 9.95 ? 1 : 0);
const rows: string[][] = [];
for (const one of cases) {
  const cost = await measureCase(one, {
    postgres,
    redis,
    template: postgres.nameOf(template),
    warmSeconds: Number(values.warm),
    seconds: Number(values.seconds),
    profileTo: values.profile,
    onStatements: values.statements
      ? (statements) => process.stderr.write(`${JSON.stringify(statements, undefined, 1)}\n`)
      : undefined,
  });
  rows.push(rowOf(one, cost));
  process.stderr.write(`${rows.at(-1)?.join(" | ")}  ${JSON.stringify(cost.cold)} ${JSON.stringify(cost.warm)}\n`);
}
await redis.close();
await postgres.close();

function rowOf({ keys, servers, workers, callsPerSecond }: Case, cost: Cost): string[] {
  const { warm, cold } = cost;
  return [
    `${keys.toLocaleString("en")} × ${servers}${workers === 1 ? "" : ` of ${workers} threads`} (${callsPerSecond.toLocaleString("en")})`,
    fixed(cost.serverUs),
    workers === 1 ? "" : fixed(cost.mainThreadUs),
    fixed(cost.redisUs),
    fixed(cost.postgresUs),
    cost.scripts.toFixed(2),
    `${fixed(warm.p50Ms)} / ${fixed(warm.p99Ms)}`,
    fixed(cold.p99Ms),
    `${cold.refusals} / ${warm.refusals}`,
    cost.residentMib.toFixed(0),
  ];
}

const columns = [
  "keys × servers (calls/s)",
  "server, µs",
  "main thread, µs",
  "Redis, µs",
  "PostgreSQL, µs",
  "scripts",
  "ms, p50 / p99",
  "first calls, p99",
  "refused, first / later",
  "MiB a server",
];
// Measured on the same machine before leases were renewed together, keys were bounded by memory and usage was appended. Other work kept the
// machine busy, as when the table above was measured first.
const BEFORE = [
  ["1 × 1 (1,000)", "187", "", "63", "5.0", "1.00", "0.4 / 36", "8.3", "0 / 0", "276"],
  ["1 × 4 (1,000)", "346", "", "59", "17", "1.02", "1.4 / 85", "831", "755 / 103", "215"],
  ["1,000 × 4 (1,000)", "373", "", "62", "43", "1.02", "0.9 / 25", "5983", "12299 / 158", "211"],
  ["10,000 × 4 (1,000)", "644", "", "64", "250", "1.01", "2.5 / 89", "3824", "10051 / 230", "290"],
];

const text = `# Many callers

Written by \`npm run bench -- callers\`. Machine: ${cpus()[0]?.model ?? "unknown"}, ${cpus().length} cores, which servers, PostgreSQL, Redis and
the load share. Node ${process.version}.

The CPU time that a call takes on all servers together, in Redis and in PostgreSQL. Each customer first calls each server once; then customers are chosen at random.
Their plan has 7,460 calls a month at 20 a second; a single customer has a plan without effective limits. With few calls a second, what
servers and stores do without any call is a large part of the figures: four servers' heartbeats alone are most of PostgreSQL's time for one key.

${table(columns, rows)}

## Before leases were renewed together, keys were bounded by memory, and usage was appended

The first calls were made at 2,000 a second here.

${table(columns, BEFORE)}
`;
if (!values["no-write"]) {
  writeFileSync(new URL("callers.md", import.meta.url), text);
}
process.stdout.write(text);
