// Inspects the Redis of several servers for an operator: whether it accepts our credentials and runs the bucket script, how fast it
// responds, its clock, and whether it evicts keys when it is out of memory. A bucket that was evicted would count as full.
import { redisAddressOf } from "../../../config/redis-address.ts";
import type { Clock } from "../../../runtime/clock.ts";
import { StoreRefused } from "../../../store/store-errors.ts";
import { CLUSTER_PARTS, ONE_PART } from "./bucket-script.ts";
import { createRedisClient } from "./redis-client.ts";
import { runBucketScript } from "./redis-connection.ts";

const TIMEOUT_MS = 3000;

export interface RedisFacts {
  /** Such as `7.2.4`; `unknown` if we are not allowed to ask. Valkey reports the version of Redis that it is compatible with. */
  readonly version: string;
  /** The fastest of five runs of the bucket script, in milliseconds. */
  readonly latencyMs: number;
  /** How far its clock is ahead of ours, in milliseconds; undefined if we are not allowed to ask. */
  readonly aheadMs: number | undefined;
  /** Its eviction policy, such as `noeviction`; if servers differ, that of one that evicts. Undefined if we are not allowed to ask. */
  readonly evictionPolicy: string | undefined;
}

/** Connects, runs the script as a server does, and inspects. Rejects with the error if it cannot. */
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
    // Not the servers' clock: if they have just written it, the script would not try to.
    const parts = (address.kind === "cluster" ? CLUSTER_PARTS : ONE_PART).map((part) => ({
      ...part,
      clock: part.bucket("check clock"),
    }));
    const tries: number[] = [];
    for (let count = 0; count < 5; count++) {
      const startedMs = clock.monotonicMs();
      await Promise.all(parts.map((part) => runBucketScript(client, part, "check", [1000, 1, 0])));
      tries.push(clock.monotonicMs() - startedMs);
    }
    const latencyMs = Math.min(...tries);
    const [time] = (await client.sendToAll(["TIME"]).catch(() => [])) as readonly (readonly string[] | undefined)[];
    const aheadMs = time && Number(time[0]) * 1000 + Number(time[1]) / 1000 + latencyMs / 2 - clock.nowMs();
    // Not CONFIG, which hosted Redis services refuse.
    const infos = (await client.sendToAll(["INFO"]).catch(() => [])).map(String);
    const version = /^redis_version:(\S+)/m.exec(infos[0] ?? "")?.[1] ?? "unknown";
    const policies = infos.map((info) => /^maxmemory_policy:(\S+)/m.exec(info)?.[1]);
    return { version, latencyMs, aheadMs, evictionPolicy: policies.find(evicts) ?? policies[0] };
  } finally {
    client.destroy();
  }
}

/** Rejects with StoreRefused, which says what to do, if Redis may evict counts. A Redis that cannot be reached is accepted. */
export async function requireNoEviction(url: string, clock: Pick<Clock, "nowMs" | "monotonicMs">): Promise<void> {
  const facts = await inspectRedis(url, clock).catch(() => undefined);
  if (evicts(facts?.evictionPolicy)) {
    throw new StoreRefused(
      `Redis may evict counts of requests when it is out of memory: its maxmemory-policy is ${facts?.evictionPolicy}. Set it to noeviction.`,
    );
  }
}

const evicts = (policy: string | undefined): boolean => policy !== undefined && policy !== "noeviction";
