// Inspects the Redis of several nodes for an operator: whether it accepts our credentials, how fast it responds, and its clock.
import { redisAddressOf } from "../../../config/redis-address.ts";
import type { Clock } from "../../../runtime/clock.ts";
import { StoreRefused } from "../../../store/store-errors.ts";
import { evicts, mayEvict, readEvictionPolicy } from "./eviction-policy.ts";
import { createRedisClient } from "./redis-client.ts";

const TIMEOUT_MS = 3000;

export interface RedisFacts {
  /** Such as `7.2.4`. Valkey reports the version of Redis that it is compatible with. */
  readonly version: string;
  /** The fastest of five round trips, in milliseconds. */
  readonly latencyMs: number;
  /** How far its clock is ahead of ours, in milliseconds. */
  readonly aheadMs: number;
  /** Its eviction policy, such as `noeviction`; undefined if we are not allowed to ask. */
  readonly evictionPolicy: string | undefined;
}

/** Connects and inspects. Rejects with the error if it cannot. */
export async function inspectRedis(url: string, clock: Pick<Clock, "nowMs" | "monotonicMs">): Promise<RedisFacts> {
  const address = redisAddressOf(url);
  if (address === undefined) {
    throw new Error("The connection string is faulty.");
  }
  const client = createRedisClient(address, TIMEOUT_MS);
  // Ignored: the command itself rejects with the error that is reported.
  client.onLost(() => {});
  try {
    await client.connect();
    const tries: number[] = [];
    for (let count = 0; count < 5; count++) {
      const startedMs = clock.monotonicMs();
      await client.sendToAll(["PING"]);
      tries.push(clock.monotonicMs() - startedMs);
    }
    const latencyMs = Math.min(...tries);
    const [seconds = "0", microseconds = "0"] = ((await client.sendToAll(["TIME"]))[0] ?? []) as readonly string[];
    const aheadMs = Number(seconds) * 1000 + Number(microseconds) / 1000 + latencyMs / 2 - clock.nowMs();
    const [server] = await client.sendToAll(["INFO", "server"]).catch(() => []);
    const version = /^redis_version:(\S+)/m.exec(String(server))?.[1] ?? "unknown";
    return { version, latencyMs, aheadMs, evictionPolicy: await readEvictionPolicy((command) => client.sendToAll(command)) };
  } finally {
    client.destroy();
  }
}

/** Rejects with StoreRefused, which says what to do, if Redis may evict counts. A Redis that cannot be reached is accepted. */
export async function requireNoEviction(url: string, clock: Pick<Clock, "nowMs" | "monotonicMs">): Promise<void> {
  const facts = await inspectRedis(url, clock).catch(() => undefined);
  if (evicts(facts?.evictionPolicy)) {
    throw new StoreRefused(mayEvict(facts?.evictionPolicy));
  }
}
