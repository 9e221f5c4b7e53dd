// Counts a subscription's calls that this process refuses because of the rate limit, in memory that all threads share, to tell the customer
// which rate would have been enough: the plan's rate plus the refusals in the current second and the one before it. Admitted calls need not
// be counted.
//
// Why that rate r + p is enough, if no two consecutive seconds had more than p refusals: in any t seconds, a token bucket of rate r admits
// at most r × (1 + t) calls. They touch at most n + 2 seconds of the clock, where n is t rounded down, which form at most n + 1 pairs of
// consecutive seconds. So at most p × (1 + t) calls were refused in them, and a bucket of rate r + p would have admitted them all.
import { lowerOf, refusedWord, type SlotWords, upperOf, wordOfHalves } from "../memory/slots.ts";

const MS_PER_SECOND = 1000;
const RATE_NEEDED_MAX = 2_147_483_647;
// Both counts share the lower half of a word.
const COUNT_MAX = 0xffff;
const COUNT_UNIT = COUNT_MAX + 1;

export class RefusedSeconds {
  readonly #words: SlotWords;

  constructor(words: SlotWords) {
    this.#words = words;
  }

  /**
   * Counts a call refused at `nowMs` of the monotonic clock. Returns how many calls were refused in this second and the one before;
   * Infinity if either second had more than can be counted.
   */
  count(slot: number, nowMs: number): number {
    const word = refusedWord(slot);
    const second = Math.floor(nowMs / MS_PER_SECOND);
    for (;;) {
      const seen = Atomics.load(this.#words, word);
      const seconds = second - upperOf(seen);
      const counted = lowerOf(seen) % COUNT_UNIT;
      const before = seconds === 0 ? Math.floor(lowerOf(seen) / COUNT_UNIT) : seconds === 1 ? counted : 0;
      const count = seconds === 0 ? Math.min(counted + 1, COUNT_MAX) : 1;
      if (Atomics.compareExchange(this.#words, word, seen, wordOfHalves(second, before * COUNT_UNIT + count)) === seen) {
        return Math.max(count, before) === COUNT_MAX ? Number.POSITIVE_INFINITY : count + before;
      }
    }
  }
}

/**
 * The rate, in requests per second, that would also have admitted the calls refused in two consecutive seconds. `refused` is how many this
 * node refused. It is multiplied by the number of nodes, because the node with the most refusals has refused at least an equal share.
 */
export const rateNeeded = (requestsPerSecond: number, refused: number, nodes: number): number =>
  Math.min(RATE_NEEDED_MAX, requestsPerSecond + refused * nodes);
