// This second's limit if several nodes share it: one script in Redis and one round trip for a call. The calls of one turn of the event loop
// go out in one write. If Redis does not respond in time, the node counts alone until Redis is healthy again: it admits its share, which is
// the plan's rate divided by the number of nodes, from its own buckets, which are empty at that moment. The nodes that still count together
// have the rest. What the node admitted alone is taken from Redis's buckets when it joins the others again.
import type { Clock } from "../../../runtime/clock.ts";
import { LinkedList, ListNode } from "../../../runtime/linked-list.ts";
import { LruMap } from "../../../runtime/lru-map.ts";
import { bucketSize } from "../../../runtime/token-bucket.ts";
import type { RateLimiter, RateTake, SharedBuckets } from "../bucket.ts";
import { RateShare } from "../rate-share.ts";
import type { RedisConnection } from "./redis-connection.ts";
import type { RedisHealth } from "./redis-health.ts";
import { bucketKey, MEMORY_KEY } from "./redis-keys.ts";
import { BUCKET_SCRIPT, STEPS_PER_MS } from "./redis-scripts.ts";
import { UnreportedTokens } from "./unreported-tokens.ts";

const STEPS_PER_SECOND = 1000 * STEPS_PER_MS;
// For how many buckets a thread knows when they will be full.
const BUCKETS_MAX = 10_000;

type BucketReply = readonly [taken: number, remaining: number, next: number, fullAt: number];

interface RedisBucketsOptions {
  readonly own: SharedBuckets;
  readonly connection: Pick<RedisConnection, "run">;
  readonly health: Pick<RedisHealth, "isHealthy" | "nodes" | "part" | "failed" | "onChange">;
  readonly clock: Clock;
  /** How long a caller waits. */
  readonly waitMs: number;
}

// A call that waits for Redis: until when, and how it is decided without Redis.
class WaitingCall {
  readonly node = new ListNode<WaitingCall>(this);
  readonly untilMs: number;
  readonly giveUp: () => void;
  #isDecided = false;

  constructor(untilMs: number, giveUp: () => void) {
    this.untilMs = untilMs;
    this.giveUp = giveUp;
  }

  /** Returns false if the call has already been decided. */
  decide(): boolean {
    if (this.#isDecided) {
      return false;
    }
    this.#isDecided = true;
    this.node.leave();
    return true;
  }
}

/** Buckets that all nodes share. */
export class RedisBuckets implements RateLimiter {
  readonly #options: RedisBucketsOptions;
  readonly #share: RateShare;
  readonly #unreported = new UnreportedTokens();
  // When each bucket will be full by Redis's clock, as far as this thread knows: it may be later, never earlier. So a bucket that Redis has
  // lost is noticed.
  readonly #fullAt = new LruMap<string, number>(BUCKETS_MAX);
  // In order of arrival.
  readonly #waiting = new LinkedList<WaitingCall>();
  #isAlone = false;
  #watching = false;

  constructor(options: RedisBucketsOptions) {
    this.#options = options;
    this.#share = new RateShare({ own: options.own, nodes: () => options.health.nodes });
    options.health.onChange(() => this.#follow());
    this.#follow();
  }

  take(slot: number, requestsPerSecond: number, nowMs: number, name: string): RateTake | Promise<RateTake> {
    this.#follow();
    if (this.#isAlone) {
      return this.#takeShare(slot, requestsPerSecond, nowMs, name);
    }
    this.#options.own.touch(slot, nowMs);
    return this.#ask(slot, requestsPerSecond, name);
  }

  refund(slot: number, requestsPerSecond: number, name: string, take: RateTake): void {
    if (take.shared) {
      // If this is lost, the bucket is full again within a second anyway.
      this.#run(name, requestsPerSecond, -1, false).catch(() => {});
    } else {
      this.#share.refund(slot, requestsPerSecond, this.#options.clock.monotonicMs());
      this.#unreported.remove(name);
    }
  }

  restedMs(slot: number, nowMs: number): number {
    return this.#options.own.restedMs(slot, nowMs);
  }

  // Any response to any thread of the node can change whether the node counts alone.
  #follow(): void {
    const { health, clock } = this.#options;
    const isAlone = !health.isHealthy;
    if (isAlone && !this.#isAlone) {
      this.#share.begin(clock.monotonicMs());
    }
    this.#isAlone = isAlone;
    if (!isAlone && !this.#unreported.isEmpty) {
      for (const { name, requestsPerSecond, tokens } of this.#unreported.takeAll(clock.monotonicMs())) {
        this.#run(name, requestsPerSecond, tokens, true).catch(() => {});
      }
    }
  }

  #takeShare(slot: number, requestsPerSecond: number, nowMs: number, name: string): RateTake {
    const take = this.#share.take(slot, requestsPerSecond, nowMs);
    if (take.taken) {
      this.#unreported.add(name, requestsPerSecond, this.#share.rateAt(requestsPerSecond, nowMs), nowMs);
    }
    return take;
  }

  #ask(slot: number, requestsPerSecond: number, name: string): Promise<RateTake> {
    const { health, clock, waitMs } = this.#options;
    return new Promise((answer) => {
      const giveUp = (): void => answer(this.#takeShare(slot, requestsPerSecond, clock.monotonicMs(), name));
      const waiting = new WaitingCall(clock.monotonicMs() + waitMs, giveUp);
      this.#waiting.addLast(waiting.node);
      this.#watch(waitMs);
      this.#run(name, requestsPerSecond, 1, false).then(
        (reply) => {
          const take = readReply(reply);
          if (waiting.decide()) {
            answer(take);
          } else if (take.taken) {
            // The call has been decided without Redis.
            this.refund(slot, requestsPerSecond, name, take);
          }
        },
        (error: unknown) => {
          if (waiting.decide()) {
            health.failed(error);
            this.#follow();
            giveUp();
          }
        },
      );
    });
  }

  #watch(delayMs: number): void {
    if (!this.#watching) {
      this.#watching = true;
      // One turn later: if this process itself was stalled, the responses have arrived and are read first.
      this.#options.clock.after(delayMs, () => setImmediate(() => this.#look()));
    }
  }

  #look(): void {
    this.#watching = false;
    const oldest = this.#waiting.first;
    if (oldest === undefined) {
      return;
    }
    const leftMs = oldest.untilMs - this.#options.clock.monotonicMs();
    if (leftMs > 0) {
      this.#watch(leftMs);
      return;
    }
    this.#options.health.failed(new Error(`Redis took more than ${this.#options.waitMs} ms.`));
    this.#follow();
    for (let waiting: WaitingCall | undefined = oldest; waiting !== undefined; waiting = this.#waiting.first) {
      waiting.decide();
      waiting.giveUp();
    }
  }

  // `isSpent`: the requests have been admitted, so the tokens cannot be refused.
  async #run(name: string, requestsPerSecond: number, tokens: number, isSpent: boolean): Promise<unknown> {
    const { connection, health } = this.#options;
    const size = bucketSize(requestsPerSecond * health.part, STEPS_PER_SECOND);
    const { interval, capacity } = size;
    const known = this.#fullAt.get(name) ?? 0;
    const fullAtLeast = tokens > 0 ? known : 0;
    if (tokens < 0) {
      this.#fullAt.set(name, Math.max(0, known + interval * tokens));
    }
    // At most as far as the whole rate would allow.
    const aheadMax = 2 * Math.max(capacity, Math.ceil((STEPS_PER_SECOND * health.nodes) / requestsPerSecond));
    const args = [interval, capacity, tokens, isSpent ? 1 : 0, 0, aheadMax, fullAtLeast];
    const reply = await connection.run(BUCKET_SCRIPT, [bucketKey(name), MEMORY_KEY], args.map(String));
    this.#fullAt.set(name, (reply as BucketReply)[3]);
    return reply;
  }
}

function readReply(reply: unknown): RateTake {
  const [taken, remaining, next] = reply as BucketReply;
  return { taken: taken === 1, remaining, nextMs: next / STEPS_PER_MS, shared: true };
}
