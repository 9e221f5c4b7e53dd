// This month's limit, as far as it is in memory: the calls that this process has leased from the store and not spent. A term, which is
// a month under one plan, and a count share one 64-bit word: a call of one term can never be spent from, or refunded to, the lease of another.
import { leaseWord, type SlotWords } from "../memory/slots.ts";

// What a word holds is far below 2^53, so it is worked on as a number.
const TERM_UNIT = 2 ** 32;

/** Takes one call out of the term's lease. Answers how many are left then, or -1 when there was none. */
export function spendCall(words: SlotWords, slot: number, term: number): number {
  const before = change(words, slot, term, (calls) => calls - 1);
  return before - 1;
}

/** Puts calls back that were taken from the same term's lease. Answers how many are there then, or 0 when the lease is another term's. */
export function refundCalls(words: SlotWords, slot: number, term: number, calls: number): number {
  for (;;) {
    const seen = Atomics.load(words, leaseWord(slot));
    if (Math.floor(Number(seen) / TERM_UNIT) !== term) {
      return 0;
    }
    if (Atomics.compareExchange(words, leaseWord(slot), seen, seen + BigInt(calls)) === seen) {
      return (Number(seen) % TERM_UNIT) + calls;
    }
  }
}

/** Adds what the store has granted for a term. What is left of another term's lease is forgotten. */
export function addGrant(words: SlotWords, slot: number, term: number, calls: number): void {
  for (;;) {
    const seen = Atomics.load(words, leaseWord(slot));
    const left = Math.floor(Number(seen) / TERM_UNIT) === term ? Number(seen) % TERM_UNIT : 0;
    if (Atomics.compareExchange(words, leaseWord(slot), seen, BigInt(term * TERM_UNIT + left + calls)) === seen) {
      return;
    }
  }
}

/** Takes everything over `keep` out of the term's lease, to be given back to the store, and answers how many calls that are. */
export function takeExcess(words: SlotWords, slot: number, term: number, keep: number): number {
  const before = change(words, slot, term, (calls) => Math.min(calls, keep));
  return Math.max(0, before - keep);
}

/** Ends one term's lease and begins another one's, empty. Answers how many calls were left of the first. */
export function replaceLease(words: SlotWords, slot: number, oldTerm: number, newTerm: number): number {
  const before = Number(Atomics.exchange(words, leaseWord(slot), BigInt(newTerm * TERM_UNIT)));
  return Math.floor(before / TERM_UNIT) === oldTerm ? before % TERM_UNIT : 0;
}

/** How many calls of the term's lease are left. */
export function callsLeft(words: SlotWords, slot: number, term: number): number {
  const seen = Number(Atomics.load(words, leaseWord(slot)));
  return Math.floor(seen / TERM_UNIT) === term ? seen % TERM_UNIT : 0;
}

// Replaces the term's count, where there is one, and answers what it was.
function change(words: SlotWords, slot: number, term: number, next: (calls: number) => number): number {
  const word = leaseWord(slot);
  for (;;) {
    const seen = Atomics.load(words, word);
    const left = Number(seen) - term * TERM_UNIT;
    if (left <= 0 || left >= TERM_UNIT) {
      return 0;
    }
    if (Atomics.compareExchange(words, word, seen, BigInt(term * TERM_UNIT + next(left))) === seen) {
      return left;
    }
  }
}
