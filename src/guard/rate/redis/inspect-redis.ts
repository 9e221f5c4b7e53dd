// Looks at the Redis of several nodes from outside, for an operator: whether it lets us in, how fast it answers, and its clock.
import { createClient } from "redis";
import type { Clock } from "../../../runtime/clock.ts";

const TIMEOUT_MS = 3000;

/** What was seen. */
export interface RedisFacts {
  /** Such as `7.2.4`. Valkey says the version of Redis that it stands for. */
  readonly version: string;
  /** The fastest of five round trips, in milliseconds. */
  readonly latencyMs: number;
  /** How far its clock is ahead of ours, in milliseconds. */
  readonly aheadMs: number;
}

/** Connects and looks. Rejects with what is in the way. */
export async function inspectRedis(url: string, clock: Pick<Clock, "nowMs" | "monotonicMs">): Promise<RedisFacts> {
  const client = createClient({
    url,
    RESP: 2,
    disableClientInfo: true,
    maintNotifications: "disabled",
    commandOptions: { timeout: TIMEOUT_MS },
    socket: { connectTimeout: TIMEOUT_MS, reconnectStrategy: false },
  });
  // What is wrong is what the command rejects with.
  client.on("error", () => {});
  try {
    await client.connect();
    const tries: number[] = [];
    for (let count = 0; count < 5; count++) {
      const beganMs = clock.monotonicMs();
      await client.ping();
      tries.push(clock.monotonicMs() - beganMs);
    }
    const latencyMs = Math.min(...tries);
    const [seconds = "0", microseconds = "0"] = (await client.sendCommand(["TIME"])) as unknown as readonly string[];
    const aheadMs = Number(seconds) * 1000 + Number(microseconds) / 1000 + latencyMs / 2 - clock.nowMs();
    const version = /^redis_version:(\S+)/m.exec(await client.info("server"))?.[1] ?? "unknown";
    return { version, latencyMs, aheadMs };
  } finally {
    if (client.isOpen) {
      client.destroy();
    }
  }
}
