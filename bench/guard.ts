// Measures the cost of the guard, how soon other nodes refuse a revoked key, and what callers see when a store fails. Needs PostgreSQL and
// Redis. Writes bench/guard.md.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "redis";
import { openRedisRate } from "../src/guard/rate/redis/redis-buckets.ts";
import { RedisStatus } from "../src/guard/rate/redis/redis-status.ts";
import { systemClock as clock } from "../src/runtime/clock.ts";
import { createLog } from "../src/runtime/log.ts";
import { openStore } from "../src/store/open.ts";
import { planFile } from "../test/fixtures/plan-file.ts";
import { makeCustomers, plansOf } from "../test/system/limits/customers.ts";
import { NodeProcess } from "../test/system/limits/node-process.ts";
import { databaseOptions, startStores } from "../test/system/limits/stores.ts";
import { type Cost, measureCost } from "./guard/cost.ts";
import { type Failure, type Seen, seeFailure } from "./guard/failures.ts";
import { measureRevocation } from "./guard/revocation.ts";
import type { Percentiles } from "./percentiles.ts";

const row = (...cells: readonly (string | number)[]): string => `| ${cells.join(" | ")} |`;
const fixed = (value: number): string => value.toFixed(value < 10 ? 2 : 0);
const tripsOf = ({ storeTrips }: Cost): string => `one in ${Math.round(1 / storeTrips)}`;
const directory = mkdtempSync(join(tmpdir(), "quintet-bench-"));
const stores = await startStores();

const writePlans = (name: string, text: string): string => {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
};
const generous = { scores: 2_000_000, stations: 1000, rate: 1000 };
const generousPath = writePlans("generous.json", planFile(plansOf(generous)));

async function measureEmbedded(): Promise<Cost> {
  const store = await openStore({ dataDir: join(directory, "data"), clock, role: "server" });
  const [customer] = await makeCustomers(store, generous);
  const cost = await measureCost(store, generousPath, customer?.keys[0]?.secret ?? "", 10);
  await store.close();
  return cost;
}

// The CPU time that Redis has used so far, its own and the kernel's on its behalf, in microseconds.
async function redisCpuUs(): Promise<number> {
  const client = await createClient({ url: stores.redis.url }).connect();
  const info = String(await client.info("cpu"));
  client.destroy();
  const seconds = ["used_cpu_user", "used_cpu_sys"].map((name) => Number(new RegExp(`${name}:([\\d.]+)`).exec(info)?.[1]));
  return seconds.reduce((sum, one) => sum + one, 0) * 1e6;
}

async function measureShared(): Promise<Cost & { readonly redisTrips: number; readonly redisUs: number }> {
  const store = await openStore({ ...databaseOptions(await stores.postgres.createDatabase(stores.template)), role: "server" });
  const [customer] = await makeCustomers(store, generous);
  let redisTrips = 0;
  const rate = await openRedisRate({
    url: stores.redis.url,
    nodesAlive: () => 1,
    redisCells: RedisStatus.of(1).cells,
    thread: 0,
    clock,
    log: createLog("silent"),
  });
  const beforeUs = await redisCpuUs();
  const cost = await measureCost(store, generousPath, customer?.keys[0]?.secret ?? "", 4, (own) => {
    const shared = rate.share(own);
    return {
      take(...args) {
        const taken = shared.take(...args);
        redisTrips += taken instanceof Promise ? 1 : 0;
        return taken;
      },
      refund: (...args) => shared.refund(...args),
      charge: (...args) => shared.charge(...args),
      fullForMs: (...args) => shared.fullForMs(...args),
    };
  });
  const redisUs = ((await redisCpuUs()) - beforeUs) / redisTrips;
  await rate.close();
  await store.close();
  return { ...cost, redisTrips, redisUs };
}

async function measureRevoked(): Promise<Percentiles> {
  const options = databaseOptions(await stores.postgres.createDatabase(stores.template));
  const store = await openStore({ ...options, role: "command" });
  const [customer] = await makeCustomers(store, generous);
  await store.close();
  return measureRevocation(options, generousPath, customer?.accountId ?? "", 200);
}

async function measureFailures(): Promise<readonly Seen[]> {
  const limits = { scores: 20_000, stations: 1000, rate: 1000 };
  const plansPath = writePlans("plans.json", planFile(plansOf(limits)));
  const { postgres, redis } = stores;
  const failures: readonly Failure[] = [
    { name: "nothing fails", fail: () => {}, heal: () => {} },
    { name: "Redis is stopped", fail: () => redis.stop(), heal: () => redis.start() },
    { name: "Redis is silent", fail: () => redis.pause(), heal: () => redis.resume() },
    { name: "PostgreSQL is stopped", fail: () => postgres.stop(), heal: () => postgres.start() },
    { name: "PostgreSQL is silent", fail: () => postgres.pause(), heal: () => postgres.resume() },
  ];
  const all: Seen[] = [];
  for (const failure of failures) {
    const url = await postgres.createDatabase(stores.template);
    const store = await openStore({ ...databaseOptions(url), role: "command" });
    const [customer] = await makeCustomers(store, limits);
    await store.close();
    const variables = { QUINTET_DATABASE_URL: url, QUINTET_REDIS_URL: redis.url, QUINTET_PLANS: plansPath };
    const offsetMs = Date.UTC(2026, 10, 15) - clock.nowMs();
    const node = await NodeProcess.start({ name: "bench", workers: 1, offsetMs, variables });
    if (customer !== undefined) {
      all.push(await seeFailure(node, customer, failure));
    }
    node.client.cut();
    await node.stop();
  }
  return all;
}

const timesOf = (times: Percentiles | undefined): string =>
  times === undefined ? "" : `${fixed(times.median)} / ${fixed(times.p99)}`;
const failureRow = ({ name, outcomes, took, tookAdmitted, tookRefused, healMs, refusedLater }: Seen): string => {
  const seen = Object.entries(outcomes).map(([outcome, count]) => `${count} × ${outcome}`);
  return row(name, seen.join(", "), timesOf(took), timesOf(tookAdmitted), timesOf(tookRefused), fixed(healMs), refusedLater);
};

const embedded = await measureEmbedded();
const shared = await measureShared();
const revoked = await measureRevoked();
const failures = await measureFailures();
const lines = [
  "# What the guard costs",
  "",
  "Written by `npm run bench -- guard`, with PostgreSQL and Redis on the same machine.",
  "",
  `Machine: ${cpus()[0]?.model ?? "unknown"}, ${cpus().length} cores. Node ${process.version}.`,
  "",
  "## One admission, with its settling",
  "",
  "| | µs each, many at once | µs alone, median | µs alone, p99 | decided by Redis | queries to the database |",
  "| --- | ---: | ---: | ---: | ---: | ---: |",
  row("embedded", fixed(embedded.eachUs), fixed(embedded.aloneUs.median), fixed(embedded.aloneUs.p99), 0, tripsOf(embedded)),
  row(
    "PostgreSQL and Redis",
    fixed(shared.eachUs),
    fixed(shared.aloneUs.median),
    fixed(shared.aloneUs.p99),
    `${Math.round((100 * shared.redisTrips) / shared.admissions)}%`,
    tripsOf(shared),
  ),
  "",
  "One that Redis decides takes one round trip; those of one turn of the event loop share a write. Where Redis takes more than 50 ms, as it may",
  "now and then on a machine with this little to spare, the node uses its own buckets for a while. A lease is 20,000 calls here.",
  `One decision costs Redis ${fixed(shared.redisUs)} µs of CPU time.`,
  "",
  "## A key that was revoked at another node",
  "",
  `From the call that revokes it until the first refusal, over 200 keys: median ${fixed(revoked.median)} ms, at most ${fixed(revoked.max)} ms.`,
  "",
  "## What callers see when a store fails",
  "",
  "One node, eight callers, 400 calls a second in four protocols; a lease is 200 calls. The store is down for four seconds, which the",
  "figures cover. It has recovered when the first call is admitted again or, if none was refused, when nodes count rates together again. An",
  "admitted call is HTTP 200; LIMITS_UNAVAILABLE is HTTP 503 or gRPC's UNAVAILABLE, with a hint about when to retry.",
  "",
  "| failure | responses | ms, median / p99 | admitted | refused | recovered after, ms | refused after that |",
  "| --- | --- | ---: | ---: | ---: | ---: | ---: |",
  ...failures.map(failureRow),
  "",
];
writeFileSync(new URL("guard.md", import.meta.url), lines.join("\n"));
process.stdout.write(`${lines.join("\n")}\n`);
await stores.close();
rmSync(directory, { recursive: true, force: true });
