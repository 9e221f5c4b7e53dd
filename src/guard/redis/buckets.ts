// This second's limit where several nodes count it together: one script in Redis and one round trip for a call, those of one turn of the
// event loop in one write. A caller waits a few milliseconds at most. When Redis does not answer in that time, and from then on until
// it is well, each node admits its share: the plan's rate by the number of nodes, out of its own buckets, which are kept up to
// date all the while. A share under one request a second is one request in more than a second.
import type { Clock } from "../../clock.ts";
import type { RateLimiter, RateTake, SharedBuckets } from "../bucket.ts";
import type { RedisHeart } from "./heart.ts";
import { bucketKey } from "./keys.ts";
import type { RedisLink } from "./link.ts";
import { bucketScript, STEPS_PER_MS } from "./scripts.ts";

const STEPS_PER_SECOND = 1000 * STEPS_PER_MS;
const TAKE = "1";
const PUT_BACK = "-1";

/** What the buckets are made from. */
export interface RedisBucketsOptions {
  readonly own: SharedBuckets;
  readonly link: Pick<RedisLink, "run">;
  readonly heart: Pick<RedisHeart, "isWell" | "nodes" | "failed">;
  readonly clock: Clock;
  /** How long a caller waits. */
  readonly waitMs: number;
}

// A call that waits for Redis: until when, and what this node's own bucket said.
interface Waiting {
  readonly untilMs: number;
  readonly own: RateTake;
  readonly answer: (take: RateTake) => void;
}

/** Buckets that all nodes share. */
export class RedisBuckets implements RateLimiter {
  readonly #options: RedisBucketsOptions;
  // In the order of their coming.
  readonly #waiting = new Set<Waiting>();
  #watching = false;

  constructor(options: RedisBucketsOptions) {
    this.#options = options;
  }

  take(slot: number, requestsPerSecond: number, nowMs: number, name: string): RateTake | Promise<RateTake> {
    const { own, heart } = this.#options;
    const share = requestsPerSecond / heart.nodes;
    const ownTake = own.take(slot, share, nowMs);
    return heart.isWell ? this.#ask(slot, requestsPerSecond, share, name, ownTake) : ownTake;
  }

  putBack(slot: number, requestsPerSecond: number, name: string, take: RateTake): void {
    const { own, heart, link } = this.#options;
    if (take.shared) {
      // What gets lost of this is made up for within the second.
      link.run(bucketScript, bucketKey(name), argumentsOf(requestsPerSecond, PUT_BACK)).catch(() => {});
    } else {
      own.putBack(slot, requestsPerSecond / heart.nodes);
    }
  }

  restedMs(slot: number, nowMs: number): number {
    return this.#options.own.restedMs(slot, nowMs);
  }

  #ask(slot: number, requestsPerSecond: number, share: number, name: string, own: RateTake): Promise<RateTake> {
    const { link, heart, clock, waitMs, own: ownBuckets } = this.#options;
    return new Promise((answer) => {
      const waiting = { untilMs: clock.monotonicMs() + waitMs, own, answer };
      this.#waiting.add(waiting);
      this.#watch(waitMs);
      const taking = link.run(bucketScript, bucketKey(name), argumentsOf(requestsPerSecond, TAKE)).then(readReply);
      taking.then(
        (take) => {
          if (this.#waiting.delete(waiting)) {
            if (own.taken && !take.taken) {
              ownBuckets.putBack(slot, share);
            }
            answer(take);
          }
        },
        (error: unknown) => {
          if (this.#waiting.delete(waiting)) {
            heart.failed(error);
            answer(own);
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
    this.#options.heart.failed(new Error(`Redis took more than ${this.#options.waitMs} ms.`));
    const all = [...this.#waiting];
    this.#waiting.clear();
    for (const { answer, own } of all) {
      answer(own);
    }
  }
}

// Rounded up: a rate that does not divide the second is kept under, by less than a quarter of a microsecond a request.
function argumentsOf(requestsPerSecond: number, tokens: string): readonly string[] {
  const interval = Math.ceil(STEPS_PER_SECOND / requestsPerSecond);
  return [String(interval), String(interval * requestsPerSecond), tokens];
}

function readReply(reply: unknown): RateTake {
  const [taken, remaining, next] = reply as readonly [number, number, number];
  return { taken: taken === 1, remaining, nextMs: next / STEPS_PER_MS, shared: true };
}
