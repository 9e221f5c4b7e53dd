// This second's limit where several nodes count it together: one script in Redis and one round trip for a call, those of one turn of the
// event loop in one write. When Redis does not answer a caller in time, and from then on until it is well, the node admits its share: the
// plan's rate by the number of nodes, out of its own buckets, which are empty when that begins; and the nodes that still count together
// have theirs. What it admitted so it takes out of Redis's buckets when it counts together with the others again.
import type { Clock } from "../../../runtime/clock.ts";
import type { RateLimiter, RateTake, SharedBuckets } from "../bucket.ts";
import { RateShare } from "../rate-share.ts";
import { aheadAfterEmpty, bucketSize } from "../token-bucket.ts";
import type { RedisConnection } from "./redis-connection.ts";
import { Debts } from "./redis-debts.ts";
import type { RedisHealth } from "./redis-health.ts";
import { bucketKey } from "./redis-keys.ts";
import { bucketScript, STEPS_PER_MS } from "./redis-scripts.ts";

const STEPS_PER_SECOND = 1000 * STEPS_PER_MS;

/** What the buckets are made from. */
export interface RedisBucketsOptions {
  readonly own: SharedBuckets;
  readonly connection: Pick<RedisConnection, "run">;
  readonly health: Pick<RedisHealth, "isHealthy" | "nodes" | "part" | "memorySinceMs" | "failed" | "onChange">;
  readonly clock: Clock;
  /** How long a caller waits. */
  readonly waitMs: number;
}

// A call that waits for Redis: until when, and what becomes of it without.
interface Waiting {
  readonly untilMs: number;
  readonly giveUp: () => void;
}

/** Buckets that all nodes share. */
export class RedisBuckets implements RateLimiter {
  readonly #options: RedisBucketsOptions;
  readonly #share: RateShare;
  readonly #debts = new Debts();
  // In the order of their coming.
  readonly #waiting = new Set<Waiting>();
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

  putBack(slot: number, requestsPerSecond: number, name: string, take: RateTake): void {
    if (take.shared) {
      // What gets lost of this is made up for within the second.
      this.#run(name, requestsPerSecond, -1, false).catch(() => {});
    } else {
      this.#share.putBack(slot, requestsPerSecond, this.#options.clock.monotonicMs());
      this.#debts.remove(name);
    }
  }

  restedMs(slot: number, nowMs: number): number {
    return this.#options.own.restedMs(slot, nowMs);
  }

  // Whether the node counts by itself can change with each answer to any of its threads.
  #follow(): void {
    const { health, clock } = this.#options;
    const isAlone = !health.isHealthy;
    if (isAlone && !this.#isAlone) {
      this.#share.begin(clock.monotonicMs());
    }
    this.#isAlone = isAlone;
    if (!isAlone && !this.#debts.isEmpty) {
      for (const { name, requestsPerSecond, tokens } of this.#debts.take(clock.monotonicMs())) {
        this.#run(name, requestsPerSecond, tokens, true).catch(() => {});
      }
    }
  }

  #takeShare(slot: number, requestsPerSecond: number, nowMs: number, name: string): RateTake {
    const take = this.#share.take(slot, requestsPerSecond, nowMs);
    if (take.taken) {
      this.#debts.add(name, requestsPerSecond, this.#share.rateAt(requestsPerSecond, nowMs), nowMs);
    }
    return take;
  }

  #ask(slot: number, requestsPerSecond: number, name: string): Promise<RateTake> {
    const { health, clock, waitMs } = this.#options;
    return new Promise((answer) => {
      const giveUp = (): void => answer(this.#takeShare(slot, requestsPerSecond, clock.monotonicMs(), name));
      const waiting = { untilMs: clock.monotonicMs() + waitMs, giveUp };
      this.#waiting.add(waiting);
      this.#watch(waitMs);
      this.#run(name, requestsPerSecond, 1, false).then(
        (reply) => {
          const take = readReply(reply);
          if (this.#waiting.delete(waiting)) {
            answer(take);
          } else if (take.taken) {
            // The call has been decided on without.
            this.putBack(slot, requestsPerSecond, name, take);
          }
        },
        (error: unknown) => {
          if (this.#waiting.delete(waiting)) {
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
      // One turn later: when this process itself stood still, the answers are there and are read first.
      this.#options.clock.after(delayMs, () => setImmediate(() => this.#look()));
    }
  }

  #look(): void {
    this.#watching = false;
    const [oldest] = this.#waiting;
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
    const all = [...this.#waiting];
    this.#waiting.clear();
    for (const { giveUp } of all) {
      giveUp();
    }
  }

  // `isSpent`: the tokens cannot be refused.
  #run(name: string, requestsPerSecond: number, tokens: number, isSpent: boolean): Promise<unknown> {
    const { connection, health, clock } = this.#options;
    const size = bucketSize(requestsPerSecond * health.part, STEPS_PER_SECOND);
    const { interval, capacity } = size;
    const aheadWithout = aheadAfterEmpty((clock.monotonicMs() - health.memorySinceMs) * STEPS_PER_MS, size);
    // As far as one node that counts alone for all would let it come.
    const aheadMax = 2 * Math.max(capacity, Math.ceil((STEPS_PER_SECOND * health.nodes) / requestsPerSecond));
    const args = [interval, capacity, tokens, isSpent ? 1 : 0, aheadWithout, aheadMax];
    return connection.run(bucketScript, [bucketKey(name)], args.map(String));
  }
}

function readReply(reply: unknown): RateTake {
  const [taken, remaining, next] = reply as readonly [number, number, number];
  return { taken: taken === 1, remaining, nextMs: next / STEPS_PER_MS, shared: true };
}
