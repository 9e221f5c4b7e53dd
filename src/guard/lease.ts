// This month's limit, as far as it is in memory: the calls that this process has leased from the store and not spent. A month and a
// count share one 64-bit word, so a call of one month can never be spent from, or refunded to, the lease of another.
import { leaseWord, type SlotWords } from "./slots.ts";

// What a word holds is far below 2^53, so it is worked on as a number.
const MONTH_UNIT = 2 ** 32;

/** Takes one call out of the month's lease. Answers how many are left then, or -1 when there was none. */
export function spendCall(words: SlotWords, slot: number, monthNumber: number): number {
  const before = change(words, slot, monthNumber, (calls) => calls - 1);
  return before - 1;
}

/** Puts calls back that were taken from the same month's lease. Answers how many are there then, or 0 when the lease is another month's. */
export function refundCalls(words: SlotWords, slot: number, monthNumber: number, calls: number): number {
  for (;;) {
    const seen = Atomics.load(words, leaseWord(slot));
    if (Math.floor(Number(seen) / MONTH_UNIT) !== monthNumber) {
      return 0;
    }
    if (Atomics.compareExchange(words, leaseWord(slot), seen, seen + BigInt(calls)) === seen) {
      return (Number(seen) % MONTH_UNIT) + calls;
    }
  }
}

/** Adds what the store has granted for a month. What is left of another month's lease is forgotten. */
export function addGrant(words: SlotWords, slot: number, monthNumber: number, calls: number): void {
  for (;;) {
    const seen = Atomics.load(words, leaseWord(slot));
    const left = Math.floor(Number(seen) / MONTH_UNIT) === monthNumber ? Number(seen) % MONTH_UNIT : 0;
    if (Atomics.compareExchange(words, leaseWord(slot), seen, BigInt(monthNumber * MONTH_UNIT + left + calls)) === seen) {
      return;
    }
  }
}

/** Takes everything over `keep` out of the month's lease, to be given back to the store, and answers how many calls that are. */
export function takeExcess(words: SlotWords, slot: number, monthNumber: number, keep: number): number {
  const before = change(words, slot, monthNumber, (calls) => Math.min(calls, keep));
  return Math.max(0, before - keep);
}

/** How many calls of the month's lease are left. */
export function callsLeft(words: SlotWords, slot: number, monthNumber: number): number {
  const seen = Number(Atomics.load(words, leaseWord(slot)));
  return Math.floor(seen / MONTH_UNIT) === monthNumber ? seen % MONTH_UNIT : 0;
}

// Replaces the month's count, where there is one, and answers what it was.
function change(words: SlotWords, slot: number, monthNumber: number, next: (calls: number) => number): number {
  const word = leaseWord(slot);
  for (;;) {
    const seen = Atomics.load(words, word);
    const left = Number(seen) - monthNumber * MONTH_UNIT;
    if (left <= 0 || left >= MONTH_UNIT) {
      return 0;
    }
    if (Atomics.compareExchange(words, word, seen, BigInt(monthNumber * MONTH_UNIT + next(left))) === seen) {
      return left;
    }
  }
}
