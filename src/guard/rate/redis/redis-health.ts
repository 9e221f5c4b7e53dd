// Whether this node counts together with the others in Redis, and how many nodes do. Each thread sends a heartbeat several times a second,
// and its response says how many nodes there are. Redis is healthy if it responds within the time that a caller would wait. If a caller or
// a heartbeat gets no response in time, the whole node counts alone until Redis responds to all of its threads in time again. During that
// time it is not among the nodes that count together, and those leave it its share of each rate.
import type { Clock } from "../../../runtime/clock.ts";
import type { Log } from "../../../runtime/log.ts";
import { evicts, mayEvict, readEvictionPolicy } from "./eviction-policy.ts";
import type { RedisConnection } from "./redis-connection.ts";
import { bucketKey, MEMORY_KEY, NODES_KEY } from "./redis-keys.ts";
import { HEARTBEAT_SCRIPT } from "./redis-scripts.ts";

// In total, this is how long it takes the others to notice that a node counts alone; `RateShare` relies on it.
const HEARTBEAT_MS = 200;
const HEARTBEAT_EXPIRES_MS = 600;
// How often a heartbeat is sent while Redis is not healthy.
const PROBE_MS = 100;
// A connection that has not responded for this long is replaced.
const UNRESPONSIVE_MS = 1000;
const LEAVE_MS = 200;
const POLICY_CHECK_MS = 1000;

export interface RedisHealthOptions {
  readonly connection: Pick<RedisConnection, "run" | "send" | "renew" | "onLost">;
  readonly clock: Clock;
  readonly log: Log;
  /** This node's unique name. */
  readonly node: string;
  /** How long a caller would wait. */
  readonly waitMs: number;
  /** How many nodes there are, according to the store; 1 if unknown. */
  readonly nodesAlive: () => number;
  /** For each of the node's threads, 1 while Redis is not healthy for it. In memory that they share. */
  readonly unhealthy: Int32Array;
  readonly thread: number;
}

/** Sends heartbeats until it is stopped. */
export class RedisHealth {
  readonly #options: RedisHealthOptions;
  #isHealthy = false;
  #wasHealthy = false;
  // An outage is logged once.
  #outageLogged = false;
  // How many nodes count together, and how many did when this node was last among them.
  #together = 1;
  #known = 1;
  #policyCheckedAtMs = Number.NEGATIVE_INFINITY;
  #policy: string | undefined;
  // When the heartbeat that has no response yet was sent.
  #askedAtMs: number | undefined;
  #cancelNext = (): void => {};
  #onChange = (): void => {};
  #stopped = false;

  constructor(options: RedisHealthOptions) {
    this.#options = options;
    options.connection.onLost((error) => this.failed(error));
  }

  /** Whether callers may use Redis. */
  get isHealthy(): boolean {
    return this.#isHealthy && this.#options.unhealthy.every((_, thread, unhealthy) => Atomics.load(unhealthy, thread) === 0);
  }

  /** How many nodes there are, this one included, as far as is known. */
  get nodes(): number {
    return Math.max(this.#known, this.#options.nodesAlive());
  }

  /** The part of each rate that is counted in Redis: the share of the nodes that count there. */
  get part(): number {
    return Math.min(1, this.#together / this.nodes);
  }

  /** Calls `run` whenever this node may have begun to count alone, or together with the others. */
  onChange(run: () => void): void {
    this.#onChange = run;
  }

  /** Starts sending heartbeats. Resolves once the first has a response or has failed. Never rejects. */
  async sendHeartbeat(): Promise<void> {
    const { connection, clock, node, waitMs, nodesAlive } = this.#options;
    this.#cancelNext();
    const askedAtMs = clock.monotonicMs();
    this.#askedAtMs ??= askedAtMs;
    this.#cancelNext = clock.after(this.#isHealthy ? HEARTBEAT_MS : PROBE_MS, () => this.#sendNextHeartbeat());
    const isTogether = this.isHealthy;
    const flag = (is: boolean): string => (is ? "1" : "0");
    this.#onChange();
    try {
      const args = [node, String(HEARTBEAT_EXPIRES_MS), flag(isTogether), flag(this.#wasHealthy || nodesAlive() > 1)];
      const beating = connection.run(HEARTBEAT_SCRIPT, [NODES_KEY, MEMORY_KEY, bucketKey(node)], args);
      const [together] = await Promise.all([beating as Promise<number>, this.#readPolicy(askedAtMs)]);
      if (evicts(this.#policy)) {
        throw new Error(mayEvict(this.#policy));
      }
      this.#askedAtMs = undefined;
      const nowMs = clock.monotonicMs();
      this.#together = Math.max(1, together);
      if (isTogether) {
        this.#known = this.#together;
      }
      // A slow response does not make Redis healthy. It does no harm either: callers find out for themselves.
      if (nowMs - askedAtMs <= waitMs) {
        this.#recovered();
      }
    } catch (error) {
      this.#askedAtMs = undefined;
      this.failed(error);
    }
  }

  /** Redis did not respond in time, or with an error: the node counts alone for a while. */
  failed(error: unknown): void {
    if (this.#stopped) {
      return;
    }
    const { unhealthy, thread, clock, log } = this.#options;
    Atomics.store(unhealthy, thread, 1);
    if (this.#isHealthy || !this.#outageLogged) {
      this.#outageLogged = true;
      log.warn({ err: error, nodes: this.nodes }, "Redis does not answer; this node admits its share of each rate");
    }
    if (this.#isHealthy) {
      this.#isHealthy = false;
      this.#cancelNext();
      this.#cancelNext = clock.after(PROBE_MS, () => this.#sendNextHeartbeat());
    }
    this.#onChange();
  }

  /** Stops the heartbeats and leaves the nodes that count together, so that they know immediately. Never rejects. */
  async stop(): Promise<void> {
    const { connection, clock, node, unhealthy, thread } = this.#options;
    this.#stopped = true;
    this.#cancelNext();
    Atomics.store(unhealthy, thread, 0);
    if (this.#isHealthy) {
      this.#isHealthy = false;
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const cancel = clock.after(LEAVE_MS, resolve);
      await Promise.race([connection.send(["ZREM", NODES_KEY, node]).catch(() => {}), late]);
      cancel();
    }
  }

  // Somebody may change the policy while we run. If we are not allowed to ask, it is unknown.
  async #readPolicy(nowMs: number): Promise<void> {
    if (nowMs - this.#policyCheckedAtMs >= POLICY_CHECK_MS) {
      this.#policyCheckedAtMs = nowMs;
      this.#policy = await readEvictionPolicy((command) => this.#options.connection.send(command));
    }
  }

  #sendNextHeartbeat(): void {
    if (this.#stopped) {
      return;
    }
    const { connection, clock } = this.#options;
    if (this.#askedAtMs !== undefined && clock.monotonicMs() - this.#askedAtMs >= UNRESPONSIVE_MS) {
      this.#askedAtMs = undefined;
      connection.renew();
    }
    void this.sendHeartbeat();
  }

  #recovered(): void {
    if (this.#isHealthy || this.#stopped) {
      return;
    }
    const { unhealthy, thread, log } = this.#options;
    Atomics.store(unhealthy, thread, 0);
    this.#isHealthy = true;
    this.#wasHealthy = true;
    if (this.#outageLogged) {
      log.info({ nodes: this.nodes }, "Redis answers; all nodes count each rate together");
    }
    this.#outageLogged = false;
    // The next heartbeat joins the nodes that count together, unless Redis is unhealthy for another thread of this node.
    this.#cancelNext();
    this.#cancelNext = this.#options.clock.after(0, () => this.#sendNextHeartbeat());
    this.#onChange();
  }
}
