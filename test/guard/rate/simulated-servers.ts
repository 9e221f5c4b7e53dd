// Servers that share buckets in a real Redis, in simulated time: of the servers, of the network, and inside Redis's script. They run the
// product's own code, and the network does what a test says. So a minute of calls takes seconds.
import { ErrorReply } from "redis";
import { SlotTable } from "../../../src/guard/memory/slots.ts";
import { type RateTake, SharedBuckets } from "../../../src/guard/rate/bucket.ts";
import { BUCKET_SCRIPT } from "../../../src/guard/rate/redis/bucket-script.ts";
import { RedisBuckets } from "../../../src/guard/rate/redis/redis-buckets.ts";
import type { RedisClient } from "../../../src/guard/rate/redis/redis-client.ts";
import { RedisConnection } from "../../../src/guard/rate/redis/redis-connection.ts";
import type { Clock } from "../../../src/runtime/clock.ts";
import { createLog } from "../../../src/runtime/log.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";

// The script with the simulated time. What it writes is kept longer: Redis's own clock differs.
const SCRIPT = BUCKET_SCRIPT.source
  .replace("redis.call('TIME')", "{0, ARGV[5]}")
  .replace(/, 'PX', math\.ceil\(.*?\/ 1000\)/, ", 'PX', 600000");
const STARTED_WITHIN_MS = 3000;
const SLOTS = 100;

/** A connection to the real Redis. */
interface RealRedis {
  sendCommand(command: string[]): Promise<unknown>;
}

interface Server {
  readonly buckets: RedisBuckets;
  readonly connection: RedisConnection;
}

/** How one server reaches Redis. */
export interface Link {
  /** Nothing arrives, and connections are refused. */
  isCut: boolean;
  /** How much later responses arrive, in milliseconds. */
  delayMs: number;
  /** The error with which Redis refuses everything. */
  error: string | undefined;
  /** Whether the server's process is suspended. */
  isFrozen: boolean;
}

export class SimulatedServers {
  readonly clock = createManualClock({ nowMs: 0 });
  readonly links: readonly Link[];
  /** Whether Redis is suspended: it reads what was sent to it when it goes on. */
  isPaused = false;
  /** How far Redis's clock is ahead, in milliseconds. */
  aheadMs = 0;
  readonly #redis: RealRedis;
  readonly #servers: readonly Server[];
  readonly #slots = new Map<string, number>();
  #whenResumed: (() => void)[] = [];
  #running = 0;

  constructor(redis: RealRedis, servers: number) {
    this.#redis = redis;
    this.links = Array.from({ length: servers }, () => ({ isCut: false, delayMs: 0, error: undefined, isFrozen: false }));
    this.#servers = this.links.map((link) => {
      const clock = this.#clockOf(link);
      const connection = new RedisConnection({
        url: "redis://localhost",
        clock,
        log: createLog("silent"),
        nodesAlive: () => servers,
        createClient: () => this.#clientOf(link),
      });
      const own = new SharedBuckets(new SlotTable(SLOTS).words);
      const buckets = new RedisBuckets({ own, connection, clock, nodesAlive: () => servers });
      connection.onChange(() => buckets.follow());
      return { buckets, connection };
    });
  }

  /** Connects all servers. */
  async start(): Promise<void> {
    await this.#redis.sendCommand(["FLUSHALL"]);
    for (const { connection } of this.#servers) {
      void connection.open();
    }
    for (let ms = 0; ms < STARTED_WITHIN_MS; ms += 10) {
      await this.advance(10);
    }
  }

  get areUp(): boolean {
    return this.#servers.every(({ connection }) => connection.downSinceMs === undefined);
  }

  async take(server: number, requestsPerSecond: number, name: string): Promise<RateTake> {
    const slot = this.#slots.get(name) ?? this.#slots.size;
    this.#slots.set(name, slot);
    const { buckets } = this.#servers[server] as Server;
    return buckets.take(slot, requestsPerSecond, this.clock.monotonicMs(), name);
  }

  /** Moves the time forward, and waits for Redis. */
  async advance(ms: number): Promise<void> {
    this.clock.advance(ms);
    await this.settle();
  }

  /** Waits until everything that can happen at this time has happened. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < 3; ) {
      await new Promise((resolve) => setImmediate(resolve));
      quiet = this.#running === 0 ? quiet + 1 : 0;
    }
  }

  resume(): void {
    this.isPaused = false;
    for (const run of this.#whenResumed.splice(0)) {
      run();
    }
  }

  lose(): Promise<unknown> {
    return this.#redis.sendCommand(["FLUSHALL"]);
  }

  /** What is in Redis, as a list of commands that write it. */
  async snapshot(): Promise<string[][]> {
    const keys = (await this.#redis.sendCommand(["KEYS", "*"])) as string[];
    return Promise.all(
      keys.map(async (key) =>
        key.endsWith("clock")
          ? ["HSET", key, ...((await this.#redis.sendCommand(["HGETALL", key])) as string[])]
          : ["SET", key, String(await this.#redis.sendCommand(["GET", key]))],
      ),
    );
  }

  async restore(commands: readonly string[][]): Promise<void> {
    await this.lose();
    await Promise.all(commands.map((command) => this.#redis.sendCommand(command)));
  }

  close(): void {
    for (const { connection } of this.#servers) {
      connection.close();
    }
  }

  // A suspended process sees its timers and responses when it goes on.
  #clockOf(link: Link): Clock {
    const { clock } = this;
    const run = (work: () => void): void => {
      if (link.isFrozen) {
        clock.after(5, () => run(work));
      } else {
        work();
      }
    };
    return { nowMs: clock.nowMs, monotonicMs: clock.monotonicMs, after: (delayMs, work) => clock.after(delayMs, () => run(work)) };
  }

  #clientOf(link: Link): RedisClient {
    const { clock } = this;
    const breaks: ((error: Error) => void)[] = [];
    let isBroken = false;
    let lost = (_error: unknown): void => {};
    const resumed = async (): Promise<void> => {
      if (this.isPaused) {
        await new Promise<void>((resolve) => this.#whenResumed.push(resolve));
      }
    };
    // A suspended process reads responses when it goes on, before its timers of that time run.
    const delivered = async (): Promise<void> => {
      while (link.isFrozen) {
        await new Promise<void>((resolve) => clock.after(1, resolve));
      }
    };
    const check = (): void => {
      if (link.isCut || isBroken) {
        throw new Error("The connection broke.");
      }
    };
    const watchCut = (): void => {
      clock.after(5, () => {
        if (link.isCut && !isBroken) {
          isBroken = true;
          for (const reject of breaks) {
            reject(new Error("The connection broke."));
          }
          lost(new Error("The connection broke."));
        } else if (!isBroken) {
          watchCut();
        }
      });
    };
    return {
      connect: async () => {
        check();
        await resumed();
        watchCut();
      },
      send: (_, command) => {
        const { promise, resolve, reject } = Promise.withResolvers<unknown>();
        breaks.push(reject);
        const run = async (): Promise<void> => {
          check();
          await resumed();
          if (link.error !== undefined) {
            throw new ErrorReply(link.error);
          }
          const response = this.#run(command);
          const reply = await response;
          if (link.delayMs > 0) {
            await new Promise<void>((go) => clock.after(link.delayMs, go));
          }
          await delivered();
          check();
          resolve(reply);
        };
        run().catch(reject);
        return promise;
      },
      sendToAll: async () => [],
      onLost: (run) => {
        lost = run;
      },
      destroy: () => {
        isBroken = true;
        for (const reject of breaks) {
          reject(new Error("The connection was closed."));
        }
      },
    };
  }

  async #run([, , ...rest]: string[]): Promise<unknown> {
    this.#running++;
    try {
      const micros = Math.round((1_000_000 + this.clock.monotonicMs() + this.aheadMs) * 1000);
      return await this.#redis.sendCommand(["EVAL", SCRIPT, ...rest, String(micros)]);
    } finally {
      this.#running--;
    }
  }
}
