// The rate limit if several servers share it. The buckets are in Redis: calls that arrive in one turn of the event loop share a request.
// While Redis cannot be used, each server admits its share of each rate. A call that finds no token then waits a while for one, because it
// is unknown how many tokens the other servers have left.
import type { Clock } from "../../../runtime/clock.ts";
import type { Log } from "../../../runtime/log.ts";
import { DEBT_SECONDS_MAX, type RateLimiter, type RateTake, type SharedBuckets } from "../bucket.ts";
import type { BucketReply } from "./bucket-script.ts";
import { RedisConnection } from "./redis-connection.ts";
import { RedisStatus } from "./redis-status.ts";

// How long a call waits for a token that may exist.
const WAIT_MS = 1500;
// How long a refusal by Redis is trusted: other servers rarely refund tokens sooner than that.
const REFUSED_MS_MAX = 25;
// The most buckets of which something is remembered.
const BUCKETS_MAX = 10_000;
const MS_PER_SECOND = 1000;
const MICROS_PER_SECOND = 1_000_000;
const THOUSANDTHS = 1000;

export interface RedisRateOptions {
  readonly url: string;
  /** The memory of a RedisStatus. */
  readonly redisCells: Int32Array;
  readonly thread: number;
  /** How many servers there are, including this one, according to the store. */
  readonly nodesAlive: () => number;
  readonly clock: Clock;
  readonly log: Log;
}

/** Redis, as the guard uses it. */
export interface RedisRate {
  /** Creates the limiter that all servers share, which falls back to this server's own buckets. */
  share(own: SharedBuckets): RateLimiter;
  /** Never rejects. */
  close(): Promise<void>;
}

/** Connects to Redis. Never rejects: while Redis cannot be reached, the server keeps trying, and admits its share. */
export async function openRedisRate(options: RedisRateOptions): Promise<RedisRate> {
  const { redisCells, thread } = options;
  const status = new RedisStatus(redisCells);
  const connection = new RedisConnection(options);
  let buckets: RedisBuckets | undefined;
  const follow = (): void => {
    status.setUp(thread, connection.downSinceMs === undefined);
    buckets?.follow();
  };
  connection.onChange(follow);
  await connection.open();
  follow();
  return {
    share(own) {
      buckets = new RedisBuckets({ ...options, own, connection });
      return buckets;
    },
    async close() {
      connection.close();
    },
  };
}

/** A call that waits for Redis. */
interface WaitingCall {
  readonly atMs: number;
  readonly decide: (take: RateTake | Promise<RateTake>) => void;
}

interface Bucket {
  readonly slot: number;
  readonly name: string;
  readonly requestsPerSecond: number;
}

/** The calls of one turn on one bucket. */
interface Batch extends Bucket {
  readonly calls: WaitingCall[];
}

/** What Redis has to be told about a bucket once it can be used again. */
interface Owed {
  readonly requestsPerSecond: number;
  /** Tokens that it may have counted for calls that were then decided without it. */
  refunds: number;
  /** Calls that then still wait for a token of this server's share. */
  waiting: number;
}

interface RedisBucketsOptions extends Pick<RedisRateOptions, "nodesAlive" | "clock"> {
  readonly own: SharedBuckets;
  readonly connection: Pick<RedisConnection, "downSinceMs" | "run">;
}

/** Buckets that all servers share. */
export class RedisBuckets implements RateLimiter {
  readonly #options: RedisBucketsOptions;
  #batches = new Map<string, Batch>();
  // The buckets in which there is no token until a time of the monotonic clock.
  readonly #refused = new Map<string, { readonly untilMs: number; readonly rate: number }>();
  readonly #owed = new Map<string, Owed>();

  constructor(options: RedisBucketsOptions) {
    this.#options = options;
  }

  take(slot: number, requestsPerSecond: number, nowMs: number, name: string): RateTake | Promise<RateTake> {
    if (this.#options.connection.downSinceMs !== undefined) {
      return this.#takeShare({ slot, name, requestsPerSecond }, nowMs, nowMs + WAIT_MS);
    }
    this.#options.own.touch(slot, nowMs);
    const refused = this.#refused.get(name);
    if (refused?.rate === requestsPerSecond && nowMs < refused.untilMs) {
      return { taken: false, remaining: 0, nextMs: refused.untilMs - nowMs, shared: true };
    }
    return new Promise((decide) => {
      if (this.#batches.size === 0) {
        setImmediate(() => this.#send());
      }
      const key = `${requestsPerSecond} ${name}`;
      const batch = this.#batches.get(key) ?? { slot, name, requestsPerSecond, calls: [] };
      this.#batches.set(key, batch);
      batch.calls.push({ atMs: nowMs, decide });
    });
  }

  charge(slot: number, requestsPerSecond: number, nowMs: number, name: string, tokens: number): void {
    const { own, nodesAlive, connection } = this.#options;
    if (connection.downSinceMs === undefined) {
      this.#charge(name, requestsPerSecond, tokens);
    } else {
      own.charge(slot, requestsPerSecond / nodesAlive(), nowMs, name, tokens);
    }
  }

  refund(slot: number, requestsPerSecond: number, name: string, take: RateTake): void {
    const { own, nodesAlive, connection } = this.#options;
    if (!take.shared) {
      own.refund(slot, requestsPerSecond / nodesAlive());
    } else if (connection.downSinceMs === undefined) {
      this.#charge(name, requestsPerSecond, -1);
    } else {
      this.#owedOf(name, requestsPerSecond).refunds++;
    }
  }

  fullForMs(slot: number, nowMs: number): number {
    return this.#options.own.fullForMs(slot, nowMs);
  }

  /** Called when Redis can be used, or no longer. */
  follow(): void {
    if (this.#options.connection.downSinceMs === undefined) {
      for (const [name, { requestsPerSecond, refunds, waiting }] of this.#owed) {
        this.#charge(name, requestsPerSecond, waiting - refunds);
      }
      this.#owed.clear();
    }
  }

  // This server's own buckets begin empty, because the others may have used all tokens.
  #takeShare({ slot, name, requestsPerSecond }: Bucket, nowMs: number, untilMs: number): RateTake | Promise<RateTake> {
    const { own, nodesAlive, clock, connection } = this.#options;
    const { downSinceMs = nowMs } = connection;
    const take = own.takeSince(slot, requestsPerSecond / nodesAlive(), nowMs, downSinceMs, untilMs - nowMs);
    if (!take.taken) {
      return { ...take, unavailable: true };
    }
    if (take.waitMs === undefined) {
      return take;
    }
    const owed = this.#owedOf(name, requestsPerSecond);
    owed.waiting++;
    return later(clock, take, take.waitMs, () => owed.waiting--);
  }

  // Charges a bucket for calls that were admitted, even if it has too few tokens. A negative number refunds.
  #charge(name: string, requestsPerSecond: number, tokens: number): void {
    if (tokens !== 0) {
      this.#options.connection.run({ name, requestsPerSecond, tokens, debt: DEBT_SECONDS_MAX * requestsPerSecond }).catch(() => {});
    }
  }

  #owedOf(name: string, requestsPerSecond: number): Owed {
    const owed = this.#owed.get(name) ?? { requestsPerSecond, refunds: 0, waiting: 0 };
    if (this.#owed.size < BUCKETS_MAX) {
      this.#owed.set(name, owed);
    }
    return owed;
  }

  #send(): void {
    const batches = this.#batches;
    this.#batches = new Map();
    for (const batch of batches.values()) {
      void this.#request(batch);
    }
  }

  async #request(batch: Batch): Promise<void> {
    const { connection, clock } = this.#options;
    const { name, requestsPerSecond, calls } = batch;
    const sentMs = clock.monotonicMs();
    const late = (taken: number): void => {
      this.#owedOf(name, requestsPerSecond).refunds += taken;
    };
    try {
      this.#decide(batch, sentMs, await connection.run({ name, requestsPerSecond, tokens: calls.length }, late));
    } catch {
      for (const { atMs, decide } of calls) {
        decide(this.#takeShare(batch, clock.monotonicMs(), atMs + WAIT_MS));
      }
    }
  }

  #decide(
    { name, requestsPerSecond: rate, calls }: Batch,
    sentMs: number,
    [taken, leftThousandths, amnestyMicros]: BucketReply,
  ): void {
    const { clock } = this.#options;
    const left = leftThousandths / THOUSANDTHS;
    for (const [index, { decide }] of calls.entries()) {
      const after = left + Math.max(0, taken - 1 - index);
      const take = takeOf(index < taken, after, rate);
      // During an amnesty, the bucket fills twice as fast.
      const lacking = index < taken ? Math.max(0, -after) : 0;
      const waitMs = (Math.max(lacking / 2, lacking - (rate * amnestyMicros) / MICROS_PER_SECOND) * MS_PER_SECOND) / rate;
      decide(waitMs > 0 ? later(clock, take, waitMs) : take);
    }
    if (taken < calls.length) {
      if (this.#refused.size >= BUCKETS_MAX) {
        this.#refused.clear();
      }
      const { nextMs } = takeOf(false, left, rate);
      this.#refused.set(name, { untilMs: sentMs + Math.min(nextMs, REFUSED_MS_MAX), rate });
    } else {
      this.#refused.delete(name);
    }
  }
}

// The result for a call after which `left` tokens are left, including a fraction; negative after a debt.
function takeOf(taken: boolean, left: number, rate: number): RateTake {
  const remaining = Math.max(0, Math.floor(left + 1e-6));
  return { taken, remaining, nextMs: ((remaining + 1 - left) * MS_PER_SECOND) / rate, shared: true };
}

const later = (clock: Clock, take: RateTake, waitMs: number, end = (): void => {}): Promise<RateTake> =>
  new Promise((resolve) => {
    clock.after(waitMs, () => {
      end();
      resolve(take);
    });
  });
