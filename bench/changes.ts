// Measures changes of accounts that many servers share: how many a second, how soon every server has applied them, and what the heartbeats
// of idle servers cost. The servers are real stores, with their listeners, in one process; PostgreSQL is a real one that writes to the
// disk. `npm run bench -- changes`, or with `-- --servers 100,300 --rates 0,100,500 --seconds 10`.
import { randomInt } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { systemClock as clock } from "../src/runtime/clock.ts";
import { createLog } from "../src/runtime/log.ts";
import { migrateStore, openStore } from "../src/store/open.ts";
import type { Store } from "../src/store/store.ts";
import { inDatabase, startPostgres } from "../test/fixtures/servers/postgres.ts";
import { percentilesOf } from "./percentiles.ts";

const { values } = parseArgs({
  options: {
    servers: { type: "string", default: "100,300" },
    rates: { type: "string", default: "0,100,500" },
    seconds: { type: "string", default: "10" },
  },
});
const numbers = (text: string): readonly number[] => text.split(",").map(Number);
const seconds = Number(values.seconds);

const ACCOUNTS = 2000;
// The most changes in progress on a server. Beyond that, callers are not accepted.
const UNDER_WAY_MAX = 2000;
const TICKS_PER_S = 100;

const settings = {
  max_connections: "3000",
  shared_buffers: "256MB",
  fsync: "on",
  full_page_writes: "on",
  max_wal_size: "2GB",
};

const passed = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const statOf = (pid: string | number): readonly string[] => {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  return text.slice(text.lastIndexOf(")") + 2).split(" ");
};
const PARENT = 1;
const CPU_TIMES = [11, 12];

// The CPU time of PostgreSQL's processes so far, in seconds.
function cpuOfFamily(parent: number): number {
  let ticks = 0;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = statOf(pid);
      if (Number(pid) === parent || Number(stat[PARENT]) === parent) {
        ticks += CPU_TIMES.reduce((sum, at) => sum + Number(stat[at]), 0);
      }
    } catch {
      // It has just ended.
    }
  }
  return ticks / TICKS_PER_S;
}

interface Seen {
  readonly created: number;
  readonly unconfirmed: number;
  readonly failed: number;
  readonly tookMs: readonly number[];
}

// Changes random accounts on random servers, `rate` a second, each at its own time whether or not the earlier ones are done.
async function change(stores: readonly Store[], rate: number): Promise<Seen> {
  const seen = { created: 0, unconfirmed: 0, failed: 0, tookMs: [] as number[] };
  const underWay = new Set<Promise<void>>();
  const startedMs = clock.monotonicMs();
  const one = async (): Promise<void> => {
    const store = stores[randomInt(stores.length)] as Store;
    const fromMs = clock.monotonicMs();
    try {
      await store.setSuspended(`a-${randomInt(ACCOUNTS)}`, true);
      const { isComplete } = await store.acknowledged();
      seen.created += 1;
      seen.unconfirmed += isComplete ? 0 : 1;
      seen.tookMs.push(clock.monotonicMs() - fromMs);
    } catch {
      seen.failed += 1;
    }
  };
  let started = 0;
  for (let elapsedMs = 0; elapsedMs < seconds * 1000; elapsedMs = clock.monotonicMs() - startedMs) {
    for (; started < (elapsedMs / 1000) * rate && underWay.size < UNDER_WAY_MAX; started += 1) {
      const work = one().finally(() => underWay.delete(work));
      underWay.add(work);
    }
    await passed(2);
  }
  await Promise.all(underWay);
  return seen;
}

const server = await startPostgres(undefined, settings);
process.stdout.write(
  "| servers | changes/s wanted | changes/s made | p50 | p99 | slowest | unconfirmed or failed | PostgreSQL | the servers |\n" +
    "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
);
for (const servers of numbers(values.servers)) {
  const url = await server.createDatabase();
  const database = { url, connectionsMax: 1, staleAfterMs: 10_000 };
  const options = { dataDir: "/nonexistent", database, clock, log: createLog("silent") };
  await migrateStore(options);
  const stores: Store[] = [];
  while (stores.length < servers) {
    stores.push(
      ...(await Promise.all(
        Array.from({ length: Math.min(10, servers - stores.length) }, () => openStore({ ...options, role: "server" })),
      )),
    );
  }
  const parent = await inDatabase(url, async (client) => {
    const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
    return Number(statOf(rows[0]?.pid ?? 0)[PARENT]);
  });
  await inDatabase(url, (client) =>
    client.query(
      `insert into accounts (id, name, email, suspended, created_at_ms, operator)
       select 'a-' || n, 'a-' || n, null, 0, 0, 0 from generate_series(0, ${ACCOUNTS - 1}) as n`,
    ),
  );
  await passed(2000);
  for (const rate of numbers(values.rates)) {
    const before = { us: process.cpuUsage(), s: cpuOfFamily(parent), ms: clock.monotonicMs() };
    const { created, unconfirmed, failed, tookMs } = await change(stores, rate);
    const tookS = (clock.monotonicMs() - before.ms) / 1000;
    const own = process.cpuUsage(before.us);
    const core = (s: number): string => `${((100 * s) / tookS).toFixed(0)}%`;
    const ms = tookMs.length === 0 ? undefined : percentilesOf([...tookMs]);
    const cells = [
      servers,
      rate,
      (created / tookS).toFixed(0),
      ms === undefined ? "" : `${ms.median.toFixed(0)} ms`,
      ms === undefined ? "" : `${ms.p99.toFixed(0)} ms`,
      ms === undefined ? "" : `${ms.max.toFixed(0)} ms`,
      unconfirmed + failed,
      core(cpuOfFamily(parent) - before.s),
      core((own.user + own.system) / 1e6),
    ];
    process.stdout.write(`| ${cells.join(" | ")} |\n`);
    await passed(1000);
  }
  await Promise.all(stores.map((store) => store.close()));
}
await server.close();
