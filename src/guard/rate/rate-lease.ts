// What this process has leased from buckets that several nodes share: a part of a bucket's rate, whose tokens accumulate here instead of in
// the shared bucket. All threads take tokens from the lease in shared memory, so most calls need no other server. Until a report says how
// many tokens were taken here, the shared bucket assumes that all of them were. So the lease remains valid while the shared bucket cannot
// be reached.
import {
  generationOf,
  idleSinceWord,
  leasedRateWord,
  reportDueWord,
  reportedAtWord,
  type SlotWords,
  takenWord,
} from "../memory/slots.ts";
import { lowerOf, numberOf, upperOf, wordOf, wordOfHalves } from "../memory/words.ts";

const NANOSECONDS_PER_MS = 1_000_000;
const NANOSECONDS_PER_SECOND = 1_000_000_000;
const MICROSECONDS_PER_MS = 1000;
const RATE_UNIT = 1024;
// After this time without a report, a node's lease shrinks to at most an equal share of the rate.
const WHOLE_LEASE_MS = 10_000;
// For this long after a report, the shared bucket reserves the tokens that could be taken here.
const LEASE_MS = 12_000;
// The time that a bucket takes to fill up, and a lease unless its rate is below one token per second.
const FILL_TIME_NS = NANOSECONDS_PER_SECOND;

export interface LeaseReport {
  /** The number of the lease. No other lease of this bucket in this process has the same. */
  readonly lease: number;
  /** How many tokens have been taken so far from all leases of the slot. */
  readonly taken: number;
  /** The time of the report, in whole microseconds of the monotonic clock. */
  readonly atMicros: number;
  /** The leased rate, in tokens per second; 0 without a lease. */
  readonly tokensPerSecond: number;
  /** How many unused tokens stay here, including a fraction. All other unused tokens are returned. */
  readonly kept: number;
  /** How many more tokens the lease could hold. */
  readonly missing: number;
}

export interface LeaseExtension {
  /** 0 without a lease. */
  readonly tokensPerSecond: number;
  /** The highest rate that the lease may have once no report has arrived for a long time, in tokens per second. */
  readonly laterTokensPerSecond: number;
  /** How many tokens to add to the lease. */
  readonly tokens: number;
  /** The time of the report to which this is the reply, in microseconds of the monotonic clock. */
  readonly reportedAtMicros: number;
  /** When the next report is due, in milliseconds of the monotonic clock. */
  readonly dueMs: number;
}

/** The rate leases of one process. */
export class RateLeases {
  readonly #words: SlotWords;

  constructor(words: SlotWords) {
    this.#words = words;
  }

  /** Takes a token, if the slot's lease has one. */
  take(slot: number, nowMs: number): boolean {
    for (;;) {
      const rate = this.#rate(slot, nowMs);
      if (rate === 0) {
        return false;
      }
      const now = Math.round(nowMs * NANOSECONDS_PER_MS);
      const seen = Atomics.load(this.#words, idleSinceWord(slot));
      const since = Math.max(numberOf(seen), now - fillTimeNs(rate)) + Math.ceil(NANOSECONDS_PER_SECOND / rate);
      if (since > now) {
        return false;
      }
      if (Atomics.compareExchange(this.#words, idleSinceWord(slot), seen, wordOf(since)) === seen) {
        Atomics.add(this.#words, takenWord(slot), 1n);
        return true;
      }
    }
  }

  /** How many tokens could be taken from the lease now, including a fraction. */
  left(slot: number, nowMs: number): number {
    const since = numberOf(Atomics.load(this.#words, idleSinceWord(slot)));
    return tokensSince(since, nowMs, this.#rate(slot, nowMs));
  }

  /** The leased rate, in tokens per second; 0 without a lease. */
  tokensPerSecond(slot: number, nowMs: number): number {
    return this.#rate(slot, nowMs);
  }

  /** How many tokens have been taken. Only changes in this number are meaningful. */
  taken(slot: number): number {
    return numberOf(Atomics.load(this.#words, takenWord(slot)));
  }

  /** Refunds a token. Without a lease, the next report returns it to the shared bucket. */
  refund(slot: number, nowMs: number): void {
    Atomics.sub(this.#words, takenWord(slot), 1n);
    const rate = this.#rate(slot, nowMs);
    if (rate > 0) {
      Atomics.sub(this.#words, idleSinceWord(slot), wordOf(Math.ceil(NANOSECONDS_PER_SECOND / rate)));
    }
  }

  /** With the next report, returns `tokens` that the shared bucket granted to calls that no longer need them. */
  returnTokens(slot: number, tokens: number): void {
    Atomics.sub(this.#words, takenWord(slot), wordOf(tokens));
  }

  /** Makes a report. At most `keptMax` unused tokens stay in the lease. */
  report(slot: number, nowMs: number, keptMax: number): LeaseReport {
    const tokensPerSecond = this.#rate(slot, nowMs);
    const missing = tokensPerSecond === 0 ? 0 : tokensWhenFull(tokensPerSecond) - this.left(slot, nowMs);
    const kept = tokensPerSecond === 0 ? 0 : this.#keep(slot, nowMs, tokensPerSecond, keptMax);
    return {
      lease: this.#leaseOf(slot),
      taken: this.taken(slot),
      atMicros: Math.floor(nowMs * MICROSECONDS_PER_MS),
      tokensPerSecond,
      kept,
      missing,
    };
  }

  /**
   * Applies the reply to a report on the lease: a new rate (0 for none), and tokens that can be used at once. Returns false if the slot now
   * belongs to another subscription.
   */
  extend(slot: number, nowMs: number, lease: number, extension: LeaseExtension): boolean {
    if (lease !== this.#leaseOf(slot)) {
      return false;
    }
    const before = this.#rate(slot, nowMs);
    const { tokensPerSecond, laterTokensPerSecond, tokens, reportedAtMicros, dueMs } = extension;
    const rate = Math.floor(tokensPerSecond * RATE_UNIT);
    const later = Math.floor(Math.min(tokensPerSecond, laterTokensPerSecond) * RATE_UNIT);
    for (let seen = 0n; rate > 0; ) {
      seen = Atomics.load(this.#words, idleSinceWord(slot));
      const left = tokensSince(numberOf(seen), nowMs, before) + tokens;
      const since = Math.ceil(nowMs * NANOSECONDS_PER_MS - (left * NANOSECONDS_PER_SECOND) / tokensPerSecond);
      if (Atomics.compareExchange(this.#words, idleSinceWord(slot), seen, wordOf(since)) === seen) {
        break;
      }
    }
    Atomics.store(this.#words, reportDueWord(slot), wordOf(Math.floor(dueMs * MICROSECONDS_PER_MS)));
    Atomics.store(this.#words, reportedAtWord(slot), wordOf(reportedAtMicros));
    Atomics.store(this.#words, leasedRateWord(slot), wordOfHalves(rate, later));
    return true;
  }

  /** Ends the slot's lease. Returns false if there is none, such as when another thread has ended it. */
  end(slot: number): boolean {
    return Atomics.exchange(this.#words, leasedRateWord(slot), 0n) !== 0n;
  }

  /** Whether a report is due and the caller must make it. If so, the next is due at `dueMs`, in case this one gets lost. */
  claimReport(slot: number, nowMs: number, dueMs: number): boolean {
    const word = reportDueWord(slot);
    const seen = Atomics.load(this.#words, word);
    return (
      nowMs * MICROSECONDS_PER_MS >= numberOf(seen) &&
      Atomics.compareExchange(this.#words, word, seen, wordOf(Math.floor(dueMs * MICROSECONDS_PER_MS))) === seen
    );
  }

  #leaseOf(slot: number): number {
    return slot * 2 ** 32 + generationOf(this.#words, slot);
  }

  #rate(slot: number, nowMs: number): number {
    const rates = Atomics.load(this.#words, leasedRateWord(slot));
    if (rates === 0n) {
      return 0;
    }
    const silentMs = nowMs - numberOf(Atomics.load(this.#words, reportedAtWord(slot))) / MICROSECONDS_PER_MS;
    return silentMs < WHOLE_LEASE_MS ? upperOf(rates) / RATE_UNIT : silentMs < LEASE_MS ? lowerOf(rates) / RATE_UNIT : 0;
  }

  #keep(slot: number, nowMs: number, rate: number, keptMax: number): number {
    for (;;) {
      const seen = Atomics.load(this.#words, idleSinceWord(slot));
      const left = tokensSince(numberOf(seen), nowMs, rate);
      const kept = Math.min(left, keptMax);
      const since = Math.ceil(nowMs * NANOSECONDS_PER_MS - (kept * NANOSECONDS_PER_SECOND) / rate);
      if (kept === left || Atomics.compareExchange(this.#words, idleSinceWord(slot), seen, wordOf(since)) === seen) {
        return kept;
      }
    }
  }
}

// Refunds can move `since` too far back, so the number of tokens is limited to the capacity of the bucket. If too many tokens were taken,
// `since` is in the future and the result is negative.
const tokensSince = (since: number, nowMs: number, rate: number): number => {
  const passed = Math.min(nowMs * NANOSECONDS_PER_MS - since, fillTimeNs(rate));
  return (passed * rate) / NANOSECONDS_PER_SECOND;
};

// A lease holds the tokens of one second, and at least one.
const tokensWhenFull = (rate: number): number => (fillTimeNs(rate) * rate) / NANOSECONDS_PER_SECOND;

const fillTimeNs = (rate: number): number => Math.max(FILL_TIME_NS, Math.ceil(NANOSECONDS_PER_SECOND / rate));
