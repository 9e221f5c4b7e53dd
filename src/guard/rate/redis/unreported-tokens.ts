// The tokens that a thread took on its own and has not reported to Redis yet: for each bucket, the time at which it would be full again.
// After that time there is nothing to report.
import { aheadAt, type BucketSize, countTokens, tokensAhead } from "../../../runtime/token-bucket.ts";

// Above this many buckets, those with nothing left to report are dropped, so that the memory stays bounded.
const BUCKETS_MAX = 10_000;

interface Bucket extends TakenFrom {
  /** In milliseconds. */
  readonly size: Pick<BucketSize, "interval">;
  fullAtMs: number;
}

/** A bucket from which tokens were taken. */
interface TakenFrom {
  readonly slot: number;
  readonly name: string;
  readonly requestsPerSecond: number;
}

/** Tokens that were taken from a bucket. */
export interface TakenTokens extends TakenFrom {
  readonly tokens: number;
}

export class UnreportedTokens {
  readonly #byName = new Map<string, Bucket>();

  get isEmpty(): boolean {
    return this.#byName.size === 0;
  }

  /** Counts a request that was admitted at `nowMs`, out of the node's `share` of the rate, in requests per second. */
  add(from: TakenFrom, share: number, nowMs: number): void {
    const { name } = from;
    const size = { interval: 1000 / share };
    const aheadMs = aheadAt(this.#byName.get(name)?.fullAtMs ?? 0, nowMs);
    this.#byName.set(name, { ...from, size, fullAtMs: nowMs + countTokens(aheadMs, 1, size) });
    if (this.#byName.size > BUCKETS_MAX) {
      this.#dropFull(nowMs);
    }
  }

  /** Undoes the last `add` to a bucket, because the request is refused after all. */
  remove(name: string): void {
    const bucket = this.#byName.get(name);
    if (bucket !== undefined) {
      bucket.fullAtMs -= bucket.size.interval;
    }
  }

  /** Removes all buckets and returns the tokens to report. */
  takeAll(nowMs: number): TakenTokens[] {
    const taken = Array.from(this.#byName.values(), ({ slot, name, requestsPerSecond, size, fullAtMs }) => ({
      slot,
      name,
      requestsPerSecond,
      tokens: Math.ceil(tokensAhead(aheadAt(fullAtMs, nowMs), size)),
    }));
    this.#byName.clear();
    return taken.filter(({ tokens }) => tokens > 0);
  }

  #dropFull(nowMs: number): void {
    for (const [name, { fullAtMs }] of this.#byName) {
      if (fullAtMs <= nowMs) {
        this.#byName.delete(name);
      }
    }
  }
}
