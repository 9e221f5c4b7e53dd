// Limits how many streams callers without a key may hold open at once. A stream costs memory for as long as it lasts, and a rate limit
// alone does not bound the number of streams.

import { networksOf } from "@quintet/guard";
import { Failure } from "../problem/failure.ts";

const RETRY_MS = 5000;

/** The bounds, for one thread. */
export interface StreamSlotsLimits {
  readonly inAllMax: number;
  /** Per IPv4 address or IPv6 /64. */
  readonly perNetworkMax: number;
}

/** Counts the streams that are open. */
export class StreamSlots {
  readonly #limits: StreamSlotsLimits;
  readonly #byNetwork = new Map<string, number>();
  #inAll = 0;

  constructor(limits: StreamSlotsLimits) {
    this.#limits = limits;
  }

  /**
   * Counts a stream from this address. Returns a function to call once when the stream ends. Throws a RATE_LIMITED if there are too many.
   */
  take(peer: string): () => void {
    const { inAllMax, perNetworkMax } = this.#limits;
    const [network] = networksOf(peer);
    const open = this.#byNetwork.get(network) ?? 0;
    if (open >= perNetworkMax) {
      throw tooManyStreams(`Your network already has ${perNetworkMax} streams without a key open, which is the maximum`);
    }
    if (this.#inAll >= inAllMax) {
      throw tooManyStreams("Too many streams without a key are open");
    }
    this.#inAll += 1;
    this.#byNetwork.set(network, open + 1);
    return () => this.#release(network);
  }

  #release(network: string): void {
    this.#inAll -= 1;
    const left = (this.#byNetwork.get(network) ?? 0) - 1;
    if (left > 0) {
      this.#byNetwork.set(network, left);
    } else {
      this.#byNetwork.delete(network);
    }
  }
}

const tooManyStreams = (what: string): Failure =>
  new Failure({ reason: "RATE_LIMITED", message: `${what}; retry in ${RETRY_MS / 1000} s.`, retryAfterMs: RETRY_MS });
