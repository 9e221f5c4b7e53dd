// A whole gateway for tests: the app as it serves, on a free port of the loopback, with a data directory of its own, and hands on its
// store to make customers with. Time stands still in it until the test moves it.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAccount } from "../src/account/accounts.ts";
import { createKey } from "../src/account/keys.ts";
import { type AppOptions, buildApp } from "../src/app.ts";
import type { Clock } from "../src/clock.ts";
import { readConfig } from "../src/config/config.ts";
import { createLog, type Log } from "../src/log.ts";
import { systemRandomness } from "../src/randomness.ts";
import { SERVICE_NAMES, type ServiceName } from "../src/services/service.ts";
import { openStore } from "../src/store/open.ts";
import type { Key, Store } from "../src/store/store.ts";
import { createManualClock, type ManualClock } from "./manual-clock.ts";
import { planFile, type TestPlans } from "./plan-file.ts";

/** When every gateway of a test begins: a month of 30 days with ten of them left. */
export const START_MS = Date.UTC(2026, 10, 21, 12);

/** What a gateway is started with. */
export interface GatewayOptions {
  readonly plans?: TestPlans;
  /** Environment variables beside those that the harness sets. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  /** Starts the worker threads, where `variables` wants several; then the clock is one that they have too. */
  readonly startThread?: AppOptions["startThread"];
  /** Hears what is logged; by default nobody does. */
  readonly log?: Log;
  /** A directory that outlives the gateway; else one is made and removed. */
  readonly dataDir?: string;
}

/** A running gateway. */
export interface Gateway {
  readonly origin: string;
  readonly port: number;
  readonly clock: ManualClock;
  /** A second way into the store, as the command line has it. */
  readonly store: Store;
  /** Makes an account with a key, and with subscriptions of these plans. */
  makeCustomer(plans: Partial<Record<ServiceName, string>>): Promise<{ secret: string; key: Key }>;
  close(): Promise<void>;
}

// Closing waits for time as well as for peers, and this clock stands still.
async function letTimePass(clock: ManualClock, closing: Promise<void>): Promise<void> {
  let closed = false;
  const ended = closing.finally(() => {
    closed = true;
  });
  while (!closed) {
    clock.advance(100);
    await new Promise(setImmediate);
  }
  await ended;
}

/** Starts a gateway. Its upstreams are dead unless `variables` says otherwise. */
export async function startGateway({ plans = {}, variables = {}, ...options }: GatewayOptions = {}): Promise<Gateway> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), "quintet-")));
  const plansPath = join(dataDir, "plans.json");
  await writeFile(plansPath, planFile(plans));
  const manual = createManualClock({ nowMs: START_MS });
  const clock = options.clock ?? manual;
  const dead = "http://127.0.0.1:9";
  const config = readConfig({
    QUINTET_PORT: "0",
    QUINTET_DATA_DIR: dataDir,
    QUINTET_PLANS: plansPath,
    QUINTET_LOG_LEVEL: "silent",
    QUINTET_DRAIN_MS: "0",
    QUINTET_RADIO_SRV: "none",
    QUINTET_RADIO_MIRRORS: dead,
    QUINTET_COINS_URL: dead,
    QUINTET_TOKEN_LISTS: `uniswap=${dead}`,
    QUINTET_BITCOIN_CHARTS_URL: dead,
    QUINTET_BITCOIN_PRICE_URLS: `coinbase=${dead}`,
    ...variables,
  });
  const randomness = systemRandomness;
  const { startThread } = options;
  const log = options.log ?? createLog(config.logLevel);
  const app = await buildApp(config, { clock, randomness, log, ...(startThread && { startThread }) });
  const { port } = await app.listen().catch(async (error: unknown) => {
    await app.close();
    throw error;
  });
  const store = await openStore({ dataDir, database: config.database, clock, role: "command" });
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    clock: manual,
    store,
    async makeCustomer(subscriptions) {
      const account = await createAccount({ store, randomness }, { name: `customer-${randomness.bytes(4).join("")}`, email: null });
      for (const service of SERVICE_NAMES) {
        const plan = subscriptions[service];
        if (plan !== undefined) {
          await store.createSubscription({ id: randomness.uuid(), accountId: account.id, service, plan, state: "active" });
        }
      }
      return createKey({ store, clock, randomness }, { accountId: account.id, name: "test", services: null, expiresAtMs: null });
    },
    async close() {
      await store.close();
      const closing = app.close();
      await letTimePass(manual, closing);
      if (options.dataDir === undefined) {
        await rm(dataDir, { recursive: true, force: true });
      }
    },
  };
}
