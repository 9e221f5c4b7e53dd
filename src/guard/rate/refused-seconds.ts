// How many of a subscription's calls this process has refused in the current second, in memory that all threads share, and which rate would
// have refused none of them. Admitted calls cost nothing here: a token bucket of the rate r admits at most r × (1 + t) calls in t seconds.
// If no second had more than p refusals, t seconds had at most p × (2 + t), so all of them together fit through a bucket of the rate r + 2
// × p.
import { refusedWord, type SlotWords } from "../memory/slots.ts";
import { lowerOf, upperOf, wordOfHalves } from "../memory/words.ts";

const MS_PER_SECOND = 1000;
const RATE_NEEDED_MAX = 2_147_483_647;

export class RefusedSeconds {
  readonly #words: SlotWords;

  constructor(words: SlotWords) {
    this.#words = words;
  }

  /** Counts one at `nowMs` of the monotonic clock, and returns how many this second has. */
  count(slot: number, nowMs: number): number {
    const word = refusedWord(slot);
    const second = Math.floor(nowMs / MS_PER_SECOND);
    for (;;) {
      const seen = Atomics.load(this.#words, word);
      const count = upperOf(seen) === second ? lowerOf(seen) + 1 : 1;
      if (Atomics.compareExchange(this.#words, word, seen, wordOfHalves(second, count)) === seen) {
        return count;
      }
    }
  }
}

/**
 * The requests per second that would have refused none of `refused` calls in a second in addition to those that a plan's rate admits. If
 * several nodes refuse calls, the node that refused most has at least its share of all.
 */
export const rateNeeded = (requestsPerSecond: number, refused: number, nodes: number): number =>
  Math.min(RATE_NEEDED_MAX, requestsPerSecond + 2 * refused * nodes);
