// The rate limit if several nodes share it. Buckets are in Redis. A node that uses a bucket often leases a part of its rate, and takes the
// leased tokens in memory; for all other buckets, and for small rates, a call waits for one script in Redis. While Redis does not respond,
// leases remain valid, and the node admits its share of the rate of all other buckets. A call that finds no token then waits a while for
// one, because it is unknown how many tokens the other nodes have left.
import type { Clock } from "../../../runtime/clock.ts";
import type { RateLimiter, RateTake, SharedBuckets } from "../bucket.ts";
import type { RateLeases } from "../rate-lease.ts";
import { RateShare } from "../rate-share.ts";
import { BucketRequests, type BucketRequestsOptions, type Granted } from "./bucket-requests.ts";
import { LEASED_RATE_MIN } from "./lease-rates.ts";
import { LeasedBuckets, REPORT_RETRY_MS } from "./leased-buckets.ts";
import { RedisBucket } from "./redis-bucket.ts";
import { UnreportedTokens } from "./unreported-tokens.ts";

// How long a call waits for a token that may exist.
const WAIT_MS = 1500;
const UNCERTAIN_WAIT_MS = 800;
const CHECK_EVERY_MS = 5;
// How long a refusal by Redis is trusted: other nodes rarely return tokens sooner than that.
const REFUSED_MS_MAX = 25;
const LEASED_REFUSED_MS_MAX = 50;
// While Redis is uncertain, each wait before it is asked again is twice as long as the last, and at most this long.
const UNCERTAIN_RETRY_MS_MAX = 400;
// The shortest time between two extensions of a lease that is almost used up.
const EXTENSION_INTERVAL_MS = 20;

interface RedisBucketsOptions extends Omit<BucketRequestsOptions, "isAlone"> {
  readonly own: SharedBuckets;
  readonly leases: RateLeases;
  readonly clock: Clock;
}

/** Buckets that all nodes share. */
export class RedisBuckets implements RateLimiter {
  readonly #options: RedisBucketsOptions;
  readonly #share: RateShare;
  readonly #requests: BucketRequests;
  readonly #unreported = new UnreportedTokens();
  readonly #bySlot: (RedisBucket | undefined)[] = [];
  readonly #queued = new Set<RedisBucket>();
  readonly #leased: LeasedBuckets;
  #isAlone = false;
  #isCheckDue = false;

  constructor(options: RedisBucketsOptions) {
    this.#options = options;
    const { own, health } = options;
    this.#share = new RateShare({ own, nodes: () => health.nodes, leasedRateMin: LEASED_RATE_MIN });
    this.#requests = new BucketRequests(options);
    this.#leased = new LeasedBuckets({
      ...options,
      isAlone: () => this.#isAlone,
      isCurrent: (bucket) => this.#bySlot[bucket.slot] === bucket,
      report: (bucket, isIdle) => this.#ask(bucket, isIdle),
      end: (bucket) => this.#requests.end(bucket),
    });
    health.onChange(() => this.#follow());
    this.#follow();
  }

  take(slot: number, requestsPerSecond: number, nowMs: number, name: string): RateTake | Promise<RateTake> {
    this.#follow();
    const bucket = this.#bucketOf(slot, requestsPerSecond, name);
    if (bucket.waiting.size === 0) {
      const take = this.#takeNow(bucket, nowMs);
      if (take !== undefined) {
        return take;
      }
    }
    return this.#wait(bucket, nowMs);
  }

  refund(slot: number, requestsPerSecond: number, name: string, take: RateTake): void {
    const { leases, clock } = this.#options;
    const nowMs = clock.monotonicMs();
    if (!take.shared) {
      this.#share.refund(slot, requestsPerSecond, nowMs);
      this.#unreported.remove(name);
      return;
    }
    leases.refund(slot, nowMs);
    const bucket = this.#bucketOf(slot, requestsPerSecond, name);
    if (!bucket.isLeaseSpent || leases.tokensPerSecond(slot, nowMs) === 0) {
      // If this report is lost, the bucket is full again within a second anyway.
      this.#ask(bucket);
    }
  }

  fullForMs(slot: number, nowMs: number): number {
    return this.#options.own.fullForMs(slot, nowMs);
  }

  #bucketOf(slot: number, requestsPerSecond: number, name: string): RedisBucket {
    const known = this.#bySlot[slot];
    if (known?.name === name && known.requestsPerSecond === requestsPerSecond) {
      return known;
    }
    const bucket = new RedisBucket(slot, requestsPerSecond, name);
    this.#bySlot[slot] = bucket;
    return bucket;
  }

  // Any response to any thread of the node can change whether the node counts on its own.
  #follow(): void {
    const { health, clock } = this.#options;
    const isAlone = !health.isHealthy;
    if (isAlone && !this.#isAlone) {
      this.#share.begin(clock.monotonicMs());
    }
    this.#isAlone = isAlone;
    if (!isAlone && !this.#unreported.isEmpty) {
      for (const { slot, name, requestsPerSecond, tokens } of this.#unreported.takeAll(clock.monotonicMs())) {
        void this.#request(this.#bucketOf(slot, requestsPerSecond, name), tokens, false);
      }
    }
  }

  // Undefined if the call has to wait.
  #takeNow(bucket: RedisBucket, nowMs: number): RateTake | undefined {
    const { leases, own } = this.#options;
    const { slot } = bucket;
    if ((bucket.isLeaseSpent || this.#isAlone) && leases.take(slot, nowMs)) {
      own.touch(slot, nowMs);
      if (!this.#isAlone) {
        this.#extend(bucket, nowMs);
      }
      return bucket.takeOne(nowMs);
    }
    if (!this.#isAlone) {
      own.touch(slot, nowMs);
      return nowMs < bucket.refusedUntilMs ? bucket.refused(nowMs) : undefined;
    }
    return this.#takeShare(bucket, nowMs);
  }

  #takeShare({ slot, name, requestsPerSecond }: RedisBucket, nowMs: number): RateTake | undefined {
    const { leases, health } = this.#options;
    if (leases.tokensPerSecond(slot, nowMs) > 0) {
      return undefined;
    }
    const take = this.#share.take(slot, requestsPerSecond, nowMs);
    if (take.taken) {
      this.#unreported.add({ slot, name, requestsPerSecond }, this.#share.rateAt(requestsPerSecond, nowMs), nowMs);
    }
    // If there is only this node, no other has a token.
    return take.taken || health.nodes === 1 ? take : undefined;
  }

  // Extends the lease ahead of need, unless another thread does.
  #extend(bucket: RedisBucket, nowMs: number): void {
    const { leases } = this.#options;
    const { slot } = bucket;
    const isDue = leases.claimReport(slot, nowMs, nowMs + REPORT_RETRY_MS);
    if (isDue || (leases.left(slot, nowMs) < 1 && nowMs >= bucket.retryFromMs)) {
      bucket.retryFromMs = nowMs + EXTENSION_INTERVAL_MS;
      this.#ask(bucket);
    }
  }

  #wait(bucket: RedisBucket, nowMs: number): RateTake | Promise<RateTake> {
    const { waiting } = bucket;
    if (this.#isAlone) {
      if (waiting.size + 1 > this.#tokensInTime(bucket, nowMs)) {
        return unavailable(bucket);
      }
    } else if (waiting.size >= bucket.capacity) {
      // Redis never has more tokens than the capacity.
      return bucket.isUncertain ? unavailable(bucket) : bucket.takeOf(false, 0);
    }
    const taking = waiting.add(nowMs + WAIT_MS);
    this.#queued.add(bucket);
    this.#ask(bucket);
    this.#checkLater();
    return taking;
  }

  // How many tokens there may be in time for the calls that wait while the node counts on its own. If Redis responds again soon, its bucket
  // may be full.
  #tokensInTime({ slot, requestsPerSecond, capacity }: RedisBucket, nowMs: number): number {
    const rate = this.#options.leases.tokensPerSecond(slot, nowMs) || this.#share.rateAt(requestsPerSecond, nowMs + WAIT_MS);
    const inRedis = nowMs < this.#share.sinceMs + WAIT_MS ? capacity : 0;
    return Math.max(inRedis, (rate * WAIT_MS) / 1000);
  }

  #checkLater(): void {
    if (!this.#isCheckDue && this.#queued.size > 0) {
      this.#isCheckDue = true;
      this.#options.clock.after(CHECK_EVERY_MS, () => {
        this.#isCheckDue = false;
        this.#follow();
        for (const bucket of this.#queued) {
          this.#serve(bucket);
        }
        this.#checkLater();
      });
    }
  }

  // Decides as many of the bucket's calls as can be decided now.
  #serve(bucket: RedisBucket): void {
    const { waiting } = bucket;
    const nowMs = this.#options.clock.monotonicMs();
    for (let take: RateTake | undefined; waiting.size > 0; waiting.decideFirst(take)) {
      take = this.#takeNow(bucket, nowMs);
      if (take === undefined) {
        break;
      }
    }
    waiting.decideExpired(nowMs, () => unavailable(bucket));
    if (waiting.size === 0) {
      this.#queued.delete(bucket);
    } else if (nowMs >= bucket.retryFromMs) {
      this.#ask(bucket);
    }
  }

  // Calls that arrive in the same turn share one request.
  #ask(bucket: RedisBucket, isIdle = false): void {
    if (!bucket.isRequestPending && !this.#isAlone) {
      bucket.isRequestPending = true;
      queueMicrotask(() => void this.#request(bucket, 0, isIdle).finally(() => this.#requested(bucket)));
    }
  }

  #requested(bucket: RedisBucket): void {
    bucket.isRequestPending = false;
    this.#serve(bucket);
  }

  async #request(bucket: RedisBucket, admittedLocally: number, isIdle: boolean): Promise<void> {
    const wanted = bucket.isRequestPending ? bucket.waiting.size : 0;
    const granted = await this.#requests.take(bucket, wanted, admittedLocally, isIdle);
    if (granted === undefined) {
      this.#follow();
      return;
    }
    this.#decide(bucket, wanted, granted);
    if (granted.tokensPerSecond > 0) {
      this.#leased.add(bucket);
    }
  }

  #decide(bucket: RedisBucket, wanted: number, { taken, left, tokensPerSecond, isUncertain }: Granted): void {
    const { waiting, slot } = bucket;
    const { leases, clock } = this.#options;
    const nowMs = clock.monotonicMs();
    bucket.setLeft(left, nowMs);
    bucket.isUncertain = isUncertain;
    if (!isUncertain || taken > 0) {
      bucket.uncertainRetryMs = 0;
    }
    // Some of the calls may have been decided in the meantime.
    const used = Math.min(taken, waiting.size);
    for (let rest = used - 1; rest >= 0; rest--) {
      waiting.decideFirst(bucket.takeOf(true, left + rest));
    }
    if (used < taken) {
      leases.returnTokens(slot, taken - used);
    }
    if (taken < wanted) {
      const { nextMs } = bucket.takeOf(false, left);
      const isLeased = tokensPerSecond > 0;
      const retryMs = Math.min(nextMs, isLeased ? LEASED_REFUSED_MS_MAX : REFUSED_MS_MAX);
      if (isUncertain) {
        // Only as many calls go on waiting as there may soon be tokens for.
        const rate = isLeased && bucket.isLeaseSpent ? tokensPerSecond : bucket.requestsPerSecond;
        bucket.uncertainRetryMs = Math.min(UNCERTAIN_RETRY_MS_MAX, Math.max(retryMs, 2 * bucket.uncertainRetryMs));
        bucket.retryFromMs = nowMs + bucket.uncertainRetryMs;
        waiting.decideLast(waiting.size - Math.ceil((rate * UNCERTAIN_WAIT_MS) / 1000), () => unavailable(bucket));
      } else {
        bucket.refusedUntilMs = nowMs + retryMs;
        waiting.decide(waiting.size, () => bucket.takeOf(false, left));
      }
    }
  }
}

const unavailable = (bucket: RedisBucket): RateTake => ({ ...bucket.takeOf(false, 0), unavailable: true });
