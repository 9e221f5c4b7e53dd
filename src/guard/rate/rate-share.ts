// A node's part of a rate, for as long as it counts by itself: the plan's rate divided by the number of nodes. It does not know what has
// been used of a bucket that it counted together with others until then, so its own buckets are empty when it begins. For a moment it
// takes less than its part: the others may still admit the whole rate, and hear of it only then.
import type { RateTake, SharedBuckets } from "./bucket.ts";

// Until the others have heard that a node counts by itself: a sign of life in Redis holds so long, or the next one in the database.
const PEERS_UNAWARE_MS = 800;
// What all who count by themselves may admit meanwhile, as a part of the rate: so the rate is exceeded by less than a tenth.
const PEERS_UNAWARE_PART = 0.2;

/** What it is made from. */
export interface RateShareOptions {
  readonly own: SharedBuckets;
  /** How many nodes there are, this one included. */
  readonly nodes: () => number;
}

/** This node's part of each rate. */
export class RateShare {
  readonly #options: RateShareOptions;
  #sinceMs = Number.NEGATIVE_INFINITY;

  constructor(options: RateShareOptions) {
    this.#options = options;
  }

  /** From this moment of the monotonic clock on the node counts by itself, with empty buckets. */
  begin(nowMs: number): void {
    this.#sinceMs = nowMs;
  }

  /** Requests a second of this node, at this moment. */
  rateAt(requestsPerSecond: number, nowMs: number): number {
    const nodes = this.#options.nodes();
    const part = nodes > 1 && this.#arePeersUnaware(nowMs) ? Math.min(1 / nodes, PEERS_UNAWARE_PART / (nodes - 1)) : 1 / nodes;
    return requestsPerSecond * part;
  }

  take(slot: number, requestsPerSecond: number, nowMs: number): RateTake {
    const { own, nodes } = this.#options;
    // What was saved up at the smaller part is not to be spent at the larger one.
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
