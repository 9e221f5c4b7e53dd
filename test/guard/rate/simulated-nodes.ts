// Nodes that share buckets in a real Redis, at simulated times: of the nodes, of the network and inside Redis's script. The nodes run the
// product's own code, and the network does what the test says. So a minute of calls takes seconds, and the same seed gives the same minute.
import { SlotTable } from "../../../src/guard/memory/slots.ts";
import { type RateTake, SharedBuckets } from "../../../src/guard/rate/bucket.ts";
import { RateLeases } from "../../../src/guard/rate/rate-lease.ts";
import { RedisBuckets } from "../../../src/guard/rate/redis/redis-buckets.ts";
import { ONE_PART } from "../../../src/guard/rate/redis/redis-keys.ts";
import { TAKE_TOKENS } from "../../../src/guard/rate/redis/redis-scripts.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";

const STEP_MS = 1;
const LATE_MS = 250;
const PROBE_MS = 100;
// A bucket is kept as long as the test runs: Redis's own clock is much slower.
const SCRIPT = `local now = tonumber(ARGV[13])\n${TAKE_TOKENS.replace(", 'PX', kept_ms + 1", "")}`;

/** A connection to Redis. */
interface Client {
  sendCommand(command: string[]): Promise<unknown>;
}

interface Command {
  readonly keys: readonly string[];
  readonly args: readonly string[];
  readonly reply: (value: unknown) => void;
  readonly fail: (error: Error) => void;
}

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
  /** How many scripts have run. */
  scripts = 0;
  /** Whether Redis responds. While it does not, requests wait for it. */
  isPaused = false;
  readonly #waiting: (() => Promise<void>)[] = [];

  constructor(client: Client, prefix: string) {
    this.#client = client;
    this.#prefix = prefix;
  }

  get nowMs(): number {
    return this.clock.monotonicMs();
  }

  /** Redis forgets everything. */
  async lose(): Promise<void> {
    await this.#client.sendCommand(["FLUSHALL"]);
  }

  /** Redis has not lost its memory so far. */
  async remember(): Promise<void> {
    await this.#client.sendCommand(["SET", this.#prefix + (ONE_PART[0]?.memory ?? ""), "0"]);
  }

  /** A node with this many slots. */
  addNode(name: string, slots: number, nodes: () => number): SimulatedNode {
    const { clock } = this;
    const link: Link = { oneWayMs: () => 0.3, isCut: false, isRefusing: false };
    const pending = new Set<Command>();
    let isHealthy = true;
    let failedAtMs = 0;
    let changed = (): void => {};
    const health = {
      get isHealthy() {
        return isHealthy;
      },
      get nodes() {
        return nodes();
      },
      partOf: () => 1,
      failed: () => {
        isHealthy = false;
        failedAtMs = clock.monotonicMs();
        changed();
      },
      onChange: (run: () => void) => {
        changed = run;
      },
    };
    this.#steps.push(() => {
      if (link.isCut && pending.size > 0) {
        for (const command of pending) {
          command.fail(new Error("cut"));
        }
        pending.clear();
      }
      if (
        !isHealthy &&
        !link.isCut &&
        !link.isRefusing &&
        !this.isPaused &&
        pending.size === 0 &&
        clock.monotonicMs() >= failedAtMs + PROBE_MS
      ) {
        isHealthy = true;
        changed();
      }
    });
    const run = (_: unknown, keys: readonly string[], args: readonly string[]): Promise<unknown> =>
      new Promise((reply, fail) => {
        const command = { keys, args, reply, fail };
        if (link.isCut) {
          fail(new Error("cut"));
          return;
        }
        pending.add(command);
        this.#at(link.oneWayMs(), async () => {
          const execute = async (): Promise<void> => {
            if (!pending.has(command)) {
              return;
            }
            const value = link.isRefusing ? undefined : await this.#execute(keys, args);
            this.#at(link.oneWayMs(), () => {
              if (!pending.delete(command)) {
                return;
              }
              if (value === undefined) {
                fail(new Error("OOM command not allowed when used memory > 'maxmemory'."));
              } else {
                reply(value);
              }
            });
          };
          if (this.isPaused) {
            this.#waiting.push(execute);
          } else {
            await execute();
          }
        });
      });
    const table = new SlotTable(slots);
    for (let slot = 0; slot < slots; slot++) {
      table.take();
    }
    const own = new SharedBuckets(table.words);
    const leases = new RateLeases(table.words);
    const connection = { run, parts: ONE_PART };
    const buckets = new RedisBuckets({ own, leases, connection, health, clock, node: name, lateMs: LATE_MS });
    return {
      link,
      take: (slot, rate, bucket) => buckets.take(slot, rate, clock.monotonicMs(), bucket),
      refund: (slot, rate, bucket, take) => buckets.refund(slot, rate, bucket, take),
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
        await execute();
      }
    }
    const now = this.nowMs;
    for (const event of this.#due.filter(({ atMs }) => atMs <= now)) {
      this.#due.splice(this.#due.indexOf(event), 1);
      await event.happen();
    }
    await new Promise(setImmediate);
  }

  #at(afterMs: number, happen: () => void | Promise<void>): void {
    this.#due.push({ atMs: this.nowMs + afterMs, happen });
  }

  #execute(keys: readonly string[], args: readonly string[]): Promise<unknown> {
    this.scripts++;
    const time = String(Math.round(this.clock.nowMs() * 1000));
    const named = keys.map((key) => this.#prefix + key);
    return this.#client.sendCommand(["EVAL", SCRIPT, String(keys.length), ...named, ...args, time]);
  }
}
