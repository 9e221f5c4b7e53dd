// What it costs PostgreSQL that calls are counted: usage, response times, when keys were last used, and the checks for alerts. Four servers'
// own code counts calls of ten thousand customers, while time passes six times as fast. `npm run bench -- store/counted-calls`.
import { beginAlerts, CHECKS_MAX } from "../../src/alerts/alerts.ts";
import { loadPlans } from "../../src/catalogue/plans.ts";
import { UsageCounter } from "../../src/guard/batched-counts.ts";
import { LatencyRecorder } from "../../src/operations/latency-recorder.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { createLog } from "../../src/runtime/log.ts";
import { systemRandomness as randomness } from "../../src/runtime/randomness.ts";
import { seeded } from "../../src/sandbox/stand-ins/seeded.ts";
import { migrateStore, openStore } from "../../src/store/open.ts";
import { startCountAggregation } from "../../src/store/store-jobs.ts";
import type { LoggedCall } from "../../src/store/usage-records.ts";
import { inDatabase, startPostgres } from "../../test/fixtures/servers/postgres.ts";
import { insertCustomers } from "../callers/customers.ts";
import { table } from "../table.ts";
import { cpuMs, MEASURED_SETTINGS, pidOf } from "./postgres-cpu.ts";

const SERVERS = 4;
const CUSTOMERS = 10_000;
const SPEED = 6;
const WARM_MS = 240_000;
const MEASURED_MS = 240_000;
const METHOD = "quintet.farkle.v1.FarkleService/Score";
const CALLS_PER_SECOND = 1000;

const log = createLog("error");
const random = seeded(26);
const startedMs = systemClock.nowMs();
const clock: typeof systemClock = {
  ...systemClock,
  nowMs: () => startedMs + (systemClock.nowMs() - startedMs) * SPEED,
  monotonicMs: () => systemClock.monotonicMs() * SPEED,
  after: (ms, run) => systemClock.after(ms / SPEED, run),
};
const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    clock.after(ms, resolve);
  });

interface Customer {
  readonly account_id: string;
  readonly id: string;
}

// One server: what it does with the calls that it has admitted.
async function startServer(url: string) {
  const database = { url, connectionsMax: 10, staleAfterMs: 1_000_000 };
  const store = await openStore({ dataDir: "/nonexistent", database, clock, log, role: "command" });
  const shared = { store: { ...store }, clock, randomness, log };
  const usage = new UsageCounter({ ...shared, countsMax: 100_000, dropped: () => {} });
  const latency = new LatencyRecorder({ ...shared, streams: new Set() });
  const alerts = beginAlerts({
    ...{ ...shared, plans: loadPlans(undefined), refunded: [], mail: undefined, checksMax: CHECKS_MAX.postgresql },
    webhooks: { userAgent: "Quintet/1", connectTimeoutMs: 1000, allowsPrivate: false },
  });
  const endAggregation = startCountAggregation(shared);
  const principals = new WeakMap<Customer, { accountId: string; keyId: string; service: "farkle" }>();
  return {
    call(customer: Customer, nowMs: number): void {
      const time = new Date(nowMs).toISOString();
      const principal = principals.get(customer) ?? { accountId: customer.account_id, keyId: customer.id, service: "farkle" };
      principals.set(customer, principal);
      usage.count(principal as Parameters<UsageCounter["count"]>[0], METHOD, time.slice(0, 10), Number(time.slice(11, 13)), "OK");
      const logged = { ...principal, method: METHOD, startedAtMs: nowMs, durationMs: 2 * random() };
      latency.logged([logged as unknown as LoggedCall]);
    },
    async close(): Promise<void> {
      await Promise.all([usage.close(1_000_000), latency.close(), alerts.close(0), endAggregation()]);
      await store.close();
    },
  };
}

async function run(): Promise<string[]> {
  const postgres = await startPostgres(undefined, MEASURED_SETTINGS);
  try {
    const url = await postgres.createDatabase();
    await migrateStore({ dataDir: "/nonexistent", database: { url, connectionsMax: 1, staleAfterMs: 10_000 }, clock: systemClock });
    await insertCustomers(url, CUSTOMERS, "free");
    const customers: Customer[] = (await inDatabase(url, (client) => client.query("select id, account_id from api_keys"))).rows;
    const servers = await Promise.all(Array.from({ length: SERVERS }, () => startServer(url)));
    const pid = await pidOf(url);
    let calls = 0;
    const callFor = async (ms: number): Promise<void> => {
      const fromMs = clock.monotonicMs();
      let made = 0;
      for (let passedMs = 0; passedMs < ms; passedMs = clock.monotonicMs() - fromMs) {
        for (const due = (passedMs * CALLS_PER_SECOND) / 1000; made < due; made++) {
          const customer = customers[Math.floor(random() * CUSTOMERS)];
          if (customer !== undefined) {
            servers[made % SERVERS]?.call(customer, clock.nowMs());
          }
        }
        await pause(1000);
      }
      calls = made;
    };
    await callFor(WARM_MS);
    const beginMs = cpuMs(pid);
    await callFor(MEASURED_MS);
    const usedMs = cpuMs(pid) - beginMs;
    await Promise.all(servers.map((server) => server.close()));
    return [CALLS_PER_SECOND.toLocaleString("en"), calls.toLocaleString("en"), ((usedMs * 1000) / calls).toFixed(1)];
  } finally {
    await postgres.close();
  }
}

process.stdout.write(`${table(["calls/s", "calls", "PostgreSQL µs a call"], [await run()])}\n`);
