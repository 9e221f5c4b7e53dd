// The calls that are admitted and not settled yet, counted for each thread and slot in shared memory. They tell the thread that owns the
// leases which slots are in use, and which calls a dead thread still had in flight. Each row is written only by its own thread. When a call
// from a newer lease begins, those from the older one are no longer counted.
import { lowerOf, upperOf, wordOfHalves } from "./words.ts";

/** The calls in one slot that a thread has in flight. */
export interface InFlightCalls {
  readonly slot: number;
  readonly leaseId: number;
  readonly calls: number;
}

/** The counts of calls in progress. */
export class CallsInFlight {
  /** What is passed to other threads. */
  readonly words: BigInt64Array;
  readonly #threads: number;
  readonly #slots: number;

  /** Works on another thread's words, or on new ones: `slots` words of 8 bytes for each thread. */
  constructor(
    threads: number,
    slots: number,
    words: BigInt64Array = new BigInt64Array(new SharedArrayBuffer(threads * slots * BigInt64Array.BYTES_PER_ELEMENT)),
  ) {
    this.words = words;
    this.#threads = threads;
    this.#slots = slots;
  }

  /** Counts a call from this lease that has started. */
  begin(thread: number, slot: number, leaseId: number): void {
    const word = thread * this.#slots + slot;
    const seen = Atomics.load(this.words, word);
    const calls = upperOf(seen) === leaseId ? lowerOf(seen) : 0;
    Atomics.store(this.words, word, wordOfHalves(leaseId, calls + 1));
  }

  end(thread: number, slot: number, leaseId: number): void {
    const word = thread * this.#slots + slot;
    const seen = Atomics.load(this.words, word);
    const calls = lowerOf(seen);
    if (upperOf(seen) === leaseId && calls > 0) {
      Atomics.store(this.words, word, wordOfHalves(leaseId, calls - 1));
    }
  }

  /** Whether any thread has a call in progress in the slot. */
  hasAny(slot: number): boolean {
    for (let thread = 0; thread < this.#threads; thread++) {
      if (lowerOf(Atomics.load(this.words, thread * this.#slots + slot)) > 0) {
        return true;
      }
    }
    return false;
  }

  /** Removes and returns the calls that a thread had in flight when it ended. */
  takeAll(thread: number): readonly InFlightCalls[] {
    const held: InFlightCalls[] = [];
    for (let slot = 0; slot < this.#slots; slot++) {
      const seen = Atomics.exchange(this.words, thread * this.#slots + slot, 0n);
      if (lowerOf(seen) > 0) {
        held.push({ slot, leaseId: upperOf(seen), calls: lowerOf(seen) });
      }
    }
    return held;
  }
}
