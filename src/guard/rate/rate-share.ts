// A node's share of a rate while it counts on its own: the plan's rate divided by the number of nodes. The node does not know how much of a
// shared bucket the other nodes have used, so its own buckets begin empty. At first it takes less than its share: the other nodes have not
// noticed yet, and may still admit the whole rate. If the rate is leased, their leases may continue even longer.
import type { RateTake, SharedBuckets } from "./bucket.ts";

// How long it takes the other nodes to notice that a node counts on its own: until its heartbeat in Redis has expired.
const PEER_LAG_MS = 1000;
// The part of the rate that the nodes on their own may admit in total until then, so that the rate is exceeded by less than a tenth.
const PEER_LAG_SHARE = 0.2;
// The same for rates that are leased: how long until all leases have ended, and the part that may be admitted until then.
const LEASES_END_MS = 12_000;
const UNLEASED_PART = 0.08;

interface RateShareOptions {
  readonly own: SharedBuckets;
  /** How many nodes there are, including this one. */
  readonly nodes: () => number;
  /** Rates of at least this are leased; by default, none are. */
  readonly leasedRateMin?: number;
}

/** This node's share of each rate. */
export class RateShare {
  readonly #options: RateShareOptions;
  #sinceMs = Number.NEGATIVE_INFINITY;

  constructor(options: RateShareOptions) {
    this.#options = options;
  }

  /** When the node started to count on its own, by the monotonic clock. */
  get sinceMs(): number {
    return this.#sinceMs;
  }

  /** Makes the node count on its own from `nowMs` of the monotonic clock, with empty buckets. */
  begin(nowMs: number): void {
    this.#sinceMs = nowMs;
  }

  /** How many requests per second this node may admit at `nowMs`. */
  rateAt(requestsPerSecond: number, nowMs: number): number {
    const nodes = this.#options.nodes();
    if (nodes === 1 || nowMs >= this.#wholeFromMs(requestsPerSecond)) {
      return requestsPerSecond / nodes;
    }
    return this.#isLeased(requestsPerSecond)
      ? (requestsPerSecond * UNLEASED_PART) / nodes
      : requestsPerSecond * Math.min(1 / nodes, PEER_LAG_SHARE / (nodes - 1));
  }

  take(slot: number, requestsPerSecond: number, nowMs: number): RateTake {
    const { own, nodes } = this.#options;
    const rate = this.rateAt(requestsPerSecond, nowMs);
    const wholeFromMs = this.#wholeFromMs(requestsPerSecond);
    // Tokens that accumulated at the smaller share must not be spent at the larger one.
    const emptyAtMs = nodes() === 1 || nowMs < wholeFromMs ? this.#sinceMs : wholeFromMs;
    return own.takeSince(slot, rate, nowMs, emptyAtMs);
  }

  refund(slot: number, requestsPerSecond: number, nowMs: number): void {
    this.#options.own.refund(slot, this.rateAt(requestsPerSecond, nowMs));
  }

  #isLeased(requestsPerSecond: number): boolean {
    return requestsPerSecond >= (this.#options.leasedRateMin ?? Number.POSITIVE_INFINITY);
  }

  // The time from which the other nodes leave this node its whole share.
  #wholeFromMs(requestsPerSecond: number): number {
    return this.#sinceMs + (this.#isLeased(requestsPerSecond) ? LEASES_END_MS : PEER_LAG_MS);
  }
}
