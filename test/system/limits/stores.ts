// The PostgreSQL and the Redis that runs on several nodes use one after another, and the proxy that cuts connections to PostgreSQL.
import { systemClock } from "../../../src/runtime/clock.ts";
import { migrateStore, type StoreOptions } from "../../../src/store/open.ts";
import { type PostgresServer, startPostgres } from "../../fixtures/servers/postgres.ts";
import { type RedisServer, startRedis } from "../../fixtures/servers/redis.ts";
import { type CuttingProxy, startCuttingProxy } from "./cutting-proxy.ts";

/** The stores. */
export interface Stores {
  readonly postgres: PostgresServer;
  readonly redis: RedisServer;
  readonly proxy: CuttingProxy;
  /** An empty database with the schema. */
  readonly template: string;
  close(): Promise<void>;
}

/** How a database is opened. */
export const databaseOptions = (url: string): Omit<StoreOptions, "role"> => ({
  dataDir: "/nonexistent",
  database: { url, connectionsMax: 5, staleAfterMs: 10_000 },
  clock: systemClock,
});

/** Starts them. */
export async function startStores(): Promise<Stores> {
  const postgres = await startPostgres();
  const redis = await startRedis();
  const url = await postgres.createDatabase();
  await migrateStore(databaseOptions(url));
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
