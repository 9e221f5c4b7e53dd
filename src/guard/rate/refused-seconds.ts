// How many of a subscription's calls this process has refused in the current second and the one before it, in memory that all threads
// share, and which rate would have refused none of them. Admitted calls cost nothing here: a token bucket of the rate r admits at most
// r × (1 + t) calls in t seconds. A span of t seconds touches at most n + 2 seconds of the clock, where n is the whole part of t, and these
// make at most n + 1 pairs. If no two seconds in a row had more than p refusals, that time had at most p × (1 + t), so all of its calls
// together fit through a bucket of the rate r + p.
import { refusedWord, type SlotWords } from "../memory/slots.ts";
import { lowerOf, upperOf, wordOfHalves } from "../memory/words.ts";

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
   * Counts a refused call at `nowMs` of the monotonic clock, and returns how many this second and the one before have. Infinity if either
   * has more than can be counted.
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
 * The requests per second that would have refused none of `refused` calls in two seconds in a row in addition to those that a plan's rate
 * admits. If several nodes refuse calls, the node that refused most has at least its share of all.
 */
export const rateNeeded = (requestsPerSecond: number, refused: number, nodes: number): number =>
  Math.min(RATE_NEEDED_MAX, requestsPerSecond + refused * nodes);
