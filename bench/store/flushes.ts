// How long servers wait when they write their usage to one PostgreSQL, and what that costs: simulated servers with the real store, each
// with one connection and the timeouts of a server. `npm run bench -- store/flushes`.

import { systemClock as clock } from "../../src/runtime/clock.ts";
import { createLog } from "../../src/runtime/log.ts";
import { systemRandomness } from "../../src/runtime/randomness.ts";
import { seeded } from "../../src/sandbox/stand-ins/seeded.ts";
import { ChangeListeners } from "../../src/store/changes.ts";
import { NodeStatus } from "../../src/store/node-status.ts";
import { migrateStore } from "../../src/store/open.ts";
import { openPostgres } from "../../src/store/postgres/postgres.ts";
import { createStore, type Store } from "../../src/store/store.ts";
import { startCountAggregation } from "../../src/store/store-jobs.ts";
import type { UsageCount } from "../../src/store/usage-records.ts";
import { startPostgres } from "../../test/fixtures/servers/postgres.ts";
import { percentilesOf } from "../percentiles.ts";
import { table, whole } from "../table.ts";
import { cpuMs, MEASURED_SETTINGS, pidOf } from "./postgres-cpu.ts";

interface Scenario {
  readonly what: string;
  readonly servers: number;
  readonly keys: number;
  readonly accounts: number;
  /** Of one server in one second. */
  readonly calls: number;
}

const SECONDS = 40;
const log = createLog("silent");
const random = seeded(26);

const SCENARIOS: readonly Scenario[] = [
  ...[10, 100, 300].map((servers) => ({ what: "100 keys of a customer", servers, keys: 100, accounts: 1, calls: 100 })),
  { what: "10,000 customers", servers: 4, keys: 10_000, accounts: 10_000, calls: 750 },
];

async function openServer(url: string): Promise<Store> {
  const listeners = new ChangeListeners();
  const nodeStatus = new NodeStatus();
  const database = { url, connectionsMax: 1, staleAfterMs: 10_000 };
  const onChange = (accountId?: string): void => listeners.notify(accountId);
  const backend = await openPostgres({ database, clock, log, role: "server", status: nodeStatus, onChange });
  return createStore({ backend, clock, listeners, nodeStatus });
}

// The counts of a second.
function secondOf({ keys, accounts, calls }: Scenario): UsageCount[] {
  const now = new Date(clock.nowMs()).toISOString();
  const counts = new Map<string, UsageCount & { calls: number }>();
  for (let call = 0; call < calls; call++) {
    const key = Math.floor(random() * keys);
    const outcome = random() < 0.05 ? "NOT_FOUND" : "OK";
    const count = counts.get(`${key} ${outcome}`) ?? {
      accountId: `00000000-0000-4000-8000-${String(key % accounts).padStart(12, "0")}`,
      keyId: `00000000-0000-4000-9000-${String(key).padStart(12, "0")}`,
      service: "radio",
      method: "quintet.radio.v1.RadioService/SearchStations",
      day: now.slice(0, 10),
      hour: Number(now.slice(11, 13)),
      outcome,
      calls: 0,
    };
    count.calls++;
    counts.set(`${key} ${outcome}`, count);
  }
  return [...counts.values()];
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function run(scenario: Scenario): Promise<(string | number)[]> {
  const server = await startPostgres(undefined, MEASURED_SETTINGS);
  try {
    const url = await server.createDatabase();
    await migrateStore({ dataDir: "/nonexistent", database: { url, connectionsMax: 1, staleAfterMs: 10_000 }, clock });
    const stores: Store[] = [];
    while (stores.length < scenario.servers) {
      stores.push(await openServer(url));
    }
    const ends = stores.map((store) => startCountAggregation({ store, clock, randomness: systemRandomness, log }));
    const pid = await pidOf(url);
    const beginCpuMs = cpuMs(pid);
    const latenciesMs: number[] = [];
    let failed = 0;
    let calls = 0;
    const untilMs = clock.monotonicMs() + SECONDS * 1000;
    await Promise.all(
      stores.map(async (store) => {
        const writer = systemRandomness.uuid();
        await sleep(random() * 1000);
        for (let number = 1; clock.monotonicMs() < untilMs; number++) {
          const counts = secondOf(scenario);
          for (let start = 0; start < counts.length; start += 500) {
            const batch = counts.slice(start, start + 500);
            const beginMs = clock.monotonicMs();
            try {
              await store.addUsage(batch, { writer, number: 2 * number + start / 500 });
            } catch {
              failed++;
            }
            latenciesMs.push(clock.monotonicMs() - beginMs);
          }
          calls += scenario.calls;
          await sleep(1000);
        }
      }),
    );
    await Promise.all(ends.map((end) => end()));
    const usedMs = cpuMs(pid) - beginCpuMs;
    const { median, p99, max } = percentilesOf(latenciesMs);
    await Promise.all(stores.map((store) => store.close()));
    return [
      scenario.what,
      scenario.servers,
      whole(calls),
      failed,
      ...[median, p99, max].map((ms) => ms.toFixed(1)),
      ((usedMs * 1000) / calls).toFixed(1),
    ];
  } finally {
    await server.close();
  }
}

const rows: (string | number)[][] = [];
for (const scenario of SCENARIOS) {
  rows.push(await run(scenario));
}
process.stdout.write(
  `${table(["callers", "servers", "calls", "failed writes", "median ms", "p99 ms", "max ms", "PostgreSQL µs a call"], rows)}\n`,
);
