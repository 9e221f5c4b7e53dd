// The part of this month's limit that is in memory: the calls that this process has leased from the store and not spent. The lease's id and
// its count share one 64-bit word, so a call of one lease can never be spent from another, or refunded to another. A thread that does not
// know of a new month, plan or subscription yet finds nothing to spend and nothing to refund to.
import { leaseWord, type SlotWords } from "../memory/slots.ts";
import { lowerOf, upperOf, wordOfHalves } from "../memory/words.ts";

// Both wrap around. That is safe: no lease lives for 341 years, and no thread is 512 generations late.
const MONTHS = 4096;
const GENERATIONS = 512;

/** The id of the lease of a month, by its number, in a generation of its slot. From 0 to 2^21 - 1. */
export const leaseIdOf = (monthNumber: number, generation: number): number =>
  (monthNumber % MONTHS) * GENERATIONS + (generation % GENERATIONS);

/** Takes one call out of the lease. Returns how many are left, or -1 if there was none. */
export function spendCall(words: SlotWords, slot: number, leaseId: number): number {
  const before = change(words, slot, leaseId, (calls) => calls - 1);
  return before - 1;
}

/** Refunds calls that were spent from this lease. Returns how many it then holds, or 0 if the slot has another lease by now. */
export function refundCalls(words: SlotWords, slot: number, leaseId: number, calls: number): number {
  for (;;) {
    const seen = Atomics.load(words, leaseWord(slot));
    if (upperOf(seen) !== leaseId) {
      return 0;
    }
    const after = lowerOf(seen) + calls;
    if (Atomics.compareExchange(words, leaseWord(slot), seen, wordOfHalves(leaseId, after)) === seen) {
      return after;
    }
  }
}

/** Adds what the store has granted to the lease. What is left of an earlier lease in the slot is dropped. */
export function addGrant(words: SlotWords, slot: number, leaseId: number, calls: number): void {
  for (;;) {
    const seen = Atomics.load(words, leaseWord(slot));
    const left = upperOf(seen) === leaseId ? lowerOf(seen) : 0;
    if (Atomics.compareExchange(words, leaseWord(slot), seen, wordOfHalves(leaseId, left + calls)) === seen) {
      return;
    }
  }
}

/** Takes everything beyond `keep` out of the lease, to give it back to the store. Returns how many calls those are. */
export function shrinkLease(words: SlotWords, slot: number, leaseId: number, keep: number): number {
  const before = change(words, slot, leaseId, (calls) => Math.min(calls, keep));
  return Math.max(0, before - keep);
}

/** Ends the old lease and begins the new one, which is empty. Returns how many calls were left of the old one. */
export function replaceLease(words: SlotWords, slot: number, oldLeaseId: number, newLeaseId: number): number {
  const before = Atomics.exchange(words, leaseWord(slot), wordOfHalves(newLeaseId, 0));
  return upperOf(before) === oldLeaseId ? lowerOf(before) : 0;
}

/** How many calls of the lease are left. */
export function callsLeft(words: SlotWords, slot: number, leaseId: number): number {
  const seen = Atomics.load(words, leaseWord(slot));
  return upperOf(seen) === leaseId ? lowerOf(seen) : 0;
}

// Replaces the lease's count if it is not 0, and returns the old count; 0 if there is nothing to replace.
function change(words: SlotWords, slot: number, leaseId: number, next: (calls: number) => number): number {
  const word = leaseWord(slot);
  for (;;) {
    const seen = Atomics.load(words, word);
    const left = upperOf(seen) === leaseId ? lowerOf(seen) : 0;
    if (left === 0) {
      return 0;
    }
    if (Atomics.compareExchange(words, word, seen, wordOfHalves(leaseId, next(left))) === seen) {
      return left;
    }
  }
}
