// Runs on several nodes with PostgreSQL and Redis.
import { seeded } from "../../../src/sandbox/stand-ins/seeded.ts";
import { FAULTS, planFaults } from "./faults.ts";
import type { Result } from "./result.ts";
import { run } from "./run.ts";
import { databaseOptions, type Stores } from "./stores.ts";

/** Runs one. */
export async function runManyNodes(stores: Stores, seed: number): Promise<Result> {
  const random = seeded(seed);
  const faults = planFaults(random, FAULTS, seed);
  const url = await stores.postgres.createDatabase(stores.template);
  const throughProxy = new URL(url);
  throughProxy.port = String(stores.proxy.port);
  const needsThreads = faults.some(({ kind }) => kind === "worker killed");
  return run({
    seed,
    random,
    faults,
    stores,
    nodes: [needsThreads || random() < 0.3 ? 2 : 1, 1],
    store: () => ({
      options: databaseOptions(url),
      variables: { QUINTET_DATABASE_URL: throughProxy.href, QUINTET_REDIS_URL: stores.redis.url },
    }),
  });
}
