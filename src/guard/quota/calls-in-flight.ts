// The calls that are admitted and not settled yet, counted for each thread and slot in shared memory: so the thread that owns the leases knows
// which slots are in use, and what a thread that died still held. A row is written by its thread alone. Calls of an older term make way
// for those of a newer one, and are not counted any more.

const TERM_UNIT = 2 ** 32;

/** What a thread had under way in one slot. */
export interface HeldCalls {
  readonly slot: number;
  readonly term: number;
  readonly calls: number;
}

/** The counts. */
export class CallsInFlight {
  /** What other threads are handed. */
  readonly words: BigInt64Array;
  readonly #threads: number;
  readonly #slots: number;

  /** Over another thread's words, or new ones: `slots` words of 8 bytes for each thread. */
  constructor(
    threads: number,
    slots: number,
    words: BigInt64Array = new BigInt64Array(new SharedArrayBuffer(threads * slots * BigInt64Array.BYTES_PER_ELEMENT)),
  ) {
    this.words = words;
    this.#threads = threads;
    this.#slots = slots;
  }

  /** A call of this term has begun. */
  begin(thread: number, slot: number, term: number): void {
    const word = thread * this.#slots + slot;
    const seen = Number(Atomics.load(this.words, word));
    const calls = Math.floor(seen / TERM_UNIT) === term ? seen % TERM_UNIT : 0;
    Atomics.store(this.words, word, BigInt(term * TERM_UNIT + calls + 1));
  }

  /** It has ended. */
  end(thread: number, slot: number, term: number): void {
    const word = thread * this.#slots + slot;
    const seen = Number(Atomics.load(this.words, word));
    if (Math.floor(seen / TERM_UNIT) === term && seen % TERM_UNIT > 0) {
      Atomics.store(this.words, word, BigInt(seen - 1));
    }
  }

  /** Whether any thread has a call under way in the slot. */
  hasAny(slot: number): boolean {
    for (let thread = 0; thread < this.#threads; thread++) {
      if (Number(Atomics.load(this.words, thread * this.#slots + slot)) % TERM_UNIT > 0) {
        return true;
      }
    }
    return false;
  }

  /** What a thread that has ended had under way; it is forgotten here. */
  takeAll(thread: number): readonly HeldCalls[] {
    const held: HeldCalls[] = [];
    for (let slot = 0; slot < this.#slots; slot++) {
      const seen = Number(Atomics.exchange(this.words, thread * this.#slots + slot, 0n));
      if (seen % TERM_UNIT > 0) {
        held.push({ slot, term: Math.floor(seen / TERM_UNIT), calls: seen % TERM_UNIT });
      }
    }
    return held;
  }
}
