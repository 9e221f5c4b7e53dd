// A node's share of a rate while it counts by itself: the plan's rate divided by the number of nodes. It does not know what the others have used
// of a bucket that all counted together until now, so its own buckets are empty when it begins. For the first moment it takes less than its
// share: the others have not noticed yet, and may still admit the whole rate.
import type { RateTake, SharedBuckets } from "./bucket.ts";

// How long it takes until the others have noticed that a node counts by itself: its heartbeat in Redis has expired then.
const PEERS_UNAWARE_MS = 800;
// The part of the rate that all nodes that count by themselves may admit together until then: so the rate is exceeded by less than a tenth.
const PEERS_UNAWARE_PART = 0.2;

/** What a rate share is made from. */
export interface RateShareOptions {
  readonly own: SharedBuckets;
  /** How many nodes there are, this one included. */
  readonly nodes: () => number;
}

/** This node's share of each rate. */
export class RateShare {
  readonly #options: RateShareOptions;
  #sinceMs = Number.NEGATIVE_INFINITY;

  constructor(options: RateShareOptions) {
    this.#options = options;
  }

  /** From `nowMs` of the monotonic clock on, the node counts by itself, with empty buckets. */
  begin(nowMs: number): void {
    this.#sinceMs = nowMs;
  }

  /** Requests per second of this node at `nowMs`. */
  rateAt(requestsPerSecond: number, nowMs: number): number {
    const nodes = this.#options.nodes();
    const part = nodes > 1 && this.#arePeersUnaware(nowMs) ? Math.min(1 / nodes, PEERS_UNAWARE_PART / (nodes - 1)) : 1 / nodes;
    return requestsPerSecond * part;
  }

  take(slot: number, requestsPerSecond: number, nowMs: number): RateTake {
    const { own, nodes } = this.#options;
    // Tokens that were saved up at the smaller share must not be spent at the larger one.
    const emptyAtMs = nodes() === 1 || this.#arePeersUnaware(nowMs) ? this.#sinceMs : this.#sinceMs + PEERS_UNAWARE_MS;
    return own.takeSince(slot, this.rateAt(requestsPerSecond, nowMs), nowMs, emptyAtMs);
  }

  putBack(slot: number, requestsPerSecond: number, nowMs: number): void {
    this.#options.own.putBack(slot, this.rateAt(requestsPerSecond, nowMs));
  }

  #arePeersUnaware(nowMs: number): boolean {
    return nowMs < this.#sinceMs + PEERS_UNAWARE_MS;
  }
}
