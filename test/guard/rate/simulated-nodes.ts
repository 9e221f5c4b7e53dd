// Nodes that share buckets in a real Redis, at simulated times: of the nodes, of the network and inside Redis's script. The nodes run the
// product's own code, and the network does what the test says. So a minute of calls takes seconds, and the same seed gives the same minute.
import { SlotTable } from "../../../src/guard/memory/slots.ts";
import { type RateTake, SharedBuckets } from "../../../src/guard/rate/bucket.ts";
import { RateLeases } from "../../../src/guard/rate/rate-lease.ts";
import { TAKE_TOKENS } from "../../../src/guard/rate/redis/bucket-script.ts";
import { HEARTBEAT_SCRIPT } from "../../../src/guard/rate/redis/heartbeat-script.ts";
import { RedisBuckets } from "../../../src/guard/rate/redis/redis-buckets.ts";
import { RedisHealth, type RedisHealthOptions } from "../../../src/guard/rate/redis/redis-health.ts";
import { ONE_PART } from "../../../src/guard/rate/redis/redis-keys.ts";
import type { RedisScript } from "../../../src/guard/rate/redis/redis-script.ts";
import { RedisStatus } from "../../../src/guard/rate/redis/redis-status.ts";
import type { Clock } from "../../../src/runtime/clock.ts";
import { createLog } from "../../../src/runtime/log.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";

const STEP_MS = 1;
const LATE_MS = 250;
const STARTED_WITHIN_MS = 2000;
// Scripts get the simulated time as their last argument. What they write stays as long as the test runs: Redis's own clock differs.
const TAKE = `local now = tonumber(ARGV[14])\n${TAKE_TOKENS.replace("  redis.call('PEXPIRE', KEYS[1], kept_ms + 1)\n", "")}`;
const BEAT = HEARTBEAT_SCRIPT.source
  .replace(/^local time = .*\nlocal now = .*$/m, "local now = tonumber(ARGV[5])")
  .replace(", 'PX', holds", "")
  .replace("  redis.call('PEXPIRE', key, holds)\n", "");

/** A connection to Redis. */
interface Client {
  sendCommand(command: string[]): Promise<unknown>;
}

type Connection = RedisHealthOptions["connection"];
type Health = ConstructorParameters<typeof RedisBuckets>[0]["health"];

/** The health of a node to which Redis always responds. */
export const ALWAYS_HEALTHY: Health = { isHealthy: true, nodes: 1, partOf: () => 1, failed: () => {}, onChange: () => {} };

/** What the network does to one node's requests. */
export interface Link {
  /** How long a request takes to arrive, and a reply. */
  oneWayMs: () => number;
  /** Nothing gets through. */
  isCut: boolean;
  /** Redis refuses every script, as if it were out of memory. */
  isRefusing: boolean;
}

/** A node, as the guard sees its rate limit. */
export interface SimulatedNode {
  readonly link: Link;
  take(slot: number, requestsPerSecond: number, name: string): RateTake | Promise<RateTake>;
  refund(slot: number, requestsPerSecond: number, name: string, take: RateTake): void;
}

/** One Redis, its nodes and the network between them. */
export class Simulation {
  readonly clock = createManualClock({ nowMs: Date.UTC(2026, 10, 24) });
  readonly #client: Client;
  readonly #prefix: string;
  readonly #due: { readonly atMs: number; readonly happen: () => void | Promise<void> }[] = [];
  readonly #steps: (() => void)[] = [];
  readonly #healths: RedisHealth[] = [];
  /** How many scripts have run for the calls of each bucket. */
  readonly scriptsByBucket = new Map<string, number>();
  /** Whether Redis responds. While it does not, requests wait for it. */
  isPaused = false;
  readonly #waiting: (() => Promise<void>)[] = [];
  // Whether anything has happened since everything was settled. Otherwise there is nothing to wait for, as in most steps of a quiet caller.
  #isUnsettled = true;
  readonly #digests = new Map<string, Promise<unknown>>();
  // The nodes' clock, which notices what it runs.
  readonly #clock: Clock = {
    nowMs: () => this.clock.nowMs(),
    monotonicMs: () => this.clock.monotonicMs(),
    after: (delayMs, run) =>
      this.clock.after(delayMs, () => {
        this.#isUnsettled = true;
        run();
      }),
  };

  constructor(client: Client, prefix: string) {
    this.#client = client;
    this.#prefix = prefix;
  }

  /** How many scripts have run for calls. */
  get scripts(): number {
    return this.scriptsByBucket.values().reduce((sum, count) => sum + count, 0);
  }

  get nowMs(): number {
    return this.clock.monotonicMs();
  }

  /** Redis forgets everything. */
  async lose(): Promise<void> {
    await this.#client.sendCommand(["FLUSHALL"]);
  }

  /** Redis counts as not having lost any data so far. */
  async remember(): Promise<void> {
    await this.#client.sendCommand(["SET", this.#prefix + (ONE_PART[0]?.memory ?? ""), "0"]);
  }

  /**
   * A node with this many slots. `nodes`: how many there are, according to the store. Its health is the product's own unless it is given;
   * then `start` waits until Redis responds to all nodes.
   */
  addNode(name: string, slots: number, nodes: () => number, given?: Health): SimulatedNode {
    const clock = this.#clock;
    const link: Link = { oneWayMs: () => 0.3, isCut: false, isRefusing: false };
    const connection = this.#connect(link);
    const health = given ?? this.#checkHealth(name, connection, nodes);
    const table = new SlotTable(slots);
    for (let slot = 0; slot < slots; slot++) {
      table.take();
    }
    const own = new SharedBuckets(table.words);
    const leases = new RateLeases(table.words);
    const buckets = new RedisBuckets({ own, leases, connection, health, clock, node: name, lateMs: LATE_MS });
    return {
      link,
      take: (slot, rate, bucket) => {
        this.#isUnsettled = true;
        return buckets.take(slot, rate, clock.monotonicMs(), bucket);
      },
      refund: (slot, rate, bucket, take) => {
        this.#isUnsettled = true;
        buckets.refund(slot, rate, bucket, take);
      },
    };
  }

  /** Lets time pass until all nodes count together. */
  async start(): Promise<void> {
    const isTogether = (health: RedisHealth): boolean => health.isHealthy && health.partOf(1) === 1 && health.partOf(1000) === 1;
    for (let stepsLeft = STARTED_WITHIN_MS / STEP_MS; !this.#healths.every(isTogether); stepsLeft--) {
      if (stepsLeft === 0) {
        throw new Error("The nodes do not count together.");
      }
      await this.step();
    }
    this.scriptsByBucket.clear();
  }

  #checkHealth(node: string, connection: Connection, nodesAlive: () => number): RedisHealth {
    const clock = this.#clock;
    const log = createLog("silent");
    const status = RedisStatus.of(1);
    const health = new RedisHealth({ connection, clock, log, node, lateMs: LATE_MS, nodesAlive, status, thread: 0 });
    this.#healths.push(health);
    void health.sendHeartbeat();
    return health;
  }

  // A connection that breaks when the link is cut, and is open again as soon as Redis could respond.
  #connect(link: Link): Connection {
    const pending = new Set<(error: Error) => void>();
    let isOpen = true;
    let onLost = (_: unknown): void => {};
    const lose = (): void => {
      this.#isUnsettled = true;
      isOpen = false;
      for (const fail of pending) {
        fail(new Error("cut"));
      }
      pending.clear();
      onLost(new Error("cut"));
    };
    this.#steps.push(() => {
      if (isOpen && link.isCut) {
        lose();
      }
      isOpen ||= !(link.isCut || this.isPaused);
    });
    const request = (run: () => Promise<unknown>): Promise<unknown> =>
      new Promise((reply, fail) => {
        if (!isOpen || link.isCut) {
          fail(new Error("cut"));
          return;
        }
        pending.add(fail);
        const execute = async (): Promise<void> => {
          if (pending.has(fail)) {
            const value = link.isRefusing ? undefined : await run();
            this.#at(link.oneWayMs(), () => {
              if (pending.delete(fail)) {
                value === undefined ? fail(new Error("OOM command not allowed when used memory > 'maxmemory'.")) : reply(value);
              }
            });
          }
        };
        this.#at(link.oneWayMs(), () => (this.isPaused ? void this.#waiting.push(execute) : execute()));
      });
    return {
      parts: ONE_PART,
      run: (script, keys, args) => request(() => this.#execute(script, keys, args)),
      send: (_, command) => request(() => this.#client.sendCommand(command)),
      sendToAll: (command) => request(async () => [await this.#client.sendCommand(command)]) as Promise<readonly unknown[]>,
      renew: lose,
      onLost: (run) => {
        onLost = run;
      },
    };
  }

  /** Lets a step of time pass. */
  async step(): Promise<void> {
    this.clock.advance(STEP_MS);
    await this.settle();
  }

  /** Lets everything happen that is due. */
  async settle(): Promise<void> {
    for (const step of this.#steps) {
      step();
    }
    if (!this.isPaused) {
      for (const execute of this.#waiting.splice(0)) {
        this.#isUnsettled = true;
        await execute();
      }
    }
    const now = this.nowMs;
    for (const event of this.#due.filter(({ atMs }) => atMs <= now)) {
      this.#isUnsettled = true;
      this.#due.splice(this.#due.indexOf(event), 1);
      await event.happen();
    }
    if (this.#isUnsettled) {
      this.#isUnsettled = false;
      await new Promise(setImmediate);
    }
  }

  #at(afterMs: number, happen: () => void | Promise<void>): void {
    this.#due.push({ atMs: this.nowMs + afterMs, happen });
  }

  async #execute(script: RedisScript, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    const named = keys.map((key) => this.#prefix + key);
    if (script === HEARTBEAT_SCRIPT) {
      const time = String(Math.floor(this.clock.nowMs()));
      return this.#client.sendCommand(["EVALSHA", await this.#digestOf(BEAT), String(keys.length), ...named, ...args, time]);
    }
    const [bucket = ""] = keys;
    this.scriptsByBucket.set(bucket, (this.scriptsByBucket.get(bucket) ?? 0) + 1);
    const time = String(Math.round(this.clock.nowMs() * 1000));
    return this.#client.sendCommand(["EVALSHA", await this.#digestOf(TAKE), String(keys.length), ...named, ...args, time]);
  }

  // Loads the script the first time: Redis forgets its keys in these tests, but not its scripts.
  async #digestOf(source: string): Promise<string> {
    const loaded = this.#digests.get(source) ?? this.#client.sendCommand(["SCRIPT", "LOAD", source]);
    this.#digests.set(source, loaded);
    return String(await loaded);
  }
}
