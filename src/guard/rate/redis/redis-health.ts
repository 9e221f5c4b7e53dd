// Knows whether this node counts together with the others in Redis, and how many nodes do. One thread sends a heartbeat several times a
// second for the whole process, and the response says how many nodes there are. If a thread's request or heartbeat gets no response in
// time, the whole node counts on its own until Redis responds to that thread in time again. Meanwhile, the nodes that count together leave
// this node its share of each rate that is not leased.
import type { Clock } from "../../../runtime/clock.ts";
import type { Log } from "../../../runtime/log.ts";
import { evicts, mayEvict, readEvictionPolicy } from "./eviction-policy.ts";
import { HEARTBEAT_SCRIPT } from "./heartbeat-script.ts";
import { LEASED_RATE_MIN } from "./lease-rates.ts";
import type { RedisConnection } from "./redis-connection.ts";
import type { RedisStatus } from "./redis-status.ts";

// The sum of these two is how long it takes the other nodes to notice that a node counts on its own. `RateShare` relies on it.
const HEARTBEAT_MS = 200;
const HEARTBEAT_EXPIRES_MS = 600;
// How often a heartbeat is sent while Redis is not healthy.
const PROBE_MS = 100;
// A connection that has not responded for this long is replaced.
const UNRESPONSIVE_MS = 1000;
const LEAVE_MS = 200;
const POLICY_CHECK_MS = 1000;

export interface RedisHealthOptions {
  readonly connection: Pick<RedisConnection, "run" | "send" | "sendToAll" | "renew" | "onLost" | "parts">;
  readonly clock: Clock;
  readonly log: Log;
  /** This node's unique name. */
  readonly node: string;
  /** How long Redis may take to respond. */
  readonly lateMs: number;
  /** How many nodes there are, according to the store; 1 if unknown. */
  readonly nodesAlive: () => number;
  readonly status: RedisStatus;
  readonly thread: number;
}

/** Sends heartbeats until it is stopped. */
export class RedisHealth {
  readonly #options: RedisHealthOptions;
  #isHealthy = false;
  #wasHealthy = false;
  // An outage is logged once.
  #outageLogged = false;
  #policyCheckedAtMs = Number.NEGATIVE_INFINITY;
  #policy: string | undefined;
  // When the heartbeat without a response was sent; undefined if there is none.
  #queriedAtMs: number | undefined;
  #cancelNext = (): void => {};
  #onChange = (): void => {};
  #stopped = false;

  constructor(options: RedisHealthOptions) {
    this.#options = options;
    options.connection.onLost((error) => this.failed(error));
  }

  /** Whether callers may use Redis. */
  get isHealthy(): boolean {
    return this.#isHealthy && this.#options.status.isUp;
  }

  /** How many nodes there are, including this one, as far as is known. */
  get nodes(): number {
    return Math.max(this.#options.status.known, this.#options.nodesAlive());
  }

  /** The part of a rate that is counted in Redis. Nodes that count on their own have the rest: for leased rates, only after a while. */
  partOf(requestsPerSecond: number): number {
    const { recent, together } = this.#options.status;
    return Math.min(1, (requestsPerSecond < LEASED_RATE_MIN ? together : recent) / this.nodes);
  }

  /** Calls `run` whenever this node may have started to count on its own, or to count together with the others. */
  onChange(run: () => void): void {
    this.#onChange = run;
  }

  /** Starts sending heartbeats. Resolves once the first has a response or has failed. Never rejects. */
  async sendHeartbeat(): Promise<void> {
    const { clock, lateMs, status } = this.#options;
    this.#cancelNext();
    const queriedAtMs = clock.monotonicMs();
    this.#queriedAtMs ??= queriedAtMs;
    this.#planNext();
    const isTogether = this.isHealthy;
    this.#onChange();
    try {
      const [counts] = await Promise.all([this.#beat(isTogether), this.#readPolicy(queriedAtMs)]);
      if (evicts(this.#policy)) {
        throw new Error(mayEvict(this.#policy));
      }
      this.#queriedAtMs = undefined;
      status.setNodes(
        Math.min(...counts.map(([together]) => together)),
        Math.min(...counts.map(([, recent]) => recent)),
        isTogether,
      );
      // A slow response does not make Redis healthy. It does not make it unhealthy either: callers notice themselves if Redis is slow.
      if (clock.monotonicMs() - queriedAtMs <= lateMs) {
        this.#recovered();
      }
    } catch (error) {
      this.#queriedAtMs = undefined;
      this.failed(error);
    }
  }

  /** Makes the node count on its own for a while, because Redis did not respond in time or responded with an error. */
  failed(error: unknown): void {
    if (this.#stopped) {
      return;
    }
    const { status, thread, log } = this.#options;
    status.setUp(thread, false);
    if (this.#isHealthy || !this.#outageLogged) {
      this.#outageLogged = true;
      log.warn({ err: error, nodes: this.nodes }, "Redis does not respond; this node admits its share of each rate");
    }
    if (this.#isHealthy) {
      this.#isHealthy = false;
      this.#cancelNext();
      this.#planNext();
    }
    this.#onChange();
  }

  /** Stops the heartbeats, and tells the other nodes at once that this node no longer counts with them. Never rejects. */
  async stop(): Promise<void> {
    const { connection, clock, node, status, thread } = this.#options;
    this.#stopped = true;
    this.#cancelNext();
    status.setUp(thread, true);
    if (this.#isHealthy) {
      this.#isHealthy = false;
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const cancel = clock.after(LEAVE_MS, resolve);
      const left = connection.parts
        .flatMap(({ nodes, recent }) => [nodes, recent])
        .map((key) => connection.send(key, ["ZREM", key, node]));
      await Promise.race([Promise.allSettled(left), late]);
      cancel();
    }
  }

  #beat(isTogether: boolean): Promise<(readonly [together: number, recent: number])[]> {
    const { connection, node, nodesAlive } = this.#options;
    const flag = (is: boolean): string => (is ? "1" : "0");
    const args = [node, String(HEARTBEAT_EXPIRES_MS), flag(isTogether), flag(this.#wasHealthy || nodesAlive() > 1)];
    return Promise.all(
      connection.parts.map(async (part) => {
        const keys = [part.nodes, part.recent, part.memory, part.heartbeat(node)];
        return (await connection.run(HEARTBEAT_SCRIPT, keys, args)) as [number, number];
      }),
    );
  }

  // An operator may change the policy while we run. If we are not allowed to read it, it is unknown.
  async #readPolicy(nowMs: number): Promise<void> {
    if (nowMs - this.#policyCheckedAtMs >= POLICY_CHECK_MS) {
      this.#policyCheckedAtMs = nowMs;
      this.#policy = await readEvictionPolicy((command) => this.#options.connection.sendToAll(command));
    }
  }

  #planNext(): void {
    this.#cancelNext = this.#options.clock.after(this.#isHealthy ? HEARTBEAT_MS : PROBE_MS, () => this.#sendNextHeartbeat());
  }

  #sendNextHeartbeat(): void {
    if (this.#stopped) {
      return;
    }
    const { connection, clock, status } = this.#options;
    const nowMs = clock.monotonicMs();
    if (this.#queriedAtMs !== undefined && nowMs - this.#queriedAtMs >= UNRESPONSIVE_MS) {
      this.#queriedAtMs = undefined;
      connection.renew();
    }
    if (this.#isHealthy && !status.claimHeartbeat(nowMs, HEARTBEAT_MS)) {
      // Another thread has already sent the heartbeat.
      this.#planNext();
      this.#onChange();
    } else {
      void this.sendHeartbeat();
    }
  }

  #recovered(): void {
    if (this.#isHealthy || this.#stopped) {
      return;
    }
    const { status, thread, log } = this.#options;
    status.setUp(thread, true);
    this.#isHealthy = true;
    this.#wasHealthy = true;
    if (this.#outageLogged) {
      log.info({ nodes: this.nodes }, "Redis responds; all nodes count each rate together");
    }
    this.#outageLogged = false;
    // The next heartbeat joins the nodes that count together, unless Redis is unhealthy for another thread of this node.
    this.#cancelNext();
    this.#cancelNext = this.#options.clock.after(0, () => void this.sendHeartbeat());
    this.#onChange();
  }
}
