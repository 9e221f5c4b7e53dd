// A run on several nodes: customers call them in all protocols while faults happen, then, with everything healthy, until every node says that
// the month is used up, and then some. What they heard and what the stores hold is the record.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../src/clock.ts";
import { seeded } from "../../src/sandbox/seeded.ts";
import { migrateStore, openStore } from "../../src/store/open.ts";
import type { Month } from "../../src/store/store.ts";
import { planFile } from "../plan-file.ts";
import { type PostgresServer, startPostgres } from "../servers/postgres.ts";
import { type RedisServer, startRedis } from "../servers/redis.ts";
import { makeTemporaryDirectory } from "../store/temporary-directory.ts";
import { Callers, passed, type Random } from "./callers.ts";
import { type Customer, makeCustomers, plansOf, standingOf } from "./customers.ts";
import { type CuttingProxy, startCuttingProxy } from "./cutting-proxy.ts";
import { CHAOS_MS, type Fault, planFaults } from "./faults.ts";
import { judge, type Result } from "./result.ts";
import { World } from "./world.ts";

/** The stores that all runs share, one after another. */
export interface Stores {
  readonly postgres: PostgresServer;
  readonly redis: RedisServer;
  readonly proxy: CuttingProxy;
  /** A database with the schema and nothing in it. */
  readonly template: string;
  close(): Promise<void>;
}

const CALLERS_PER_CUSTOMER = 6;
// All of them, where one node is left.
const CALLERS = 3 * CALLERS_PER_CUSTOMER;
const CALLERS_AT_LAST = 4;
const REFUSALS_AT_LAST = 150;
const MID_MONTH_MS = Date.UTC(2026, 10, 15, 12);
const MONTH_END_MS = Date.UTC(2026, 11, 1);

const optionsOf = (url: string) => ({ dataDir: "/nonexistent", database: { url, connectionsMax: 5 }, clock: systemClock });

/** Starts the stores. */
export async function startStores(): Promise<Stores> {
  const postgres = await startPostgres();
  const redis = await startRedis();
  const url = await postgres.createDatabase();
  await migrateStore(optionsOf(url));
  const proxy = await startCuttingProxy(Number(new URL(url).port));
  return {
    postgres,
    redis,
    proxy,
    template: postgres.nameOf(url),
    async close() {
      await proxy.close();
      await redis.close();
      await postgres.close();
    },
  };
}

/** Makes a run. */
export async function runManyNodes(stores: Stores, seed: number, index: number): Promise<Result> {
  const random = seeded(seed);
  const faults = planFaults(random, index);
  const limits = {
    scores: 800 + Math.floor(random() * 1200),
    stations: 300 + Math.floor(random() * 500),
    rate: 20 + Math.floor(random() * 60),
  };
  const directory = makeTemporaryDirectory();
  const plansPath = join(directory.path, "plans.json");
  writeFileSync(plansPath, planFile(plansOf(limits)));
  const url = await stores.postgres.createDatabase(stores.template);
  const store = await openStore({ ...optionsOf(url), role: "command" });
  const customers = await makeCustomers(store, limits);
  await store.close();
  const throughProxy = new URL(url);
  throughProxy.port = String(stores.proxy.port);
  const variables = {
    QUINTET_DATABASE_URL: throughProxy.href,
    QUINTET_REDIS_URL: stores.redis.url,
    QUINTET_PLANS: plansPath,
    QUINTET_DRAIN_MS: "200",
  };
  const world = new World({ ...stores, variables, offsetMs: MID_MONTH_MS - systemClock.nowMs() });
  const callers = new Callers();
  try {
    const needsThreads = faults.some(({ kind }) => kind === "worker killed");
    await Promise.all([world.join(needsThreads || random() < 0.3 ? 2 : 1), world.join(1)]);
    const done = await callThroughout(world, callers, random, faults, customers);
    await world.stop();
    const after = await openStore({ ...optionsOf(url), role: "command" });
    const standing = await standingOf(after, customers);
    await after.close();
    const lastMonth: Month = faults.some(({ kind }) => kind === "month turned") ? "2026-12" : "2026-11";
    const history = { subscriptions: customers, sharedRate: true, callersPerNode: CALLERS, ...callers, ...standing, lastMonth };
    return judge(seed, done, { ...history, events: world.events });
  } finally {
    await world.abandon();
    directory.remove();
  }
}

// Answers which faults could be done.
async function callThroughout(
  world: World,
  callers: Callers,
  random: Random,
  faults: readonly Fault[],
  customers: readonly Customer[],
): Promise<readonly string[]> {
  const turn = faults.find(({ kind }) => kind === "month turned");
  if (turn !== undefined) {
    await world.setClocks(MONTH_END_MS - turn.atMs - systemClock.nowMs());
  }
  let isChaos = true;
  let isOver = false;
  const nodes = (): World["nodes"] => world.nodes;
  const calling = customers.map((customer) => {
    // Enough for the month to be used up about when the faults end.
    const perSecond = customer.usedUp
      ? (customer.callsPerMonth / (CHAOS_MS / 1000)) * (0.6 + random())
      : 5 * customer.requestsPerSecond;
    const over = (): boolean => (customer.usedUp ? !isChaos : isOver);
    return callers.callOn({ random, customer, nodes, callers: CALLERS_PER_CUSTOMER, perSecond, isOver: over });
  });
  const suffered = faults.map(async (fault) => {
    await passed(fault.atMs);
    return (await world.suffer(fault)) ? [fault.kind] : [];
  });
  await passed(CHAOS_MS);
  const done = (await Promise.all(suffered)).flat();
  isChaos = false;
  await Promise.all(calling.filter((_, index) => customers[index]?.usedUp));
  await world.setClocks();
  const last = customers.filter(({ usedUp }) => usedUp);
  await Promise.all(
    world.nodes.flatMap((node) => last.map((customer) => callers.useUp(random, node, customer, CALLERS_AT_LAST, REFUSALS_AT_LAST))),
  );
  isOver = true;
  await Promise.all(calling);
  return done;
}
