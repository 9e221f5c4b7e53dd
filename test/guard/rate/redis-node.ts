// A server's connection to Redis for tests, which control its timeout.
import { type RedisAddress, redisAddressOf } from "../../../src/config/redis-address.ts";
import { SlotTable } from "../../../src/guard/memory/slots.ts";
import { type RateTake, SharedBuckets } from "../../../src/guard/rate/bucket.ts";
import { RedisBuckets } from "../../../src/guard/rate/redis/redis-buckets.ts";
import { createRedisClient } from "../../../src/guard/rate/redis/redis-client.ts";
import { RedisConnection } from "../../../src/guard/rate/redis/redis-connection.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import { createMemoryLog } from "../scene.ts";

// Long enough that a busy machine is not mistaken for a failing Redis.
const LONG_WAIT_MS = 2000;

/** A connection, what it logs, and functions that make and use buckets. */
export interface RedisNode {
  readonly connection: RedisConnection;
  readonly log: ReturnType<typeof createMemoryLog>;
  readonly isUp: boolean;
  /** Sends a command over a connection of its own, in a cluster to the server that has this key. */
  send(command: string[], key?: string): Promise<unknown>;
  /** Makes Redis remember that it has counted for long. Otherwise its buckets are empty at first. */
  age(): Promise<unknown>;
  share(own: SharedBuckets): RedisBuckets;
  take(requestsPerSecond: number, name: string): RateTake | Promise<RateTake>;
  refund(requestsPerSecond: number, name: string, take: RateTake): void;
  charge(requestsPerSecond: number, name: string, tokens: number): void;
  /** Takes that many at once, and returns the results. */
  takes(count: number, requestsPerSecond: number, name: string): Promise<RateTake[]>;
}

/** Connects to Redis. `nodesAlive` stands for the store's count. */
export async function openRedisNode(url: string, lateMs = LONG_WAIT_MS, nodesAlive = () => 1): Promise<RedisNode> {
  const log = createMemoryLog();
  const connection = new RedisConnection({ url, clock: systemClock, log, lateMs, nodesAlive });
  const table = new SlotTable(100);
  const slots = new Map<string, number>();
  const slotOf = (name: string): number => {
    const slot = slots.get(name) ?? table.take() ?? 0;
    slots.set(name, slot);
    return slot;
  };
  const share = (own: SharedBuckets): RedisBuckets => {
    const shared = new RedisBuckets({ own, connection, clock: systemClock, nodesAlive });
    connection.onChange(() => shared.follow());
    return shared;
  };
  const buckets = share(new SharedBuckets(table.words));
  const take = (rate: number, name: string) => buckets.take(slotOf(name), rate, systemClock.monotonicMs(), name);
  const send = async (command: string[], key = ""): Promise<unknown> => {
    const client = createRedisClient(redisAddressOf(url) as RedisAddress);
    await client.connect();
    try {
      return await client.send(key, command);
    } finally {
      client.destroy();
    }
  };
  await connection.open();
  return {
    connection,
    log,
    get isUp() {
      return connection.downSinceMs === undefined;
    },
    age: () => Promise.all(connection.parts.map(({ clock }) => send(["HSET", clock, "began", "1"], clock))),
    send,
    share,
    take,
    refund: (rate, name, taken) => buckets.refund(slotOf(name), rate, name, taken),
    charge: (rate, name, tokens) => buckets.charge(slotOf(name), rate, systemClock.monotonicMs(), name, tokens),
    takes: (count, rate, name) => Promise.all(Array.from({ length: count }, () => take(rate, name))),
  };
}
