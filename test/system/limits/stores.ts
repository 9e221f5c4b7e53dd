// The PostgreSQL and the Redis that runs on several nodes use one after another, and the proxy that cuts connections to PostgreSQL.
import { type RedisAddress, redisAddressOf } from "../../../src/config/redis-address.ts";
import { ONE_PART, type RedisPart } from "../../../src/guard/rate/redis/bucket-script.ts";
import { createRedisClient } from "../../../src/guard/rate/redis/redis-client.ts";
import { runBucketScript } from "../../../src/guard/rate/redis/redis-connection.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import { migrateStore, type StoreOptions } from "../../../src/store/open.ts";
import { type PostgresServer, startPostgres } from "../../fixtures/servers/postgres.ts";
import { type RedisServer, startRedis } from "../../fixtures/servers/redis.ts";
import { passed } from "./callers.ts";
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

// In the second after Redis has begun to count, a caller may get up to one burst more.
const BEGIN_MS = 1100;

/** Starts them. Redis has then counted for more than a second, so the first run gets no more than the next ones. */
export async function startStores(): Promise<Stores> {
  const postgres = await startPostgres();
  const redis = await startRedis();
  const client = createRedisClient(redisAddressOf(redis.url) as RedisAddress);
  await client.connect();
  await runBucketScript(client, ONE_PART[0] as RedisPart, "check", [1000, 1, 0]);
  client.destroy();
  const begun = passed(BEGIN_MS);
  const url = await postgres.createDatabase();
  await migrateStore(databaseOptions(url));
  const proxy = await startCuttingProxy(Number(new URL(url).port));
  await begun;
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
