// The buckets from which this thread has leased a part of the rate. When a bucket is no longer used, the rest of its lease is returned.
import type { Clock } from "../../../runtime/clock.ts";
import type { SharedBuckets } from "../bucket.ts";
import type { RateLeases } from "../rate-lease.ts";
import { STANDBY_RATE_MIN, UNREPORTED_PART } from "./lease-rates.ts";
import type { RedisBucket } from "./redis-bucket.ts";

/** After how long a report without a reply is sent again. */
export const REPORT_RETRY_MS = 100;
const SWEEP_MS = 100;
// A lease from which calls take all the time ends once it has been idle for the time in which its rate would admit this many calls.
const IDLE_CALLS = 12;
const IDLE_MS = { min: 100, max: 1500 };
const STANDBY_IDLE_MS = 3000;
// More than the rounding error of rates.
const ALMOST_EQUAL = 1.01;

interface LeasedBucketsOptions {
  readonly own: SharedBuckets;
  readonly leases: RateLeases;
  readonly clock: Clock;
  /** Whether the node counts on its own. */
  isAlone(): boolean;
  /** Whether the slot still belongs to this bucket. */
  isCurrent(bucket: RedisBucket): boolean;
  /** Reports the lease of a bucket. `isIdle`: the node needs no more than the minimum rate. */
  report(bucket: RedisBucket, isIdle: boolean): void;
  end(bucket: RedisBucket): void;
}

export class LeasedBuckets {
  readonly #options: LeasedBucketsOptions;
  readonly #buckets = new Set<RedisBucket>();
  #isSweeping = false;

  constructor(options: LeasedBucketsOptions) {
    this.#options = options;
  }

  /** Adds a bucket from which a part of the rate was leased. */
  add(bucket: RedisBucket): void {
    if (!this.#buckets.has(bucket)) {
      bucket.takenAtMs = this.#options.clock.monotonicMs();
      this.#buckets.add(bucket);
      this.#sweep();
    }
  }

  #sweep(): void {
    if (!this.#isSweeping && this.#buckets.size > 0) {
      this.#isSweeping = true;
      this.#options.clock.after(SWEEP_MS, () => {
        this.#isSweeping = false;
        for (const bucket of this.#buckets) {
          this.#review(bucket, this.#options.clock.monotonicMs());
        }
        this.#sweep();
      });
    }
  }

  #review(bucket: RedisBucket, nowMs: number): void {
    const { leases, isAlone, isCurrent } = this.#options;
    const { slot } = bucket;
    const rate = isCurrent(bucket) ? leases.tokensPerSecond(slot, nowMs) : 0;
    const taken = leases.taken(slot);
    if (taken !== bucket.taken) {
      bucket.taken = taken;
      bucket.takenAtMs = nowMs;
    }
    if (rate === 0) {
      this.#buckets.delete(bucket);
    } else if (isAlone()) {
      // Keeps the lease: without Redis, it could not be replaced.
    } else if (bucket.isLeaseSpent) {
      const idleMs = Math.min(IDLE_MS.max, Math.max(IDLE_MS.min, (IDLE_CALLS * 1000) / rate));
      if (nowMs - bucket.takenAtMs >= idleMs) {
        this.#buckets.delete(bucket);
        this.#options.end(bucket);
      }
    } else {
      this.#reviewStandby(bucket, rate, nowMs);
    }
  }

  // Reports a standby lease, which is otherwise reported only with requests: a small one only once it is idle, and one at the minimum rate
  // never, because the other nodes can do without so little.
  #reviewStandby(bucket: RedisBucket, rate: number, nowMs: number): void {
    const { leases, own, report } = this.#options;
    const { slot, requestsPerSecond } = bucket;
    // The minimum rate that Redis grants depends on how many nodes have requested the bucket. It is never more than this.
    const least = (STANDBY_RATE_MIN.part * requestsPerSecond) / STANDBY_RATE_MIN.nodesMin;
    if (rate <= least * ALMOST_EQUAL) {
      this.#buckets.delete(bucket);
    } else {
      const isIdle = own.fullForMs(slot, nowMs) >= STANDBY_IDLE_MS;
      const isSmall = rate <= UNREPORTED_PART * requestsPerSecond * ALMOST_EQUAL;
      if ((isIdle || !isSmall) && leases.claimReport(slot, nowMs, nowMs + REPORT_RETRY_MS)) {
        report(bucket, isIdle);
      }
    }
  }
}
